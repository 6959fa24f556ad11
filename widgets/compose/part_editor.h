// SPDX-License-Identifier: GPL-3.0-or-later
// A pop-up that edits one part of a strategy, made from the registry: which part, and its typed parameters.
#pragma once

#include "scheduler/registry.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QVBoxLayout;

namespace batchscope::widgets {

class PartEditor : public QFrame
{
    Q_OBJECT

public:
    PartEditor(const Registry& registry, PartKind kind, PartSpec spec, QWidget* parent = nullptr);
    const PartSpec& spec() const { return m_spec; }
    void openUnder(QWidget* anchor);

Q_SIGNALS:
    // `parameter`: its name, empty when the part itself was changed.
    void edited(const batchscope::PartSpec& spec, const QString& parameter);

private:
    void build();
    void set(const std::string& name, ParamValue value);
    const Registry& m_registry;
    PartKind m_kind;
    PartSpec m_spec;
    QComboBox* m_parts;
    QLabel* m_help;
    QVBoxLayout* m_layout;
    QWidget* m_form = nullptr;
};

} // namespace batchscope::widgets
