// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/part_editor.h"

#include "widgets/compose/form.h"
#include "widgets/compose/param_field.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QScreen>
#include <QVBoxLayout>

namespace batchscope::widgets {

PartEditor::PartEditor(const Registry& registry, PartKind kind, PartSpec spec, QWidget* parent)
    : QFrame(parent, Qt::Popup | Qt::FramelessWindowHint), m_registry(registry), m_kind(kind),
      m_spec(std::move(spec)), m_parts(new QComboBox(this)), m_help(mutedLabel({}, this)),
      m_layout(new QVBoxLayout(this))
{
    setObjectName(QStringLiteral("popup"));
    setAttribute(Qt::WA_DeleteOnClose);
    const QString title = QString::fromStdString(partKindName(kind));
    setAccessibleName(tr("Edit the %1").arg(title));
    m_layout->setContentsMargins(k_gap_l, k_gap_l, k_gap_l, k_gap_l);
    m_layout->setSpacing(k_gap_m);
    m_layout->addWidget(strongLabel(title.left(1).toUpper() + title.mid(1), this));
    for (const PartDescriptor* part : registry.parts(kind))
        m_parts->addItem(QString::fromStdString(part->title), QString::fromStdString(part->type));
    m_parts->setAccessibleName(title);
    selectData(*m_parts, QString::fromStdString(m_spec.type));
    m_layout->addWidget(m_parts);
    m_help->setWordWrap(true);
    m_layout->addWidget(m_help);
    setMinimumWidth(340);
    setMaximumWidth(420);
    connect(m_parts, &QComboBox::currentIndexChanged, this, [this] {
        m_spec = {m_parts->currentData().toString().toStdString(), {}};
        build();
        Q_EMIT edited(m_spec, {});
    });
    build();
}

void PartEditor::build()
{
    if (m_form) {
        m_layout->removeWidget(m_form);
        m_form->hide();
        m_form->deleteLater();
        m_form = nullptr;
    }
    const PartDescriptor* part = m_registry.find(m_kind, m_spec.type);
    m_help->setText(part ? QString::fromStdString(part->help) : tr("This part is not known here."));
    if (part && !part->params.empty()) {
        m_form = new QWidget(this);
        auto* form = new Form(m_form);
        for (const ParamDescriptor& param : part->params) {
            const auto found = m_spec.params.find(param.name);
            const ParamValue value = found == m_spec.params.end() ? param.default_value : found->second;
            QWidget* field = makeParamField(
                param, value, [this, name = param.name](ParamValue now) { set(name, std::move(now)); },
                m_form);
            form->addField(QString::fromStdString(param.title), field, paramHelp(param));
        }
        m_layout->addWidget(m_form);
    }
    adjustSize();
}

void PartEditor::set(const std::string& name, ParamValue value)
{
    m_spec.params[name] = std::move(value);
    Q_EMIT edited(m_spec, QString::fromStdString(name));
}

void PartEditor::openUnder(QWidget* anchor)
{
    adjustSize();
    QPoint at = anchor->mapToGlobal(QPoint(0, anchor->height() + k_gap_s));
    if (const QScreen* screen = anchor->screen()) {
        const QRect area = screen->availableGeometry();
        at.setX(std::clamp(at.x(), area.left(), std::max(area.left(), area.right() - width())));
        if (at.y() + height() > area.bottom())
            at.setY(anchor->mapToGlobal(QPoint()).y() - height() - k_gap_s);
    }
    move(at);
    show();
    m_parts->setFocus();
}

} // namespace batchscope::widgets
