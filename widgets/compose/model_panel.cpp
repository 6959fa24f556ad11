// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compose/model_panel.h"

#include "widgets/compose/form.h"
#include "widgets/compose/memory_bar.h"
#include "widgets/compose/simulator_fields.h"
#include "widgets/look/formats.h"
#include "widgets/look/scroll_column.h"
#include "widgets/look/theme.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

namespace batchscope::widgets {

using sessions::BackendSpec;

namespace {

const QString& otherFolder()
{
    static const QString choice = QStringLiteral("\n"); // no folder has this name
    return choice;
}

// What a fact's line has room for: of an essay its first clause; the tool-tip has it whole.
QString firstClause(const QString& value)
{
    constexpr int k_short = 80;
    if (value.size() <= k_short) return value;
    for (const char* end : {": ", ". "})
        if (const qsizetype at = value.indexOf(QLatin1String(end)); at > 0 && at <= 2 * k_short)
            return value.left(at) + QStringLiteral("…");
    return value.left(k_short) + QStringLiteral("…");
}

QTableWidget* predictorTable(QWidget* parent)
{
    auto* table = new QTableWidget(0, 4, parent);
    table->setHorizontalHeaderLabels(
        {ModelPanel::tr("name"), ModelPanel::tr("MAE"), ModelPanel::tr("τ"), ModelPanel::tr("state")});
    table->setAccessibleName(ModelPanel::tr("Predictors"));
    table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int column = 1; column < 4; ++column)
        table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table->horizontalHeaderItem(1)->setToolTip(
        ModelPanel::tr("Mean absolute error in tokens, on held-out prompts"));
    table->horizontalHeaderItem(2)->setToolTip(
        ModelPanel::tr("Kendall's rank agreement τ-b, on held-out prompts"));
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(24);
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setFocusPolicy(Qt::NoFocus);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < 4; ++column)
        table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    return table;
}

} // namespace

ModelPanel::ModelPanel(SessionEditor& editor, const SimulatorChoices& choices, QWidget* parent)
    : PanelBody(tr("Model and device"), parent), m_editor(editor), m_backend(new QComboBox(this)),
      m_model(new QComboBox(this)), m_dtype(new QComboBox(this)), m_device(new QComboBox(this)),
      m_threads(spinBox(0, 1024, this)), m_error(new QLabel(this)), m_memory_text(mutedLabel({}, this)),
      m_predictor_note(mutedLabel({}, this)), m_found(new Section(tr("Facts"), this)),
      m_memory(new Section(tr("Memory plan"), this)), m_predictors(new Section(tr("Predictors"), this)),
      m_lines(new QGridLayout), m_simulator(new SimulatorFields(editor, choices, this)),
      m_bar(new MemoryBar(this)), m_table(predictorTable(this))
{
    m_backend->addItem(tr("Model: measured here"), QStringLiteral("torch"));
    m_backend->addItem(tr("Simulator: virtual time"), QStringLiteral("simulated"));
    m_dtype->addItem(QStringLiteral("f32"), QStringLiteral("f32"));
    m_dtype->addItem(QStringLiteral("bf16"), QStringLiteral("bf16"));
    m_device->addItem(tr("CPU"), QStringLiteral("cpu"));
    m_device->addItem(tr("CUDA 0"), QStringLiteral("cuda:0"));
    m_threads->setSpecialValueText(tr("all"));
    auto* form = new Form;
    form->addField(tr("Run on"), m_backend,
                   tr("The model itself in real time, or a cost model in virtual time"));
    const auto torch = [&](const QString& title, QWidget* field, const QString& help) {
        m_torch_only.insert(m_torch_only.end(), {form->addField(title, field, help), field});
    };
    torch(tr("Model"), m_model, tr("A LLaMA-family folder in Hugging Face layout; drop one on the window"));
    torch(tr("Weights as"), m_dtype, tr("bf16 halves the bytes; f32 gives the same tokens in every batch"));
    torch(tr("Device"), m_device, tr("Where the passes run"));
    torch(tr("Threads"), m_threads, tr("Threads of a pass; 0: all cores"));

    QVBoxLayout* column = makeScrollColumn(*this);
    column->setContentsMargins(0, 0, 0, k_gap_m);
    column->setSpacing(k_gap_s);
    auto* top = new QVBoxLayout;
    top->setContentsMargins(k_gap_l, k_gap_l, k_gap_l, k_gap_m);
    top->addLayout(form);
    top->addWidget(m_simulator);
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    setStyleFlag(m_error, "warn", true);
    top->addWidget(m_error);
    column->addLayout(top);
    m_lines->setColumnStretch(1, 1);
    m_lines->setVerticalSpacing(k_gap_s);
    m_found->body()->addLayout(m_lines);
    column->addWidget(m_found);
    m_memory->body()->addWidget(m_bar);
    m_memory_text->setWordWrap(true);
    m_memory->body()->addWidget(m_memory_text);
    column->addWidget(m_memory);
    m_predictors->body()->setContentsMargins(0, 0, 0, 0);
    m_predictors->body()->addWidget(m_table);
    m_predictor_note->setWordWrap(true);
    m_predictor_note->setMargin(k_gap_l);
    m_predictors->body()->addWidget(m_predictor_note);
    column->addWidget(m_predictors);
    column->addStretch(1);
    connectFields();
    connect(&editor, &SessionEditor::documentChanged, this, &ModelPanel::follow);
    follow();
    setFacts({});
    setPlan({});
}

void ModelPanel::editBackend(const QString& what, const QString& merge,
                             const std::function<void(BackendSpec&)>& change)
{
    m_editor.change(
        what, [&](sessions::SessionDocument& document) { change(document.backend); }, merge);
}

void ModelPanel::connectFields()
{
    connect(m_backend, &QComboBox::activated, this, [this] {
        const bool simulated = m_backend->currentData().toString() == QLatin1String("simulated");
        editBackend(tr("change what runs it"), {}, [&](BackendSpec& b) {
            b.type = simulated ? BackendSpec::Type::Simulated : BackendSpec::Type::Torch;
            if (!simulated && b.model.empty()) b.model = "demo";
        });
    });
    connect(m_model, &QComboBox::activated, this, &ModelPanel::chooseModel);
    connect(m_dtype, &QComboBox::activated, this, [this] {
        editBackend(tr("change the dtype"), {},
                    [&](BackendSpec& b) { b.dtype = m_dtype->currentData().toString().toStdString(); });
    });
    connect(m_device, &QComboBox::activated, this, [this] {
        editBackend(tr("change the device"), {},
                    [&](BackendSpec& b) { b.device = m_device->currentData().toString().toStdString(); });
    });
    connect(m_threads, &QSpinBox::valueChanged, this, [this](int n) {
        editBackend(tr("change the threads"), QStringLiteral("threads"),
                    [&](BackendSpec& b) { b.threads = n; });
    });
}

void ModelPanel::chooseModel()
{
    QString folder = m_model->currentData().toString();
    if (folder == otherFolder()) {
        folder = QFileDialog::getExistingDirectory(this, tr("Choose a model folder"));
        if (folder.isEmpty()) return follow();
    }
    editBackend(tr("change the model"), {}, [&](BackendSpec& b) { b.model = folder.toStdString(); });
}

void ModelPanel::follow()
{
    const BackendSpec& b = m_editor.document().backend;
    const bool simulated = b.type == BackendSpec::Type::Simulated;
    selectData(*m_backend, simulated ? QStringLiteral("simulated") : QStringLiteral("torch"));
    {
        const QSignalBlocker quiet(m_model);
        const QString model = QString::fromStdString(b.model);
        m_model->clear();
        m_model->addItem(tr("Demo (in the box)"), QStringLiteral("demo"));
        if (!model.isEmpty() && model != QLatin1String("demo"))
            m_model->addItem(QDir(model).dirName(), model);
        m_model->addItem(tr("Choose a folder…"), otherFolder());
        m_model->setCurrentIndex(std::max(0, m_model->findData(model)));
        m_model->setToolTip(model);
        const QSignalBlocker quiet_too(m_threads);
        m_threads->setValue(b.threads);
    }
    selectData(*m_dtype, QString::fromStdString(b.dtype));
    selectData(*m_device, QString::fromStdString(b.device));
    for (QWidget* widget : m_torch_only)
        widget->setVisible(!simulated);
    m_simulator->setVisible(simulated);
    m_memory->setVisible(!simulated);
    m_predictors->setVisible(!simulated);
}

void ModelPanel::setFacts(const ModelFacts& facts)
{
    setNote(facts.known ? QString() : tr("reading…"));
    m_error->setText(facts.error);
    m_error->setVisible(!facts.error.isEmpty());
    m_found->setVisible(!facts.lines.empty());
    showLines(facts);
    showPredictors(facts);
}

void ModelPanel::showLines(const ModelFacts& facts)
{
    while (QLayoutItem* item = m_lines->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const auto& [name, value] : facts.lines) {
        m_lines->addWidget(mutedLabel(name, this), row, 0, Qt::AlignTop);
        QLabel* text = readableLabel(this);
        text->setText(firstClause(value));
        if (text->text() != value) text->setToolTip(QStringLiteral("<p>") + value.toHtmlEscaped()); // wraps
        text->setAlignment(Qt::AlignRight | Qt::AlignTop);
        m_lines->addWidget(text, row++, 1);
    }
}

void ModelPanel::showPredictors(const ModelFacts& facts)
{
    m_table->setRowCount(static_cast<int>(facts.predictors.size()));
    int row = 0;
    for (const PredictorFacts& p : facts.predictors) {
        const QString texts[] = {p.name, p.mae ? number(*p.mae, 0) : none(),
                                 p.tau ? number(*p.tau, 2) : none(), p.state};
        for (int column = 0; column < 4; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setTextAlignment(Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight));
            item->setToolTip(texts[column]);
            m_table->setItem(row, column, item);
        }
        ++row;
    }
    m_table->setVisible(row > 0);
    m_table->setFixedHeight(28 + 24 * row + 2);
    m_predictor_note->setText(
        row > 0 ? tr("Scores on prompts they were not trained on.")
                : tr("None in this folder. The predictors none, constant, oracle, noisy oracle "
                     "and recorded need none."));
}

void ModelPanel::setPlan(const MemoryPlan& plan)
{
    m_bar->setPlan(plan);
    if (!plan.known) {
        m_memory->setNote({});
        m_memory_text->setText(tr("Known once the model and the workload are."));
        return;
    }
    m_memory->setNote(tr("largest batch: %1 × %2 tokens").arg(count(plan.rows), count(plan.tokens)));
    QString text = tr("weights %1 · KV %2 · free %3")
                       .arg(bytes(plan.weights_bytes), bytes(plan.kv_bytes), bytes(plan.free_bytes));
    if (plan.held_bytes > 0)
        text += tr("\nPrompts read while predicting keep up to %1 more, as far as there is room.")
                    .arg(bytes(plan.held_bytes));
    if (!plan.fits())
        text += tr("\nDoes not fit: %1 are missing. Fewer rows or a smaller cap help.")
                    .arg(bytes(plan.weights_bytes + plan.kv_bytes - plan.free_bytes));
    m_memory_text->setText(text);
    setStyleFlag(m_memory_text, "warn", !plan.fits());
    setStyleFlag(m_memory_text, "muted", plan.fits());
}

} // namespace batchscope::widgets
