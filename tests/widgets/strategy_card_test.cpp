// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"
#include "widgets/compose/compose_page.h"
#include "widgets/compose/part_editor.h"
#include "widgets/compose/strategies_panel.h"
#include "widgets/look/chip.h"

#include <QComboBox>
#include <QDoubleSpinBox>

using namespace batchscope;
using sessions::SessionDocument;
using widgets::SessionEditor;

namespace {

SessionDocument one(const Strategy& strategy)
{
    SessionDocument d;
    d.backend.type = sessions::BackendSpec::Type::Simulated;
    d.strategies = {strategy};
    return d;
}

} // namespace

class StrategyCardTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhyACombinationIsRefused()
    {
        const Registry registry = Registry::withBuiltinParts();
        SessionEditor editor;
        // FCR outside grouped, which scheduling.md refuses
        editor.setDocument(one(tests::strategyOf("bad", tests::staticRows(8), "fcfs", {"none", {}}, "fcr")));
        widgets::StrategiesPanel panel(editor, registry);
        panel.setContext(
            {.simulated = true, .workload_has_predictions = false, .workload_has_lengths = true});
        QCOMPARE(panel.cards().size(), std::size_t{1});
        QVERIFY(panel.cards()[0]->isRefused());
        QCOMPARE(panel.refused(), 1);
        const auto problems = checkStrategy(editor.document().strategies[0], registry, {true, false, true});
        QVERIFY(!problems.empty());
        for (const Problem& problem : problems)
            QVERIFY2(panel.cards()[0]->problemText().contains(QString::fromStdString(problem.message)),
                     qPrintable(panel.cards()[0]->problemText()));
        editor.change(QStringLiteral("repair"), [](SessionDocument& d) {
            d.strategies[0].correction = {"none", {}};
        });
        QVERIFY(!panel.cards()[0]->isRefused());
        editor.undoStack().undo();
        QVERIFY(panel.cards()[0]->isRefused());
    }

    void notesButDoesNotRefuseAnOrderThatCannotMatter()
    {
        const Registry registry = Registry::withBuiltinParts();
        SessionEditor editor;
        editor.setDocument(one(tests::strategyOf("warned", tests::staticRows(8), "sjf")));
        widgets::StrategiesPanel panel(editor, registry);
        panel.setContext({true, false, true});
        QVERIFY(!panel.cards()[0]->isRefused());
        QVERIFY(!panel.cards()[0]->problemText().isEmpty());
    }

    void chipsSayWhatTheRegistrySays()
    {
        const Registry registry = Registry::withBuiltinParts();
        SessionEditor editor;
        const Strategy strategy =
            tests::strategyOf("seq", tests::groupedOf(64, 8, 50), "sjf", {"oracle", {}});
        editor.setDocument(one(strategy));
        widgets::StrategiesPanel panel(editor, registry);
        for (const PartKind kind : sessions::k_part_kinds)
            QCOMPARE(panel.cards()[0]->chip(kind).value(),
                     QString::fromStdString(describePart(sessions::partOf(strategy, kind), kind, registry)));
    }

    void aLongChipGoesOnInFurtherLines()
    {
        widgets::ChipButton chip(QStringLiteral("batching"));
        const QString value =
            QStringLiteral("grouped 256 · rows 16 · bins of 50 · VBS by memory · batch-end");
        chip.setValue(value);
        const int whole = chip.sizeHint().width(), one_line = chip.heightForWidth(whole);
        QCOMPARE(chip.lines(whole), QStringList{value});
        for (const int width : {whole - 4, whole / 2, chip.minimumSizeHint().width()}) {
            const QStringList lines = chip.lines(width);
            QVERIFY(lines.size() > 1);
            QCOMPARE(lines.join(QStringLiteral(" · ")), value);
            QCOMPARE(chip.heightForWidth(width),
                     one_line + (static_cast<int>(lines.size()) - 1) * chip.fontMetrics().lineSpacing());
            for (const QString& line : lines)
                QVERIFY2(chip.fontMetrics().horizontalAdvance(line) <= width, qPrintable(line));
        }
    }

    void anEditorHasAFieldForEveryParameterAndChangesTheDocument()
    {
        const Registry registry = Registry::withBuiltinParts();
        const PartDescriptor* grouped = registry.find(PartKind::Batching, "grouped");
        QVERIFY(grouped);
        widgets::PartEditor editor(registry, PartKind::Batching, tests::groupedOf(64, 8, 50));
        PartSpec last;
        QString parameter;
        connect(&editor, &widgets::PartEditor::edited, this, [&](const PartSpec& spec, const QString& name) {
            last = spec;
            parameter = name;
        });
        bool found = false;
        for (const ParamDescriptor& param : grouped->params) {
            QWidget* field = nullptr;
            for (QWidget* widget : editor.findChildren<QWidget*>())
                if (widget->accessibleName() == QString::fromStdString(param.title)) field = widget;
            QVERIFY2(field, param.name.c_str());
            if (param.name != "rows") continue;
            auto* box = qobject_cast<QDoubleSpinBox*>(field);
            QVERIFY(box);
            QCOMPARE(box->value(), 8.0);
            if (param.minimum) QCOMPARE(box->minimum(), *param.minimum);
            box->setValue(12);
            found = true;
        }
        QVERIFY(found);
        QCOMPARE(parameter, QStringLiteral("rows"));
        QCOMPARE(last.params.at("rows"), ParamValue(std::int64_t{12}));
        auto* parts = editor.findChild<QComboBox*>();
        parts->setCurrentIndex(parts->findData(QStringLiteral("static")));
        QCOMPARE(last, (PartSpec{"static", {}}));
    }

    void aPredictorThatIsNotTrainedIsRefusedBeforeTheRun()
    {
        Registry registry = Registry::withBuiltinParts();
        registry.add({.kind = PartKind::Predictor,
                      .type = "bound",
                      .title = "Bound",
                      .help = "",
                      .params = {},
                      .produces = PredictionKind::Tokens,
                      .model_bound = true});
        SessionEditor editor;
        SessionDocument document =
            one(tests::strategyOf("seq", tests::groupedOf(64, 8, 50), "sjf", {"bound", {}}));
        document.backend.type = sessions::BackendSpec::Type::Torch;
        editor.setDocument(document);
        widgets::ComposePage page(editor, registry, {});
        QVERIFY2(page.refusal().isEmpty(), qPrintable(page.refusal())); // the folder is not read yet
        widgets::ModelFacts facts;
        facts.known = true;
        page.setModelFacts(facts);
        QVERIFY(!page.refusal().isEmpty());
        QVERIFY(page.strategies().cards()[0]->problemText().contains(QStringLiteral("bound")));
        facts.predictors = {{.name = QStringLiteral("p"),
                             .type = QStringLiteral("bound"),
                             .mae = 31.0,
                             .tau = 0.7,
                             .state = QStringLiteral("ready"),
                             .usable = true}};
        page.setModelFacts(facts);
        QVERIFY2(page.refusal().isEmpty(), qPrintable(page.refusal()));
    }

    void runIsRefusedWhileACardIs()
    {
        const Registry registry = Registry::withBuiltinParts();
        SessionEditor editor;
        widgets::ComposePage page(editor, registry, {});
        QVERIFY(!page.refusal().isEmpty()); // no strategy yet
        editor.setDocument(one(tests::strategyOf("bad", tests::staticRows(8), "fcfs", {"none", {}}, "fcr")));
        QVERIFY(!page.refusal().isEmpty());
        editor.setDocument(one(tests::strategyOf("good", tests::staticRows(8))));
        QVERIFY2(page.refusal().isEmpty(), qPrintable(page.refusal()));
        widgets::WorkloadFacts facts;
        facts.known = true;
        facts.error = QStringLiteral("prompts.jsonl holds no usable request");
        page.setWorkloadFacts(facts);
        QCOMPARE(page.refusal(), facts.error);
    }
};

BATCHSCOPE_TEST(StrategyCardTest)
#include "strategy_card_test.moc"
