// SPDX-License-Identifier: GPL-3.0-or-later
// The session being composed: a document value under undo. Views follow documentChanged() and change it only
// here.
#pragma once

#include "sessions/session_document.h"

#include <QObject>
#include <QUndoStack>
#include <functional>

namespace batchscope::widgets {

class SessionEditor : public QObject
{
    Q_OBJECT

public:
    explicit SessionEditor(QObject* parent = nullptr);

    const sessions::SessionDocument& document() const { return m_document; }
    void setDocument(sessions::SessionDocument document); // opens another: the undo stack begins anew
    // `merge` names what is dragged (a spin box): following changes with the same name become one step of
    // undo.
    void change(const QString& what, const std::function<void(sessions::SessionDocument&)>& edit,
                const QString& merge = {});
    void setSaved(const std::filesystem::path& file); // the document now lies there, unchanged
    bool isChanged() const { return !m_stack.isClean(); }
    QUndoStack& undoStack() { return m_stack; }

    void addStrategy(const Strategy& strategy);
    void duplicateStrategy(int index);
    void removeStrategy(int index);
    void moveStrategy(int from, int to);

Q_SIGNALS:
    void documentChanged();
    void documentOpened(); // another document, after documentChanged()

private:
    friend class DocumentCommand;
    void apply(const sessions::SessionDocument& document);
    sessions::SessionDocument m_document;
    QUndoStack m_stack;
};

// A name that no strategy of the document has: "SJF", "SJF 2", ...
std::string freeStrategyName(const sessions::SessionDocument& document, const std::string& wanted);

} // namespace batchscope::widgets
