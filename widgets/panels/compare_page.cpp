// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/compare_page.h"

#include "widgets/look/elided_label.h"
#include "widgets/look/formats.h"
#include "widgets/look/identity.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/delta_table.h"
#include "widgets/panels/legend.h"
#include "widgets/panels/run_list_panel.h"
#include "widgets/plots/cdf_view.h"
#include "widgets/plots/padding_map_view.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr std::size_t k_most_maps = 6;

class MapBody : public PanelBody // a run's small padding map under its name
{
public:
    MapBody(const RunData& run, std::int64_t steps, bool narrow, QWidget* parent)
        : PanelBody(QString::fromStdString(run.record().name), parent)
    {
        setIdentity(run.record().order);
        const auto s = shares(run.map());
        const QString useful = percent(s ? std::optional(s->useful) : std::nullopt);
        setNote(narrow ? useful : ComparePage::tr("%1 useful").arg(useful));
        setToolTip(ComparePage::tr("%1 of the slot-steps were useful").arg(useful));
        auto* view = new PaddingMapView(this);
        view->setCompact(true);
        view->setMap(&run.map(), true);
        view->setSharedSteps(steps);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(k_gap_s, k_gap_s, k_gap_s, k_gap_s);
        layout->addWidget(view);
    }
};

QToolButton* tableLink(const QString& text, const QString& help, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QStringLiteral("link"));
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    return button;
}

} // namespace

Comparability comparabilityOf(const sessions::Comparison& comparison)
{
    Comparability result;
    QStringList lines;
    for (std::size_t i = 1; i < comparison.names.size(); ++i) {
        const QString name = QString::fromStdString(comparison.names[i]);
        QStringList parts;
        if (i < comparison.differences.size())
            for (const Difference& d : comparison.differences[i])
                parts << ComparePage::tr("%1: %2 against %3")
                             .arg(QString::fromStdString(d.what), QString::fromStdString(d.other),
                                  QString::fromStdString(d.baseline));
        if (!parts.isEmpty()) lines << name + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
    }
    result.same = lines.isEmpty();
    if (!result.same) {
        result.details = lines.join(QStringLiteral(" · "));
        return result;
    }
    QStringList facts{ComparePage::tr("same workload, lengths, sampling, model, device, delivery")};
    double least = 1.0;
    bool known = false;
    for (std::size_t i = 1; i < comparison.output_agreement.size(); ++i)
        if (comparison.output_agreement[i]) {
            least = std::min(least, *comparison.output_agreement[i]);
            known = true;
        }
    if (known) facts << ComparePage::tr("identical outputs: %1").arg(percent(least, least < 1 ? 1 : 0));
    if (!comparison.facts.empty())
        facts
            << ComparePage::tr("%1 useful tokens").arg(count(comparison.facts.front().useful_output_tokens));
    result.details = facts.join(QStringLiteral(" · "));
    return result;
}

ComparePage::ComparePage(RunListModel& runs, QWidget* parent)
    : DockPage(QStringLiteral("comparePage"), parent), m_list(new RunListPanel(runs, this)),
      m_model(new ComparisonModel(this)), m_table(new DeltaTable(*m_model, this)), m_cdf(new CdfView(this)),
      m_stack(new QStackedWidget(this)), m_hint(emptyHint({}, this)), m_verdict(new QLabel(this)),
      m_differences(new ElidedLabel(this)), m_why(mutedLabel({}, this)), m_maps(new QWidget(this)),
      m_map_grid(new QGridLayout(m_maps))
{
    setAccessibleName(tr("Compare"));
    m_stack->addWidget(m_hint);
    m_stack->addWidget(buildCentre());
    setCentre(m_stack);
    addPanel(m_list, QStringLiteral("runsDock"), Qt::LeftDockWidgetArea, 248);
    setCompared({});
}

QWidget* ComparePage::buildCentre()
{
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(k_gap_m);
    auto* line = new QFrame(centre);
    line->setObjectName(QStringLiteral("card"));
    auto* line_row = new QHBoxLayout(line);
    line_row->setContentsMargins(k_gap_l, 6, k_gap_l, 6);
    line_row->addWidget(m_verdict);
    line_row->addWidget(m_differences, 1);
    setStyleFlag(m_differences, "muted", true);
    column->addWidget(line);
    m_table_body = new PanelBody(tr("Against the baseline"), centre);
    m_table_body->setNote(tr("point at a name for its formula"));
    auto* table_column = new QVBoxLayout(m_table_body);
    table_column->setContentsMargins(1, 0, 1, k_gap_s);
    table_column->setSpacing(0);
    table_column->addWidget(m_table, 1);
    m_why->setWordWrap(true);
    m_why->setTextFormat(Qt::PlainText);
    m_why->setMargin(k_gap_m);
    m_why->setTextInteractionFlags(Qt::TextSelectableByMouse);
    table_column->addWidget(m_why);
    auto* table_panel = new Panel(m_table_body, centre);
    QToolButton* copy = tableLink(tr("Copy table"), tr("Copy the table"), centre);
    QToolButton* report = tableLink(tr("Report…"), tr("Write a report of these runs"), centre);
    table_panel->head().addWidget(copy);
    table_panel->head().addWidget(report);
    connect(copy, &QToolButton::clicked, this, &ComparePage::copyAsked);
    connect(report, &QToolButton::clicked, this, &ComparePage::reportAsked);
    auto* charts = new QWidget(centre);
    auto* charts_row = new QHBoxLayout(charts);
    charts_row->setContentsMargins(0, 0, 0, 0);
    charts_row->setSpacing(k_gap_m);
    m_map_grid->setContentsMargins(0, 0, 0, 0);
    m_map_grid->setSpacing(k_gap_m);
    auto* maps_column = new QVBoxLayout;
    maps_column->setContentsMargins(0, 0, 0, 0);
    maps_column->setSpacing(k_gap_s);
    maps_column->addWidget(m_maps, 1);
    maps_column->addWidget(new Legend(charts));
    charts_row->addLayout(maps_column, 5);
    auto* cdf_body = new PanelBody(tr("JCT"), charts);
    cdf_body->setNote(tr("share done by time"));
    auto* cdf_column = new QVBoxLayout(cdf_body);
    cdf_column->setContentsMargins(k_gap_s, k_gap_s, k_gap_s, k_gap_s);
    cdf_column->addWidget(m_cdf);
    charts_row->addWidget(new Panel(cdf_body, charts), 2);
    auto* splitter = new QSplitter(Qt::Vertical, centre);
    splitter->setHandleWidth(k_gap_m);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(table_panel);
    splitter->addWidget(charts);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    charts->setMinimumHeight(196);
    column->addWidget(splitter, 1);
    return centre;
}

void ComparePage::setBusy(const QString& text)
{
    if (text.isEmpty()) return;
    m_hint->setText(text);
    m_stack->setCurrentIndex(0);
}

void ComparePage::setCompared(ComparedRuns compared)
{
    while (QLayoutItem* item = m_map_grid->takeAt(0)) { // maps first: they look into the runs
        delete item->widget();
        delete item;
    }
    m_compared = std::move(compared.runs);
    std::vector<int> orders;
    for (const auto& run : m_compared)
        orders.push_back(run->record().order);
    m_model->setComparison(std::move(compared.comparison), orders);
    if (m_compared.size() < 2) {
        m_hint->setText(
            tr("Tick two runs or more at the left. The first is the baseline; \"Baseline\" makes it another. "
               "Runs of one press of Run share their prompts and can be compared at once."));
        m_stack->setCurrentIndex(0);
        m_cdf->setCurves({});
        return;
    }
    tellComparability();
    m_why->setText(QString::fromStdString(m_model->comparison().why));
    m_why->setVisible(!m_why->text().isEmpty());
    showMaps();
    std::vector<CdfCurve> curves;
    for (const auto& run : m_compared)
        curves.push_back(
            {run->record().order, QString::fromStdString(run->record().name), run->completionTimes()});
    m_cdf->setCurves(std::move(curves));
    m_stack->setCurrentIndex(1);
}

void ComparePage::tellComparability()
{
    const Comparability c = comparabilityOf(m_model->comparison());
    m_verdict->setText(c.same ? tr("✓ Comparable") : tr("! Differs"));
    setStyleFlag(m_verdict, "good", c.same);
    setStyleFlag(m_verdict, "warn", !c.same);
    m_differences->setText(c.details);
    m_differences->setToolTip(c.details);
}

QString ComparePage::comparability() const
{
    return m_verdict->text() + QLatin1Char(' ') + m_differences->text();
}

QString ComparePage::why() const
{
    return m_why->text();
}

void ComparePage::showMaps()
{
    std::int64_t steps = 1;
    for (const auto& run : m_compared)
        steps = std::max(steps, run->map().steps());
    const std::size_t shown = std::min(m_compared.size(), k_most_maps);
    const int columns = static_cast<int>(shown <= 4 ? shown : (shown + 1) / 2);
    m_maps->setMinimumHeight(shown <= 4 ? 0 : 300); // two rows want room
    for (std::size_t i = 0; i < shown; ++i) {
        auto* panel = new Panel(new MapBody(*m_compared[i], steps, columns > 2, m_maps), m_maps);
        m_map_grid->addWidget(panel, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
}

} // namespace batchscope::widgets
