// SPDX-License-Identifier: GPL-3.0-or-later
// Session name, the four run buttons, and the chips that say what runs it.
#pragma once

#include <QFrame>

class QAction;
class QLabel;
class QToolButton;

namespace batchscope::widgets {
class Chip;
}

namespace batchscope::window {

class TopBar : public QFrame
{
    Q_OBJECT

public:
    TopBar(QAction* run, QAction* pause, QAction* step, QAction* stop, QWidget* parent = nullptr);
    void setSession(const QString& name, const QString& file, bool changed);
    void setModel(const QString& text);
    void setDevice(const QString& text);
    void setProvenance(const QString& text, bool measured);
    void setMemory(const QString& text);

private:
    QLabel *m_name, *m_file;
    widgets::Chip *m_model, *m_device, *m_provenance, *m_memory;
};

} // namespace batchscope::window
