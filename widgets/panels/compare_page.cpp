// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/compare_page.h"

#include "widgets/look/formats.h"
#include "widgets/look/identity.h"
#include "widgets/look/panel.h"
#include "widgets/look/theme.h"
#include "widgets/models/comparison_model.h"
#include "widgets/panels/delta_table.h"
#include "widgets/panels/legend.h"
#include "widgets/panels/published_panel.h"
#include "widgets/panels/reasons_panel.h"
#include "widgets/panels/run_list_panel.h"
#include "widgets/panels/verdict_card.h"
#include "widgets/plots/cdf_view.h"
#include "widgets/plots/padding_map_view.h"

#include <QDockWidget>
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

} // namespace

ComparePage::ComparePage(RunListModel& runs, QWidget* parent)
    : DockPage(QStringLiteral("comparePage"), parent), m_list(new RunListPanel(runs, this)),
      m_reasons(new ReasonsPanel(this)), m_published(new PublishedPanel(this)),
      m_model(new ComparisonModel(this)), m_table(new DeltaTable(*m_model, this)), m_cdf(new CdfView(this)),
      m_stack(new QStackedWidget(this)), m_hint(emptyHint({}, this)), m_verdict(new VerdictCard(this)),
      m_maps(new QWidget(this)), m_map_grid(new QGridLayout(m_maps))
{
    setAccessibleName(tr("Compare"));
    m_stack->addWidget(m_hint);
    m_stack->addWidget(buildCentre());
    setCentre(m_stack);
    QDockWidget* list = addPanel(m_list, QStringLiteral("runsDock"), Qt::LeftDockWidgetArea, 260);
    QDockWidget* reasons = addPanel(m_reasons, QStringLiteral("reasonsDock"), Qt::LeftDockWidgetArea, 260);
    placeBelow(list, 330, reasons);
    setCompared({});
}

QWidget* ComparePage::buildCentre()
{
    auto* centre = new QWidget(this);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(k_gap_m);
    column->addWidget(m_verdict);
    auto* splitter = new QSplitter(Qt::Vertical, centre);
    splitter->setHandleWidth(k_gap_m);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(buildTable(centre));
    m_published_frame = new Panel(m_published, centre);
    splitter->addWidget(m_published_frame);
    splitter->addWidget(buildCharts(centre));
    splitter->setStretchFactor(0, 5); // the figures; what was published is often a few rows
    splitter->setStretchFactor(1, 2);
    splitter->setStretchFactor(2, 2);
    column->addWidget(splitter, 1);
    return centre;
}

QWidget* ComparePage::buildTable(QWidget* centre)
{
    m_table_body = new PanelBody(tr("Against the baseline"), centre);
    auto* column = new QVBoxLayout(m_table_body);
    column->setContentsMargins(1, 0, 1, k_gap_s);
    column->setSpacing(0);
    column->addWidget(m_table, 1);
    auto* panel = new Panel(m_table_body, centre);
    QToolButton* copy = linkButton(tr("Copy table"), tr("Copy the table"), centre);
    QToolButton* report = linkButton(tr("Report…"), tr("Write a report of these runs"), centre);
    panel->head().addWidget(copy);
    panel->head().addWidget(report);
    connect(copy, &QToolButton::clicked, this, &ComparePage::copyAsked);
    connect(report, &QToolButton::clicked, this, &ComparePage::reportAsked);
    return panel;
}

QWidget* ComparePage::buildCharts(QWidget* centre)
{
    auto* charts = new QWidget(centre);
    auto* row = new QHBoxLayout(charts);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(k_gap_m);
    m_map_grid->setContentsMargins(0, 0, 0, 0);
    m_map_grid->setSpacing(k_gap_m);
    auto* maps_column = new QVBoxLayout;
    maps_column->setContentsMargins(0, 0, 0, 0);
    maps_column->setSpacing(k_gap_s);
    maps_column->addWidget(m_maps, 1);
    maps_column->addWidget(new Legend(charts));
    row->addLayout(maps_column, 5);
    auto* cdf_body = new PanelBody(tr("JCT"), charts);
    cdf_body->setNote(tr("share done by time"));
    auto* cdf_column = new QVBoxLayout(cdf_body);
    cdf_column->setContentsMargins(k_gap_s, k_gap_s, k_gap_s, k_gap_s);
    cdf_column->addWidget(m_cdf);
    row->addWidget(new Panel(cdf_body, charts), 2);
    m_charts = charts;
    return charts;
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
    m_published->setFigures(compared.published);
    m_published_frame->setVisible(!m_published->isEmpty()); // few sessions repeat anything
    if (m_compared.size() < 2) {
        m_hint->setText(
            tr("Tick two runs or more at the left. The first is the baseline; \"Baseline\" makes it another. "
               "Runs of one press of Run share their prompts and can be compared at once."));
        m_stack->setCurrentIndex(0);
        m_reasons->setComparison({}, {});
        m_cdf->setCurves({});
        return;
    }
    m_verdict->setComparison(m_model->comparison());
    m_reasons->setComparison(m_model->comparison(), orders);
    tellRepetitions();
    showMaps();
    std::vector<CdfCurve> curves;
    for (const auto& run : m_compared)
        curves.push_back(
            {run->record().order, QString::fromStdString(run->record().name), run->completionTimes()});
    m_cdf->setCurves(std::move(curves));
    m_stack->setCurrentIndex(1);
}

void ComparePage::tellRepetitions()
{
    const std::vector<std::int64_t>& n = m_model->compared().repetitions;
    const auto most = n.empty() ? 1 : *std::max_element(n.begin(), n.end());
    if (most < 2) return m_table_body->setNote(tr("point at a name for its formula"));
    m_table_body->setNote((most < k_fewest_for_interval ? tr("median of %1 repetitions ± half their range")
                                                        : tr("median of %1 repetitions [95 % interval]"))
                              .arg(most) +
                          (m_model->compared().varies_workload ? tr(", each of another seed") : QString()));
    m_table_body->setToolTip(QString::fromStdString(m_model->compared().note()));
}

void ComparePage::showMaps()
{
    std::int64_t steps = 1;
    for (const auto& run : m_compared)
        steps = std::max(steps, run->map().steps());
    const std::size_t shown = std::min(m_compared.size(), k_most_maps);
    const int columns = static_cast<int>(shown <= 4 ? shown : (shown + 1) / 2);
    m_charts->setMinimumHeight(shown <= 4 ? 176 : 272); // one row of maps, or two
    for (std::size_t i = 0; i < shown; ++i) {
        auto* panel = new Panel(new MapBody(*m_compared[i], steps, columns > 2, m_maps), m_maps);
        m_map_grid->addWidget(panel, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
}

} // namespace batchscope::widgets
