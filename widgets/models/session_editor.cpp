// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/session_editor.h"

#include <QUndoCommand>
#include <algorithm>

namespace batchscope::widgets {

using sessions::SessionDocument;

namespace {

bool sameContent(const SessionDocument& a, const SessionDocument& b)
{
    return a.name == b.name && a.notes == b.notes && a.repetitions == b.repetitions &&
           a.vary_seed == b.vary_seed && a.measure == b.measure && a.backend == b.backend && a.workload == b.workload && a.strategies == b.strategies;
}

} // namespace

class DocumentCommand : public QUndoCommand
{
public:
    DocumentCommand(SessionEditor& editor, const QString& what, SessionDocument after, QString merge)
        : QUndoCommand(what), m_editor(editor), m_before(editor.document()), m_after(std::move(after)),
          m_merge(std::move(merge))
    {}

    void undo() override { put(m_before); }
    void redo() override { put(m_after); }
    int id() const override { return m_merge.isEmpty() ? -1 : 1; }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* next = static_cast<const DocumentCommand*>(other);
        if (next->m_merge != m_merge) return false;
        m_after = next->m_after;
        setObsolete(sameContent(m_before, m_after));
        return true;
    }

private:
    void put(SessionDocument document) // the file is where the document lies, not what it says
    {
        document.file = m_editor.document().file;
        m_editor.apply(document);
    }

    SessionEditor& m_editor;
    SessionDocument m_before, m_after;
    QString m_merge;
};

SessionEditor::SessionEditor(QObject* parent) : QObject(parent)
{
    m_stack.setUndoLimit(200);
}

void SessionEditor::setDocument(SessionDocument document)
{
    m_stack.clear();
    m_document = std::move(document);
    m_stack.setClean();
    Q_EMIT documentChanged();
    Q_EMIT documentOpened();
}

void SessionEditor::apply(const SessionDocument& document)
{
    m_document = document;
    Q_EMIT documentChanged();
}

void SessionEditor::change(const QString& what, const std::function<void(SessionDocument&)>& edit,
                           const QString& merge)
{
    SessionDocument after = m_document;
    edit(after);
    if (sameContent(after, m_document)) return;
    m_stack.push(new DocumentCommand(*this, what, std::move(after), merge));
}

void SessionEditor::setSaved(const std::filesystem::path& file)
{
    m_document.file = file;
    m_stack.setClean();
    Q_EMIT documentChanged();
}

void SessionEditor::addStrategy(const Strategy& strategy)
{
    change(tr("add %1").arg(QString::fromStdString(strategy.name)), [&](SessionDocument& document) {
        Strategy added = strategy;
        added.name = freeStrategyName(document, strategy.name);
        document.strategies.push_back(std::move(added));
    });
}

void SessionEditor::duplicateStrategy(int index)
{
    change(tr("duplicate a strategy"), [&](SessionDocument& document) {
        Strategy copy = document.strategies.at(static_cast<std::size_t>(index));
        copy.name = freeStrategyName(document, copy.name);
        document.strategies.insert(document.strategies.begin() + index + 1, std::move(copy));
    });
}

void SessionEditor::removeStrategy(int index)
{
    change(tr("remove a strategy"), [&](SessionDocument& document) {
        document.strategies.erase(document.strategies.begin() + index);
    });
}

void SessionEditor::moveStrategy(int from, int to)
{
    const int last = static_cast<int>(m_document.strategies.size()) - 1;
    if (from == to || from < 0 || to < 0 || from > last || to > last) return;
    change(tr("move a strategy"), [&](SessionDocument& document) {
        const auto begin = document.strategies.begin();
        if (from < to)
            std::rotate(begin + from, begin + from + 1, begin + to + 1);
        else
            std::rotate(begin + to, begin + from, begin + from + 1);
    });
}

std::string freeStrategyName(const SessionDocument& document, const std::string& wanted)
{
    const auto taken = [&document](const std::string& name) {
        return std::any_of(document.strategies.begin(), document.strategies.end(),
                           [&name](const Strategy& strategy) { return strategy.name == name; });
    };
    std::string name = wanted.empty() ? "Strategy" : wanted;
    for (int n = 2; taken(name); ++n)
        name = wanted + ' ' + std::to_string(n);
    return name;
}

} // namespace batchscope::widgets
