// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/distribution_field.h"

#include "scheduler/error.h"
#include "widgets/compose/form.h"
#include "widgets/compose/wheel_guard.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QStringList>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace batchscope::widgets {
namespace {

using Kind = Distribution::Kind;

constexpr double k_most = 1e7;      // tokens or seconds
constexpr double k_least_cv = 0.01; // shape = 1 / cv^2 stays a number that can be read

QString kindTitle(Kind kind)
{
    switch (kind) {
    case Kind::Fixed:
        return DistributionField::tr("Always the same");
    case Kind::Uniform:
        return DistributionField::tr("Uniform");
    case Kind::Normal:
        return DistributionField::tr("Normal");
    case Kind::Lognormal:
        return DistributionField::tr("Lognormal");
    case Kind::Gamma:
        return DistributionField::tr("Gamma");
    case Kind::Zipf:
        return DistributionField::tr("Zipf");
    case Kind::Quantiles:
        return DistributionField::tr("By quantiles");
    }
    return {};
}

struct Parameter
{
    QString title;
    double least, most;
    int decimals;
    double (*get)(const Distribution&);
    void (*set)(Distribution&, double);
};

template <double Distribution::*Member>
Parameter parameter(const QString& title, double least, double most, int decimals)
{
    return {title,
            least,
            most,
            decimals,
            [](const Distribution& d) { return d.*Member; },
            [](Distribution& d, double value) { d.*Member = value; }};
}

// The ends push each other, so that the range is never turned round.
std::vector<Parameter> uniformParameters(int decimals)
{
    auto from = parameter<&Distribution::minimum>(DistributionField::tr("from"), 0, k_most, decimals);
    auto to = parameter<&Distribution::maximum>(DistributionField::tr("to"), 0, k_most, decimals);
    from.set = [](Distribution& d, double value) {
        d.minimum = value;
        d.maximum = std::max(d.maximum, value);
    };
    to.set = [](Distribution& d, double value) {
        d.maximum = value;
        d.minimum = std::min(d.minimum, value);
    };
    return {from, to};
}

std::vector<Parameter> gammaParameters(const Parameter& mean)
{
    const Parameter cv{DistributionField::tr("cv"),
                       k_least_cv,
                       100,
                       2,
                       [](const Distribution& d) { return 1 / std::sqrt(d.shape); },
                       [](Distribution& d, double value) { d.shape = 1 / (value * value); }};
    return {mean, cv, parameter<&Distribution::shape>(DistributionField::tr("shape"), 1e-4, 1e4, 4)};
}

std::vector<Parameter> parametersOf(Kind kind, int decimals)
{
    const auto tr = [](const char* text) { return DistributionField::tr(text); };
    const auto mean =
        parameter<&Distribution::mean>(tr("mean"), kind == Kind::Normal ? 0 : 0.01, k_most, decimals);
    switch (kind) {
    case Kind::Fixed:
        return {parameter<&Distribution::value>(tr("value"), 0, k_most, decimals)};
    case Kind::Uniform:
        return uniformParameters(decimals);
    case Kind::Normal:
        return {mean, parameter<&Distribution::sd>(tr("sd"), 0, k_most, decimals)};
    case Kind::Lognormal:
        return {mean, parameter<&Distribution::sigma>(tr("sigma"), 0, 10, 2)};
    case Kind::Gamma:
        return gammaParameters(mean);
    case Kind::Zipf:
        return {parameter<&Distribution::exponent>(tr("exponent"), 0, 20, 2),
                parameter<&Distribution::maximum>(tr("up to"), 1, 1e6, 0)};
    case Kind::Quantiles:
        break; // a text
    }
    return {};
}

} // namespace

Distribution typicalDistribution(Kind kind, double mean, int decimals)
{
    const double parts = std::pow(10, decimals);
    const auto times = [&](double factor) {
        return std::max(1.0, std::round(mean * factor * parts)) / parts;
    };
    Distribution made;
    made.kind = kind;
    switch (kind) { // no more than the kind has: what a session file says reads back equal
    case Kind::Fixed:
        made.value = times(1);
        break;
    case Kind::Uniform:
        made.minimum = times(0.5);
        made.maximum = times(1.5);
        break;
    case Kind::Normal:
        made.mean = times(1);
        made.sd = times(0.25);
        break;
    case Kind::Lognormal:
        made.mean = times(1);
        made.sigma = 0.8;
        break;
    case Kind::Gamma:
        made.mean = times(1);
        break;
    case Kind::Zipf:
        made.exponent = 1.2;
        made.maximum = times(8);
        break;
    case Kind::Quantiles:
        made.points = {{0, times(0.125)}, {0.5, times(0.5)}, {0.9, times(2)}, {1, times(4)}};
        break;
    }
    return made;
}

QString quantilePointsText(const Distribution& distribution)
{
    QStringList points;
    for (const auto& [share, value] : distribution.points)
        points << QStringLiteral("%1:%2").arg(share).arg(value);
    return points.join(QStringLiteral(", "));
}

std::optional<std::vector<std::pair<double, double>>> quantilePoints(const QString& text)
{
    std::vector<std::pair<double, double>> points;
    for (const QString& point : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QStringList both = point.split(QLatin1Char(':'));
        bool share_ok = false, value_ok = false;
        if (both.size() != 2) return std::nullopt;
        points.emplace_back(both[0].trimmed().toDouble(&share_ok), both[1].trimmed().toDouble(&value_ok));
        if (!share_ok || !value_ok) return std::nullopt;
    }
    return points.empty() ? std::nullopt : std::optional(points);
}

DistributionField::DistributionField(const QString& title, const QString& none, double typical, int decimals,
                                     QWidget* parent)
    : QWidget(parent), m_typical(typical), m_decimals(decimals), m_kind(new QComboBox(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(k_gap_s);
    column->addWidget(m_kind);
    m_kind->setAccessibleName(title);
    if (!none.isEmpty()) m_kind->addItem(none, QString());
    for (const Kind kind : distributionKinds())
        m_kind->addItem(kindTitle(kind), QString::fromStdString(distributionName(kind)));
    m_kind->installEventFilter(new WheelGuard(m_kind));
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setMinimumContentsLength(6);
    setFocusProxy(m_kind);
    if (none.isEmpty()) m_value = typicalDistribution(Kind::Fixed, typical, decimals);
    connect(m_kind, &QComboBox::activated, this, &DistributionField::chooseKind);
    showValue();
}

void DistributionField::setValue(const std::optional<Distribution>& value)
{
    if (!value && m_kind->findData(QString()) < 0) return; // there must be one
    m_value = value;
    showValue();
}

// Another kind keeps about the same mean.
void DistributionField::chooseKind()
{
    const QString name = m_kind->currentData().toString();
    double mean = m_typical;
    try {
        if (m_value) mean = Draws(*m_value, "the distribution").mean();
    } catch (const SchedulerError&) { // one that cannot be drawn from has no mean to keep
    }
    const std::optional<Distribution> before = m_value;
    m_value.reset();
    for (const Kind kind : distributionKinds())
        if (name == QString::fromStdString(distributionName(kind)))
            m_value = before && before->kind == kind ? *before : typicalDistribution(kind, mean, m_decimals);
    showValue();
    if (m_value != before) Q_EMIT edited(QString());
}

void DistributionField::showValue()
{
    selectData(*m_kind, m_value ? QString::fromStdString(distributionName(m_value->kind)) : QString());
    const std::optional<Kind> kind = m_value ? std::optional(m_value->kind) : std::nullopt;
    if (kind != m_built || (kind && !m_params)) build();
    if (!m_value) return;
    for (const Bound& bound : m_bound) {
        const QSignalBlocker quiet(bound.box);
        bound.box->setValue(bound.get(*m_value));
    }
    if (m_points && !m_points->hasFocus()) m_points->setText(quantilePointsText(*m_value));
}

void DistributionField::add(int place, const QString& title, double minimum, double maximum, int decimals,
                            double (*get)(const Distribution&), void (*set)(Distribution&, double))
{
    auto* grid = static_cast<QGridLayout*>(m_params->layout());
    QDoubleSpinBox* box = realBox(minimum, maximum, decimals, m_params);
    box->setMinimumWidth(64);
    box->setAccessibleName(title);
    box->installEventFilter(new WheelGuard(box));
    QLabel* text = mutedLabel(title, m_params);
    text->setBuddy(box);
    grid->addWidget(text, place / 2, place % 2 * 2);
    grid->addWidget(box, place / 2, place % 2 * 2 + 1);
    m_bound.push_back({box, get});
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, title, set](double value) {
        if (!m_value) return;
        set(*m_value, value);
        showValue();
        Q_EMIT edited(title);
    });
}

QLineEdit* DistributionField::pointsField()
{
    auto* line = new QLineEdit(m_params);
    line->setAccessibleName(tr("Quantiles"));
    line->setToolTip(tr("share:value pairs from share 0 to share 1, such as 0:5, 0.5:101, 1:512; what lies "
                        "between two is interpolated"));
    connect(line, &QLineEdit::editingFinished, this, [this, line] {
        const auto points = quantilePoints(line->text());
        setStyleFlag(line, "warn", !points);
        if (!points || !m_value || m_value->points == *points) return;
        m_value->points = *points;
        Q_EMIT edited(QString());
    });
    return line;
}

void DistributionField::build()
{
    if (m_params) {
        m_params->hide();
        m_params->deleteLater();
    }
    m_params = nullptr;
    m_points = nullptr;
    m_bound.clear();
    m_built = m_value ? std::optional(m_value->kind) : std::nullopt;
    if (!m_value) return;
    m_params = new QWidget(this);
    auto* grid = new QGridLayout(m_params);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(k_gap_s);
    grid->setVerticalSpacing(k_gap_s);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    int place = 0;
    for (const Parameter& p : parametersOf(m_value->kind, m_decimals))
        add(place++, p.title, p.least, p.most, p.decimals, p.get, p.set);
    if (m_value->kind == Kind::Quantiles) {
        m_points = pointsField();
        grid->addWidget(m_points, 0, 0, 1, 4);
    }
    layout()->addWidget(m_params);
    m_params->show();
}

} // namespace batchscope::widgets
