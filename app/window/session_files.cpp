// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session_files.h"

#include "engine/checkpoint/regular_file.h"
#include "engine/data/import.h"
#include "engine/error.h"

#include <QSettings>
#include <cstdio>
#include <system_error>

namespace batchscope::window {
namespace {

namespace fs = std::filesystem;
constexpr int k_most_recent = 10;

const QString& recentKey()
{
    static const QString key = QStringLiteral("sessions/recent");
    return key;
}

// Within its first kilobytes; what is no regular file throws EngineError instead of keeping us waiting.
bool namesSessionSchema(const fs::path& file)
{
    std::string head(4096, '\0');
    const engine::ReadableFile opened = engine::openRegularFile(file);
    head.resize(std::fread(head.data(), 1, head.size(), opened.get()));
    return head.find("\"batchscope.session/") != std::string::npos;
}

} // namespace

SessionFiles::SessionFiles(fs::path data_dir) : m_data_dir(std::move(data_dir)) {}

void SessionFiles::keepDraft(sessions::SessionDocument document) const
{
    std::error_code error;
    fs::create_directories(m_data_dir, error); // a failure shows when the file is written
    auto& path = document.workload.source.path;
    if (!path.empty()) path = document.resolvePath(path).string();
    auto& model = document.backend.model;
    if (!model.empty() && model != "demo") model = document.resolvePath(model).string();
    sessions::writeSession(document, draftFile());
}

void SessionFiles::dropDraft() const
{
    std::error_code error;
    fs::remove(draftFile(), error); // absent already: just as well
}

bool SessionFiles::hasDraft() const
{
    std::error_code error;
    return fs::is_regular_file(draftFile(), error);
}

QStringList SessionFiles::recent()
{
    return QSettings().value(recentKey()).toStringList();
}

void SessionFiles::remember(const fs::path& file)
{
    QStringList files = recent();
    const QString name = QString::fromStdString(fs::absolute(file).string());
    files.removeAll(name);
    files.prepend(name);
    QSettings().setValue(recentKey(), QStringList(files.mid(0, k_most_recent)));
}

// A session is small; a data set may be larger than memory, so that no more than its beginning is read.
DropKind kindOfDrop(const fs::path& file)
{
    std::error_code error;
    if (fs::is_directory(file, error))
        return fs::exists(file / "config.json", error) ? DropKind::ModelFolder : DropKind::Unknown;
    try {
        if (namesSessionSchema(file)) return DropKind::Session;
        const auto report = engine::importRows(file, {}, [](engine::SourceRow&&) { return false; });
        if (report.format == "requests") return DropKind::Requests;
        return report.time_unit.empty() ? DropKind::DataSet : DropKind::Trace;
    } catch (const engine::EngineError&) {
        return DropKind::Unknown;
    }
}

} // namespace batchscope::window
