// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/stages_field.h"

#include "widgets/compose/form.h"
#include "widgets/compose/wheel_guard.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchscope::widgets {
namespace {

constexpr int k_columns = 3;
constexpr double k_steady = -1; // in the last column: the rate stays as it is

} // namespace

StagesField::StagesField(QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(k_gap_s);
    QToolButton* add = linkButton(tr("+ Add stage"), tr("Add a stage of arrivals"), this);
    column->addWidget(add, 0, Qt::AlignLeft);
    connect(add, &QToolButton::clicked, this, [this] {
        const RateStage last = m_stages.empty() ? RateStage{60, 2} : m_stages.back();
        m_stages.push_back({last.duration_s, last.to_rate.value_or(last.rate)});
        showStages();
        Q_EMIT edited(-1);
    });
}

void StagesField::setStages(const std::vector<RateStage>& stages)
{
    m_stages = stages;
    showStages();
}

void StagesField::showStages()
{
    if (m_boxes.size() != m_stages.size() * k_columns || !m_rows) build();
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        const RateStage& stage = m_stages[i];
        const double values[k_columns] = {stage.duration_s, stage.rate, stage.to_rate.value_or(k_steady)};
        for (std::size_t c = 0; c < k_columns; ++c) {
            QDoubleSpinBox* box = m_boxes[i * k_columns + c];
            const QSignalBlocker quiet(box);
            box->setValue(values[c]);
        }
    }
}

void StagesField::addBox(int stage, int column, double least, double most, void (*set)(RateStage&, double))
{
    static const char* const k_names[k_columns] = {QT_TR_NOOP("Seconds of stage %1"),
                                                   QT_TR_NOOP("Rate of stage %1"),
                                                   QT_TR_NOOP("Rate at the end of stage %1")};
    QDoubleSpinBox* box = realBox(least, most, 2, m_rows);
    box->setAccessibleName(tr(k_names[column]).arg(stage + 1));
    box->setMinimumWidth(64);
    box->installEventFilter(new WheelGuard(box));
    if (column == k_columns - 1) box->setSpecialValueText(tr("steady"));
    static_cast<QGridLayout*>(m_rows->layout())->addWidget(box, stage + 1, column);
    m_boxes.push_back(box);
    const int number = stage * k_columns + column;
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, stage, set, number](double value) {
        set(m_stages[static_cast<std::size_t>(stage)], value);
        Q_EMIT edited(number);
    });
}

void StagesField::build()
{
    if (m_rows) {
        m_rows->hide();
        m_rows->deleteLater();
    }
    m_boxes.clear();
    m_rows = new QWidget(this);
    auto* grid = new QGridLayout(m_rows);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(k_gap_s);
    grid->setVerticalSpacing(k_gap_s);
    int column = 0;
    for (const QString& title : {tr("for s"), tr("rate /s"), tr("ends at /s")}) {
        grid->addWidget(mutedLabel(title, m_rows), 0, column);
        grid->setColumnStretch(column++, 1);
    }
    for (int stage = 0; stage < static_cast<int>(m_stages.size()); ++stage) {
        addBox(stage, 0, 0.01, 1e7, [](RateStage& s, double value) { s.duration_s = value; });
        addBox(stage, 1, 0, 1e6, [](RateStage& s, double value) { s.rate = value; });
        addBox(stage, 2, k_steady, 1e6, [](RateStage& s, double value) {
            s.to_rate = value < 0 ? std::nullopt : std::optional(value);
        });
        QToolButton* remove = linkButton(QStringLiteral("×"), tr("Remove stage %1").arg(stage + 1), m_rows);
        remove->setEnabled(m_stages.size() > 1);
        grid->addWidget(remove, stage + 1, k_columns);
        connect(remove, &QToolButton::clicked, this, [this, stage] {
            m_stages.erase(m_stages.begin() + stage);
            showStages();
            Q_EMIT edited(-1);
        });
    }
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, m_rows);
    m_rows->show();
}

} // namespace batchscope::widgets
