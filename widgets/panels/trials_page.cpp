// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/trials_page.h"

#include "widgets/compose/form.h"
#include "widgets/look/formats.h"
#include "widgets/look/identity.h"
#include "widgets/look/panel.h"
#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"
#include "widgets/plots/frontier_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace batchscope::widgets {
namespace {

struct TrialColumn // of the table
{
    enum { Name, Rate, Latency, Memory, Frontier, Mark, Count };
};
constexpr int k_trial_role = Qt::UserRole + 1; // of a row: its trial
constexpr int k_sort_role = Qt::UserRole + 2;

QStandardItem* numberItem(const QString& text, double value)
{
    auto* item = new QStandardItem(text);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    item->setData(value, k_sort_role);
    item->setEditable(false);
    return item;
}

QStandardItem* textItem(const QString& text)
{
    auto* item = new QStandardItem(text);
    item->setData(text, k_sort_role);
    item->setToolTip(text);
    item->setEditable(false);
    return item;
}

} // namespace

TrialsPage::TrialsPage(QWidget* parent)
    : QWidget(parent), m_title(strongLabel({}, this)), m_plan(mutedLabel({}, this)),
      m_words(readableLabel(this)), m_hint(emptyHint({}, this)), m_form(nullptr),
      m_parameter(new QComboBox(this)), m_values(new QLineEdit(this)), m_repetitions(spinBox(1, 1000, this)),
      m_progress(new QProgressBar(this)), m_start(new QPushButton(tr("Start"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)), m_use(new QPushButton(tr("Use this strategy"), this)),
      m_stack(new QStackedWidget(this)), m_plot(new FrontierView(this)), m_table(new QTableView(this)),
      m_model(new QStandardItemModel(0, TrialColumn::Count, this))
{
    setObjectName(QStringLiteral("trialsPage"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(k_gap_m, k_gap_m, k_gap_m, k_gap_m);
    column->setSpacing(k_gap_m);
    column->addWidget(buildHead());
    m_form = buildForm();
    column->addWidget(m_form);
    m_stack->addWidget(m_hint);
    m_stack->addWidget(buildBody());
    column->addWidget(m_stack, 1);
    follow();
}

QWidget* TrialsPage::buildHead()
{
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(k_gap_s, 0, k_gap_s, 0);
    row->setSpacing(k_gap_l);
    QToolButton* back = linkButton(tr("Back to Compose"), tr("Leave this page; what it shows is kept"), head);
    connect(back, &QToolButton::clicked, this, &TrialsPage::leaveAsked);
    m_progress->setFixedWidth(200);
    m_progress->setAccessibleName(tr("Runs made"));
    m_start->setDefault(true);
    connect(m_start, &QPushButton::clicked, this, &TrialsPage::startAsked);
    connect(m_cancel, &QPushButton::clicked, this, &TrialsPage::cancelAsked);
    m_plan->setTextFormat(Qt::PlainText);
    m_plan->setWordWrap(true);
    row->addWidget(m_title);
    row->addWidget(m_plan, 1);
    row->addWidget(m_progress);
    row->addWidget(m_start);
    row->addWidget(m_cancel);
    row->addWidget(back);
    return head;
}

QWidget* TrialsPage::buildForm()
{
    auto* form = new QWidget(this);
    auto* row = new QHBoxLayout(form);
    row->setContentsMargins(k_gap_s, 0, k_gap_s, 0);
    row->setSpacing(k_gap_m);
    const auto add = [&](const QString& title, QWidget* field, const QString& help, int stretch) {
        QLabel* label = mutedLabel(title, form);
        label->setBuddy(field);
        field->setToolTip(help);
        field->setAccessibleName(title);
        row->addWidget(label);
        row->addWidget(field, stretch);
    };
    add(tr("Vary"), m_parameter, tr("The parameter that takes each of the values"), 2);
    add(tr("over"), m_values, tr("Values with commas between, 4,8,16, or from:to:step, 0.5:4:0.5"), 3);
    add(tr("Repeat"), m_repetitions, tr("Runs of each value, each on a workload of another seed"), 0);
    row->addStretch(1);
    connect(m_parameter, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index < 0 || index >= static_cast<int>(m_parameters.size())) return;
        m_values->setText(m_parameters[static_cast<std::size_t>(index)].values);
        Q_EMIT planAsked();
    });
    connect(m_values, &QLineEdit::textEdited, this, &TrialsPage::planAsked);
    connect(m_repetitions, &QSpinBox::valueChanged, this, &TrialsPage::planAsked);
    return form;
}

QWidget* TrialsPage::buildBody()
{
    auto* plot_body = new PanelBody(tr("Throughput against latency"), this);
    plot_body->setNote(tr("filled: nothing beats it · larger: more KV memory"));
    auto* plot_column = new QVBoxLayout(plot_body);
    plot_column->setContentsMargins(k_gap_s, k_gap_s, k_gap_s, k_gap_s);
    plot_column->addWidget(m_plot);
    connect(m_plot, &FrontierView::picked, this, &TrialsPage::choose);

    auto* words_body = new PanelBody(tr("What that means"), this);
    QVBoxLayout* words_column = makeScrollColumn(*words_body, ColumnOf::Texts);
    words_column->setContentsMargins(k_gap_l, k_gap_m, k_gap_m, k_gap_m);
    words_column->addWidget(m_words);
    words_column->addStretch(1);

    m_model->setSortRole(k_sort_role);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Every run's figures"));
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setSortingEnabled(true);
    // Room for the arrow beside a title that stands at the right.
    m_table->horizontalHeader()->setStyleSheet(
        QStringLiteral("QHeaderView::section { padding-right: 18px; }"));
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    auto* table_body = new PanelBody(tr("All of them"), this);
    auto* table_column = new QVBoxLayout(table_body);
    table_column->setContentsMargins(1, 0, 1, k_gap_s);
    table_column->addWidget(m_table);
    auto* table_panel = new Panel(table_body, this);
    table_panel->head().addWidget(m_use);
    m_use->setToolTip(tr("Add the strategy of the chosen row to the session"));
    connect(m_use, &QPushButton::clicked, this, [this] {
        if (chosen() >= 0) Q_EMIT useAsked(chosen());
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        m_plot->setChosen(chosen());
        follow();
    });

    auto* upper = new QSplitter(Qt::Horizontal, this);
    upper->setHandleWidth(k_gap_m);
    upper->setChildrenCollapsible(false);
    upper->addWidget(new Panel(plot_body, this));
    upper->addWidget(new Panel(words_body, this));
    upper->setStretchFactor(0, 3);
    upper->setStretchFactor(1, 2);
    auto* both = new QSplitter(Qt::Vertical, this);
    both->setHandleWidth(k_gap_m);
    both->setChildrenCollapsible(false);
    both->addWidget(upper);
    both->addWidget(table_panel);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    return both;
}

void TrialsPage::showAdvice(const QString& session)
{
    m_is_sweep = false;
    m_form->hide();
    m_title->setText(tr("Advice on \"%1\"").arg(session));
    m_start->setText(tr("Try them"));
    m_hint->setText(
        tr("The strategies of this session and what else could be done with its workload (modes, "
           "sizes, groups, orderings, predictors of several qualities) are simulated; then you see "
           "which of them nothing beats, and what to change."));
    setTrials({});
}

void TrialsPage::showSweep(const QString& strategy, const std::vector<SweptParameter>& parameters)
{
    m_is_sweep = true;
    m_form->show();
    m_title->setText(tr("Sweep of \"%1\"").arg(strategy));
    m_start->setText(tr("Sweep"));
    m_hint->setText(
        tr("Choose a parameter and its values: every value becomes a run on the simulator, on all "
           "cores, and you see what it does to throughput and latency."));
    setTrials({});
    m_parameters = parameters;
    const QSignalBlocker quiet(m_parameter);
    m_parameter->clear();
    for (const SweptParameter& one : parameters)
        m_parameter->addItem(one.title, one.key);
    if (!parameters.empty()) m_values->setText(parameters.front().values);
    Q_EMIT planAsked();
}

QString TrialsPage::axis() const
{
    return m_parameter->currentData().toString() + QLatin1Char('=') +
           m_values->text().remove(QLatin1Char(' '));
}

int TrialsPage::repetitions() const
{
    return m_repetitions->value();
}

void TrialsPage::setPlan(const QString& text, bool can_start)
{
    m_plan->setText(text);
    m_can_start = can_start;
    setStyleFlag(m_plan, "warn", !can_start);
    setStyleFlag(m_plan, "muted", can_start);
    follow();
}

void TrialsPage::setProgress(int done, int all)
{
    m_runs = all > 0;
    m_progress->setRange(0, std::max(1, all));
    m_progress->setValue(done);
    m_progress->setFormat(tr("%1 of %2 runs").arg(done).arg(all));
    follow();
}

void TrialsPage::setTrials(Trials trials)
{
    m_plot->setTrials(nullptr);
    m_trials = std::move(trials);
    fillTable();
    m_plot->setTrials(&m_trials);
    QString words = m_trials.words;
    for (const QString& note : m_trials.notes)
        words += QLatin1String("\n\n") + note;
    m_words->setText(words);
    m_stack->setCurrentIndex(m_trials.all.empty() ? 0 : 1);
    follow();
}

void TrialsPage::fillTable()
{
    m_model->removeRows(0, m_model->rowCount());
    m_model->setHorizontalHeaderLabels({tr("strategy"), tr("tokens/s"), tr("latency p99, s"), tr("KV, MiB"),
                                        tr("frontier"), tr("what it is")});
    for (int column = TrialColumn::Rate; column <= TrialColumn::Memory; ++column)
        m_model->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const int column : {+TrialColumn::Name, +TrialColumn::Frontier, +TrialColumn::Mark})
        m_model->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (std::size_t i = 0; i < m_trials.all.size(); ++i) {
        const Trial& trial = m_trials.all[i];
        QStandardItem* name = textItem(trial.name);
        name->setData(static_cast<int>(i), k_trial_role);
        if (trial.order >= 0) name->setIcon(markerIcon(trial.order));
        const double mebibytes = static_cast<double>(trial.kv_bytes) / (1 << 20);
        const QString rate = number(trial.tokens_per_s, 1);
        m_model->appendRow(
            {name,
             numberItem(trial.interval.isEmpty() ? rate : rate + QLatin1Char(' ') + trial.interval,
                        trial.tokens_per_s),
             numberItem(number(trial.e2el_p99_s, 2), trial.e2el_p99_s),
             numberItem(trial.kv_bytes > 0 ? number(mebibytes, 1) : none(), mebibytes),
             textItem(trial.is_on_frontier ? tr("nothing beats it") : QString()), textItem(trial.mark)});
    }
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(TrialColumn::Name, QHeaderView::Stretch);
    m_table->setColumnHidden(TrialColumn::Memory, !m_trials.hasMemory());
    const bool says_more = std::any_of(m_trials.all.begin(), m_trials.all.end(), [](const Trial& trial) {
        return !trial.mark.isEmpty() && trial.mark != trial.name;
    });
    m_table->setColumnHidden(TrialColumn::Mark, !says_more);
    m_table->sortByColumn(TrialColumn::Rate, Qt::DescendingOrder);
    m_table->scrollToTop();
}

int TrialsPage::chosen() const
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows(TrialColumn::Name);
    return rows.isEmpty() ? -1 : rows.front().data(k_trial_role).toInt();
}

void TrialsPage::choose(int trial)
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (m_model->index(row, TrialColumn::Name).data(k_trial_role).toInt() == trial) {
            m_table->selectRow(row);
            m_table->scrollTo(m_model->index(row, TrialColumn::Name));
        }
}

void TrialsPage::follow()
{
    m_progress->setVisible(m_runs);
    m_cancel->setVisible(m_runs);
    m_start->setVisible(!m_runs);
    m_start->setEnabled(m_can_start);
    m_form->setEnabled(!m_runs);
    const int trial = chosen();
    m_use->setEnabled(trial >= 0 && m_trials.all[static_cast<std::size_t>(trial)].can_use);
}

} // namespace batchscope::widgets
