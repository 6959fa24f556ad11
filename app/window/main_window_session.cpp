// SPDX-License-Identifier: GPL-3.0-or-later
// The window and its session file: open, save, draft, what is dropped on it, what Compose finds out about it.
#include "app/window/main_window.h"
#include "app/window/status_line.h"
#include "app/window/top_bar.h"
#include "widgets/compose/compose_page.h"
#include "widgets/look/formats.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QMimeData>

namespace batchscope::window {

using sessions::SessionDocument;

bool MainWindow::openSession(const std::filesystem::path& file)
{
    try {
        SessionDocument document = sessions::readSession(file, m_registry);
        const std::vector<std::string> warnings = document.warnings;
        m_editor.setDocument(std::move(document));
        if (file != m_files.draftFile()) SessionFiles::remember(file);
        if (!warnings.empty())
            tell(tr("%1: %2").arg(QFileInfo(QString::fromStdString(file.string())).fileName(),
                                  QString::fromStdString(warnings.front())),
                 false);
        return true;
    } catch (const std::exception& error) {
        tell(QString::fromUtf8(error.what()), true);
        return false;
    }
}

void MainWindow::readFacts()
{
    m_facts_pause.stop();
    m_facts_job.start(
        [document = m_editor.document(), this] { return readComposeFacts(document, m_registry); },
        [this](ComposeFacts facts) {
            m_facts_read = true;
            if (facts.tokenizer) m_tokenizer = facts.tokenizer;
            m_compose_page->setWorkloadFacts(facts.workload);
            m_compose_page->setModelFacts(facts.model);
            followController();
            checkSettled();
        });
}

void MainWindow::followDocument()
{
    const SessionDocument& d = m_editor.document();
    const QString name = QString::fromStdString(d.name);
    m_top->setSession(name, QString::fromStdString(d.file.filename().string()), m_editor.isChanged());
    setWindowTitle(tr("%1[*] - Batchscope").arg(name));
    setWindowModified(m_editor.isChanged());
    const bool simulated = d.backend.type == sessions::BackendSpec::Type::Simulated;
    const QString model = d.backend.model.empty() || d.backend.model == "demo"
                              ? tr("demo")
                              : QFileInfo(QString::fromStdString(d.backend.model)).fileName();
    m_top->setModel(simulated ? QString::fromStdString(d.backend.roofline ? "roofline" : d.backend.preset)
                              : tr("%1, %2").arg(model, QString::fromStdString(d.backend.dtype)));
    const QString threads = d.backend.threads > 0
                                ? widgets::counted(d.backend.threads, tr("1 thread"), tr("%1 threads"))
                                : tr("all threads");
    m_top->setDevice(simulated
                         ? tr("virtual time")
                         : tr("%1, %2").arg(QString::fromStdString(d.backend.device).toUpper(), threads));
    m_facts_pause.start();
    if (m_editor.isChanged())
        m_draft_pause.start();
    else
        m_draft_pause.stop();
    followController();
}

void MainWindow::newSession()
{
    if (!mayLeave()) return;
    sessions::SessionDocument fresh;
    fresh.name = tr("Untitled").toStdString();
    fresh.backend.model = "demo";
    m_editor.setDocument(std::move(fresh));
    showPage(PageName::Compose);
}

void MainWindow::openDialog()
{
    if (!mayLeave()) return;
    const QString file =
        QFileDialog::getOpenFileName(this, tr("Open a session"), {}, tr("Sessions (*.json);;All files (*)"));
    if (!file.isEmpty()) openSession(file.toStdString());
}

bool MainWindow::save()
{
    return m_editor.document().file.empty() ? saveAs() : saveTo(m_editor.document().file);
}

bool MainWindow::saveAs()
{
    QString file = QFileDialog::getSaveFileName(this, tr("Save the session"),
                                                QString::fromStdString(m_editor.document().file.string()),
                                                tr("Sessions (*.json)"));
    if (file.isEmpty()) return false;
    if (QFileInfo(file).suffix().isEmpty()) file += QLatin1String(".json");
    return saveTo(file.toStdString());
}

bool MainWindow::saveTo(const std::filesystem::path& file)
{
    try {
        sessions::writeSession(m_editor.document(), file);
    } catch (const std::exception& error) {
        tell(QString::fromUtf8(error.what()), true);
        return false;
    }
    m_editor.setSaved(file);
    SessionFiles::remember(file);
    m_files.dropDraft();
    m_status->tell(tr("Session saved"));
    return true;
}

bool MainWindow::mayLeave()
{
    if (!m_editor.isChanged()) return true;
    const auto answer = QMessageBox::question(
        this, tr("Unsaved changes"),
        tr("Save the changes to \"%1\"?").arg(QString::fromStdString(m_editor.document().name)),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    if (answer == QMessageBox::Cancel) return false;
    if (answer == QMessageBox::Save) return save();
    m_files.dropDraft();
    return true;
}

void MainWindow::keepDraft()
{
    try {
        m_files.keepDraft(m_editor.document());
    } catch (const std::exception& error) {
        tell(tr("The draft could not be kept. %1").arg(QString::fromUtf8(error.what())), true);
    }
}

void MainWindow::renameSession()
{
    bool ok = false;
    const QString name = QInputDialog::getText(this, tr("Rename the session"), tr("Name"), QLineEdit::Normal,
                                               QString::fromStdString(m_editor.document().name), &ok);
    if (ok && !name.trimmed().isEmpty())
        m_editor.change(tr("rename the session"),
                        [&](sessions::SessionDocument& d) { d.name = name.trimmed().toStdString(); });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) takeDrop(url.toLocalFile().toStdString());
}

void MainWindow::takeDrop(const std::filesystem::path& file)
{
    const QString name = QFileInfo(QString::fromStdString(file.string())).fileName();
    const auto useSource = [&](const char* type) {
        m_editor.change(tr("use %1").arg(name), [&](sessions::SessionDocument& d) {
            d.workload.source = {};
            d.workload.source.type = type;
            d.workload.source.path = file.string();
            if (d.workload.source.type == "trace")
                d.workload.arrivals = {.process = "trace"};
            else if (d.workload.arrivals.process == "trace")
                d.workload.arrivals = {}; // no times to replay
        });
        showPage(PageName::Compose);
    };
    switch (kindOfDrop(file)) {
    case DropKind::Session:
        if (mayLeave()) openSession(file);
        return;
    case DropKind::Requests:
        return useSource("file");
    case DropKind::DataSet:
        return useSource("dataset");
    case DropKind::Trace:
        return useSource("trace");
    case DropKind::ModelFolder:
        m_editor.change(tr("use the model %1").arg(name), [&](sessions::SessionDocument& d) {
            d.backend.type = sessions::BackendSpec::Type::Torch;
            d.backend.model = file.string();
        });
        showPage(PageName::Compose);
        return;
    case DropKind::Unknown:
        tell(tr("%1 is no session, request file, data set, trace or model folder.").arg(name), true);
    }
}

} // namespace batchscope::window
