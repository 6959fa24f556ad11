// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/arrivals_form.h"

#include "widgets/compose/distribution_field.h"
#include "widgets/compose/stages_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <limits>

namespace batchscope::widgets {

using sessions::WorkloadSpec;

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_usual_rate = 4;

QString processTitle(const std::string& process)
{
    static const std::vector<std::pair<const char*, const char*>> k_titles{
        {"all-at-once", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "All at once")},
        {"even", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Even")},
        {"poisson", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Poisson")},
        {"gamma", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Gamma: bursts")},
        {"uniform", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Uniform gaps")},
        {"stages", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Stages")},
        {"trace", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "As recorded")},
        {"closed-loop", QT_TRANSLATE_NOOP("batchscope::widgets::ArrivalsForm", "Closed loop")}};
    for (const auto& [name, title] : k_titles)
        if (process == name) return ArrivalsForm::tr(title);
    return QString::fromStdString(process);
}

bool takesRate(const ArrivalSpec& spec)
{
    return needsRate(spec.process) || (spec.process == "uniform" && !spec.min_gap_s);
}

bool canBeExact(const ArrivalSpec& spec)
{
    return takesRate(spec) && spec.process != "even";
}

bool hasTimes(const sessions::SourceSpec& source)
{
    return source.type == "trace" || source.type == "file";
}

bool hasTurns(const WorkloadSpec& w)
{
    return w.source.type == "dataset" && w.source.turns == "all";
}

} // namespace

ArrivalSpec arrivalsOf(const std::string& process, const ArrivalSpec& before)
{
    ArrivalSpec made;
    made.process = process;
    made.think_s = before.think_s;
    if (needsRate(process) || process == "uniform") made.rate = before.rate.value_or(k_usual_rate);
    made.exact_mean_rate = before.exact_mean_rate && canBeExact(made);
    if (process == "gamma") {
        made.cv = before.cv;
        made.shape = before.shape;
        if (!made.cv && !made.shape) made.cv = 2;
    }
    if (process == "stages") {
        made.stages = before.stages;
        const double rate = before.rate.value_or(k_usual_rate);
        if (made.stages.empty()) made.stages = {{30, rate, {}}, {30, rate, 3 * rate}};
    }
    if (process == "closed-loop") made.clients = std::max(before.clients, 8);
    return made;
}

ArrivalsForm::ArrivalsForm(SessionEditor& editor, QWidget* parent)
    : WorkloadForm(editor, parent), m_process(new QComboBox(this)), m_gaps(new QComboBox(this)),
      m_rate(realBox(0.001, 1e6, 3, this)), m_cv(realBox(0, 1000, 3, this)),
      m_shape(realBox(0, 1e6, 4, this)), m_from(realBox(0, 1e6, 3, this)), m_to(realBox(0, 1e6, 3, this)),
      m_exact(new QCheckBox(tr("Hit the rate exactly"), this)), m_even(new QCheckBox(tr("Even gaps"), this)),
      m_clients(spinBox(1, 1'000'000, this)), m_stages(new StagesField(this)),
      m_think(new DistributionField(tr("Think time"), tr("None"), 1, 2, this))
{
    addFields();
    bindFields();
    bindBurstiness();
    bindGaps();
    followEditor();
}

void ArrivalsForm::addFields()
{
    for (const std::string& process : arrivalProcesses())
        m_process->addItem(processTitle(process), QString::fromStdString(process));
    form().addField(tr("Arrivals"), m_process, tr("When requests reach the server"));
    m_gaps->addItem(tr("By the rate"), QStringLiteral("rate"));
    m_gaps->addItem(tr("Between two bounds"), QStringLiteral("bounds"));
    form().addField(tr("Gaps"), m_gaps, tr("By the rate: from 0 to twice the mean gap"));
    form().addField(tr("Rate"), m_rate, tr("Requests a second"));
    m_rate->setSuffix(tr(" /s"));
    m_cv->setSpecialValueText(tr("0 (even)"));
    m_shape->setSpecialValueText(QStringLiteral("∞"));
    form().addField(tr("Burstiness: cv"), m_cv,
                    tr("The gaps' standard deviation over their mean: 1 is Poisson, 2 comes in bursts"));
    form().addBeside(tr("shape"), m_shape,
                     tr("Of the gamma distribution, 1 / cv²; load generators call it burstiness"));
    form().addField(tr("Gap from"), m_from, tr("Seconds between two requests, at least"));
    form().addBeside(tr("to"), m_to, tr("Seconds between two requests, at most"));
    m_from->setSuffix(tr(" s"));
    m_to->setSuffix(tr(" s"));
    form().addField({}, m_exact,
                    tr("Stretch the drawn gaps so that the last of n requests arrives (n - 1) / rate after "
                       "the first"));
    form().addWide(m_stages);
    form().addField({}, m_even, tr("Spaced by the rate of the moment instead of drawn around it"));
    form().addField(tr("Clients"), m_clients,
                    tr("Each asks, waits for the answer, thinks and asks again: never more requests in "
                       "flight than clients"));
    form().addField(tr("Think time"), m_think, tr("Seconds from an answer to the next question"));
    m_exact->setAccessibleName(m_exact->text());
    m_even->setAccessibleName(m_even->text());
    m_stages->setAccessibleName(tr("Stages"));
}

void ArrivalsForm::bindFields()
{
    bind(m_process, tr("change the arrivals"), [](WorkloadSpec& w, const std::string& process) {
        if (process != w.arrivals.process) w.arrivals = arrivalsOf(process, w.arrivals);
    });
    bind(m_rate, tr("change the rate"), QStringLiteral("rate"),
         [](WorkloadSpec& w, double rate) { w.arrivals.rate = rate; });
    bind(m_clients, tr("change the number of clients"), QStringLiteral("loop clients"),
         [](WorkloadSpec& w, int clients) { w.arrivals.clients = clients; });
    connect(m_exact, &QCheckBox::toggled, this, [this](bool on) {
        edit(tr("change how exact the rate is"), {},
             [on](WorkloadSpec& w) { w.arrivals.exact_mean_rate = on; });
    });
    connect(m_even, &QCheckBox::toggled, this, [this](bool on) {
        edit(tr("change the gaps"), {}, [on](WorkloadSpec& w) { w.arrivals.even_gaps = on; });
    });
    connect(m_stages, &StagesField::edited, this, [this](int number) {
        edit(tr("change the stages"), number < 0 ? QString() : QStringLiteral("stages.%1").arg(number),
             [this](WorkloadSpec& w) { w.arrivals.stages = m_stages->stages(); });
    });
    connect(m_think, &DistributionField::edited, this, [this](const QString& of) {
        edit(tr("change the think time"), of.isEmpty() ? QString() : QStringLiteral("think.") + of,
             [this](WorkloadSpec& w) { w.arrivals.think_s = m_think->value(); });
    });
}

// Two names of one number: what is typed is kept as it is, the other follows.
void ArrivalsForm::bindBurstiness()
{
    bind(m_cv, tr("change the burstiness"), QStringLiteral("cv"), [](WorkloadSpec& w, double cv) {
        w.arrivals.cv = cv > 0 ? std::optional(cv) : std::nullopt;
        w.arrivals.shape = cv > 0 ? std::nullopt : std::optional(k_infinity);
    });
    bind(m_shape, tr("change the burstiness"), QStringLiteral("shape"), [](WorkloadSpec& w, double shape) {
        w.arrivals.cv.reset();
        w.arrivals.shape = shape > 0 ? shape : k_infinity;
    });
}

void ArrivalsForm::bindGaps()
{
    bind(m_gaps, tr("change the gaps"), [](WorkloadSpec& w, const std::string& by) {
        const double mean_gap = 1 / w.arrivals.rate.value_or(k_usual_rate);
        const bool bounds = by == "bounds";
        if (bounds == w.arrivals.min_gap_s.has_value()) return;
        w.arrivals.min_gap_s = bounds ? std::optional(mean_gap / 2) : std::nullopt;
        w.arrivals.max_gap_s = bounds ? std::optional(mean_gap * 3 / 2) : std::nullopt;
        w.arrivals.rate = bounds ? std::nullopt : std::optional(w.arrivals.rate.value_or(k_usual_rate));
        w.arrivals.exact_mean_rate = w.arrivals.exact_mean_rate && !bounds;
    });
    bind(m_from, tr("change the gaps"), QStringLiteral("gap from"), [](WorkloadSpec& w, double from) {
        w.arrivals.min_gap_s = from;
        w.arrivals.max_gap_s = std::max(w.arrivals.max_gap_s.value_or(from), from);
    });
    bind(m_to, tr("change the gaps"), QStringLiteral("gap to"), [](WorkloadSpec& w, double to) {
        w.arrivals.max_gap_s = to;
        w.arrivals.min_gap_s = std::min(w.arrivals.min_gap_s.value_or(0), to);
    });
}

void ArrivalsForm::follow(const WorkloadSpec& w)
{
    const QSignalBlocker quiet[] = {QSignalBlocker(m_rate), QSignalBlocker(m_cv),     QSignalBlocker(m_shape),
                                    QSignalBlocker(m_from), QSignalBlocker(m_to),     QSignalBlocker(m_exact),
                                    QSignalBlocker(m_even), QSignalBlocker(m_clients)};
    const ArrivalSpec& a = w.arrivals;
    selectData(*m_process, QString::fromStdString(a.process));
    selectData(*m_gaps, a.min_gap_s ? QStringLiteral("bounds") : QStringLiteral("rate"));
    m_rate->setValue(a.rate.value_or(k_usual_rate));
    const double shape = a.shape ? *a.shape : a.cv ? 1 / (*a.cv * *a.cv) : 1;
    m_cv->setValue(std::isinf(shape) ? 0 : a.cv.value_or(1 / std::sqrt(shape)));
    m_shape->setValue(std::isinf(shape) ? 0 : shape);
    m_from->setValue(a.min_gap_s.value_or(0));
    m_to->setValue(a.max_gap_s.value_or(0));
    m_exact->setChecked(a.exact_mean_rate);
    m_even->setChecked(a.even_gaps);
    m_clients->setValue(std::max(1, a.clients));
    m_stages->setStages(a.stages);
    m_think->setValue(a.think_s);
    followFields(w);
}

void ArrivalsForm::followFields(const WorkloadSpec& w)
{
    const ArrivalSpec& a = w.arrivals;
    const bool gamma = a.process == "gamma", uniform = a.process == "uniform", staged = a.process == "stages";
    const bool closed = a.process == "closed-loop";
    form().setFieldVisible(m_gaps, uniform);
    form().setFieldVisible(m_rate, takesRate(a));
    form().setFieldVisible(m_cv, gamma);
    form().setFieldVisible(m_shape, gamma);
    form().setFieldVisible(m_from, uniform && a.min_gap_s);
    form().setFieldVisible(m_to, uniform && a.min_gap_s);
    form().setFieldVisible(m_exact, canBeExact(a));
    m_stages->setVisible(staged);
    form().setFieldVisible(m_even, staged);
    form().setFieldVisible(m_clients, closed);
    form().setFieldVisible(m_think, closed || hasTurns(w));
    // Recorded times can be replayed where the source has some.
    const int recorded = m_process->findData(QStringLiteral("trace"));
    const bool can = hasTimes(w.source) || a.process == "trace";
    m_process->setItemData(recorded, can ? QVariant() : QVariant(0), Qt::UserRole - 1); // enabled or not
}

} // namespace batchscope::widgets
