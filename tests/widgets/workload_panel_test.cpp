// SPDX-License-Identifier: GPL-3.0-or-later
// The workload's column of Compose: it offers what a session file can say, under undo, and tells what that
// gives.
#include "sessions/session_document.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"
#include "widgets/compose/arrivals_form.h"
#include "widgets/compose/distribution_field.h"
#include "widgets/compose/source_form.h"
#include "widgets/compose/stages_field.h"
#include "widgets/compose/workload_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <cmath>
#include <nlohmann/json.hpp>

using namespace batchscope;
using sessions::SessionDocument;
using sessions::WorkloadSpec;
using widgets::SessionEditor;
using widgets::WorkloadPanel;

namespace {

SessionDocument simulated()
{
    SessionDocument document;
    document.backend.type = sessions::BackendSpec::Type::Simulated;
    document.strategies = {tests::strategyOf("vanilla", tests::staticRows(8))};
    return document;
}

struct Composed
{
    SessionEditor editor;
    WorkloadPanel panel{editor};

    Composed()
    {
        editor.setDocument(simulated());
        panel.resize(372, 1600);
        panel.show();
    }
    const WorkloadSpec& workload() const { return editor.document().workload; }

    template <class Field>
    Field* field(const char* name)
    {
        for (auto* each : panel.findChildren<Field*>())
            if (each->accessibleName() == QLatin1String(name) && each->isVisibleTo(&panel)) return each;
        return nullptr;
    }
    bool has(const char* name) { return field<QWidget>(name) != nullptr; }
    bool choose(const char* name, const char* data)
    {
        auto* box = qobject_cast<QComboBox*>(field<QWidget>(name));
        if (!box) box = field<QWidget>(name) ? field<QWidget>(name)->findChild<QComboBox*>() : nullptr;
        const int at = box ? box->findData(QString::fromLatin1(data)) : -1;
        if (at < 0) return false;
        box->setCurrentIndex(at);
        Q_EMIT box->activated(at);
        return true;
    }
    void put(const char* name, double value) { field<QDoubleSpinBox>(name)->setValue(value); }
};

// The document as the file has it: what the panel makes must be readable.
bool readsBack(const SessionDocument& document)
{
    const auto json = sessions::sessionToJson(document);
    const SessionDocument read = sessions::parseSession(json, Registry::withBuiltinParts(), {});
    if (!read.warnings.empty() || !(read.workload == document.workload)) {
        qWarning("%s", json["workload"].dump().c_str());
        for (const auto& warning : read.warnings)
            qWarning("%s", warning.c_str());
        return false;
    }
    return true;
}

} // namespace

class WorkloadPanelTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyProcessHasItsOwnFields_data()
    {
        QTest::addColumn<QStringList>("fields");
        QTest::newRow("all-at-once") << QStringList{};
        QTest::newRow("even") << QStringList{"Rate"};
        QTest::newRow("poisson") << QStringList{"Rate", "Hit the rate exactly"};
        QTest::newRow("gamma") << QStringList{"Rate", "Burstiness: cv", "shape", "Hit the rate exactly"};
        QTest::newRow("uniform") << QStringList{"Gaps", "Rate", "Hit the rate exactly"};
        QTest::newRow("stages") << QStringList{"Stages", "Even gaps"};
        QTest::newRow("closed-loop") << QStringList{"Clients", "Think time"};
    }

    void everyProcessHasItsOwnFields()
    {
        QFETCH(QStringList, fields);
        Composed composed;
        const char* process = QTest::currentDataTag();
        if (composed.workload().arrivals.process != process) QVERIFY(composed.choose("Arrivals", process));
        QCOMPARE(composed.workload().arrivals.process, std::string(process));
        for (const char* name : {"Rate", "Burstiness: cv", "shape", "Hit the rate exactly", "Gaps", "Stages",
                                 "Even gaps", "Clients", "Think time", "Gap from"})
            QVERIFY2(composed.has(name) == fields.contains(QLatin1String(name)), name);
        QVERIFY(readsBack(composed.editor.document()));
        QCOMPARE(makeArrivals(composed.workload().arrivals, 20, 1).size(), std::size_t{20});
    }

    // Public report W5: both are shown, and say the same.
    void cvAndShapeAreBothShown()
    {
        Composed composed;
        QVERIFY(composed.choose("Arrivals", "gamma"));
        composed.put("Burstiness: cv", 2);
        QCOMPARE(composed.field<QDoubleSpinBox>("shape")->value(), 0.25);
        composed.put("shape", 4);
        QCOMPARE(composed.field<QDoubleSpinBox>("Burstiness: cv")->value(), 0.5);
        QCOMPARE(composed.workload().arrivals.shape, std::optional<double>(4));
        QVERIFY(!composed.workload().arrivals.cv);
        composed.put("Burstiness: cv", 0); // even
        QVERIFY(std::isinf(*composed.workload().arrivals.shape));
        QVERIFY(readsBack(composed.editor.document()));
        composed.editor.undoStack().undo();
        QCOMPARE(composed.field<QDoubleSpinBox>("shape")->value(), 4.0);
    }

    // Public report W9: a range is shown by its two ends.
    void aRangeIsShownByItsEnds()
    {
        Composed composed;
        QVERIFY(composed.choose("Output lengths", "drawn"));
        QVERIFY(composed.choose("Drawn from", "uniform"));
        composed.put("from", 75);
        composed.put("to", 125);
        const auto& drawn = *composed.workload().lengths.output_tokens;
        QCOMPARE(describeDistribution(drawn), std::string("uniform, 75 to 125")); // as exports say it
        composed.put("from", 200);                                                // pushes the other end
        QCOMPARE(composed.workload().lengths.output_tokens->maximum, 200.0);
        QVERIFY(readsBack(composed.editor.document()));
    }

    void everyKindOfDistributionCanBeMade()
    {
        Composed composed;
        QVERIFY(composed.choose("Source", "synthetic"));
        QVERIFY(composed.has("Prompt length") && composed.has("Answer length") && composed.has("Clients") &&
                composed.has("Priorities") && !composed.has("File"));
        QVERIFY(composed.workload().requests); // a synthetic source has no end of its own
        for (const Distribution::Kind kind : distributionKinds()) {
            QVERIFY(composed.choose("Prompt length", distributionName(kind).c_str()));
            QCOMPARE(composed.workload().source.prompt_tokens->kind, kind);
            Random random(1, 0);
            QVERIFY(Draws(*composed.workload().source.prompt_tokens, "prompts").tokens(random) >= 1);
            QVERIFY2(readsBack(composed.editor.document()), distributionName(kind).c_str());
        }
        auto* points = composed.field<QLineEdit>("Quantiles");
        points->setText(QStringLiteral("0:5, 0.5:101, 1:512"));
        Q_EMIT points->editingFinished();
        QCOMPARE(composed.workload().source.prompt_tokens->points,
                 (std::vector<std::pair<double, double>>{{0, 5}, {0.5, 101}, {1, 512}}));
        points->setText(QStringLiteral("half:5"));
        Q_EMIT points->editingFinished(); // no points: the document keeps those it has
        QCOMPARE(composed.workload().source.prompt_tokens->points.size(), std::size_t{3});
        QVERIFY(composed.choose("Answer length", ""));
        QVERIFY(!composed.workload().source.output_tokens);
    }

    void stagesAreAddedChangedAndRemoved()
    {
        Composed composed;
        QVERIFY(composed.choose("Arrivals", "stages"));
        const auto before = composed.workload().arrivals.stages;
        composed.put("Rate of stage 1", 7);
        composed.put("Rate at the end of stage 1", 9);
        QCOMPARE(composed.workload().arrivals.stages[0], (RateStage{before[0].duration_s, 7, 9}));
        composed.put("Rate at the end of stage 1", -1);
        QVERIFY(!composed.workload().arrivals.stages[0].to_rate);
        composed.field<QToolButton>("Add a stage of arrivals")->click();
        QCOMPARE(composed.workload().arrivals.stages.size(), before.size() + 1);
        composed.field<QToolButton>("Remove stage 1")->click();
        QCOMPARE(composed.workload().arrivals.stages.size(), before.size());
        QCOMPARE(composed.workload().arrivals.stages[0], before[1]);
        QVERIFY(readsBack(composed.editor.document()));
    }

    // Each edit is a step of undo, turns of one box are one step, and the fields follow.
    void everyEditIsUndoneAndRedone()
    {
        Composed composed;
        std::vector<WorkloadSpec> states{composed.workload()};
        const auto done = [&](bool ok) {
            if (!ok || composed.workload() == states.back()) qFatal("step %zu did nothing", states.size());
            states.push_back(composed.workload());
        };
        done(composed.choose("Source", "synthetic"));
        done(composed.choose("Prompt length", "gamma"));
        composed.put("shape", 2);
        composed.put("shape", 3);
        done(true);
        done(composed.choose("Arrivals", "gamma"));
        composed.put("Rate", 2.5);
        done(true);
        composed.field<QCheckBox>("Hit the rate exactly")->setChecked(true);
        done(true);
        done(composed.choose("Arrivals", "closed-loop"));
        done(composed.choose("Think time", "fixed"));
        done(composed.choose("Output lengths", "fixed"));
        composed.field<QSpinBox>("Tokens")->setValue(77);
        done(true);
        composed.put("Top-p", 0.9);
        done(true);
        composed.field<QSpinBox>("Seed")->setValue(7);
        done(true);
        QCOMPARE(composed.editor.undoStack().count(), static_cast<int>(states.size()) - 1);
        for (std::size_t i = states.size(); i-- > 1;) {
            composed.editor.undoStack().undo();
            QVERIFY2(composed.workload() == states[i - 1], qPrintable(QString::number(i)));
        }
        QVERIFY(composed.has("Temperature") && !composed.has("Prompt length") && !composed.has("Clients"));
        for (std::size_t i = 1; i < states.size(); ++i) {
            composed.editor.undoStack().redo();
            QVERIFY(composed.workload() == states[i]);
        }
        QCOMPARE(composed.field<QSpinBox>("Tokens")->value(), 77);
        QVERIFY(readsBack(composed.editor.document()));
    }

    // The same file read as another kind; recorded times can be replayed only where there are some.
    void aFileIsReadAsWhatItIsSaidToBe()
    {
        Composed composed;
        composed.panel.source().useSource(QStringLiteral("trace"), QStringLiteral("trace.csv"));
        QCOMPARE(composed.workload().arrivals.process, std::string("trace"));
        QVERIFY(composed.has("Format") && composed.has("Time unit") && composed.has("Speed") &&
                composed.has("0 tokens") && !composed.has("Questions"));
        composed.put("Speed", 2);
        QVERIFY(composed.choose("Time unit", "ms"));
        QVERIFY(composed.choose("0 tokens", "clip"));
        QVERIFY(readsBack(composed.editor.document()));
        QVERIFY(composed.choose("Source", "dataset")); // the same file: nothing is asked
        QCOMPARE(composed.workload().source.path, std::string("trace.csv"));
        QCOMPARE(composed.workload().arrivals.process, std::string("all-at-once"));
        QVERIFY(composed.has("Questions") && !composed.has("Speed") && !composed.has("Time unit"));
        QVERIFY(!composed.has("Think time"));
        QVERIFY(composed.choose("Questions", "all"));
        QVERIFY(composed.has("Think time")); // a reader thinks before the next question
        QVERIFY(readsBack(composed.editor.document()));
        QVERIFY(composed.choose("Source", "demo"));
        QVERIFY(composed.workload().source == sessions::SourceSpec{});
        const auto* process = composed.field<QComboBox>("Arrivals");
        const int recorded = process->findData(QStringLiteral("trace"));
        QVERIFY(!(process->model()->index(recorded, 0).flags() & Qt::ItemIsEnabled));
    }

    void theImportIsToldWithItsSkippedRows()
    {
        Composed composed;
        composed.panel.source().useSource(QStringLiteral("trace"), QStringLiteral("trace.csv"));
        widgets::WorkloadFacts facts;
        facts.known = true;
        facts.prompt_tokens = {5, 6};
        facts.import.title = QStringLiteral("vidur trace");
        facts.import.why = QStringLiteral("the columns a, b");
        facts.import.rows = 9;
        facts.import.skipped = 7;
        facts.import.time_unit = QStringLiteral("seconds");
        facts.import.times = QStringLiteral("seconds: since 1970");
        facts.import.skipped_rows = {QStringLiteral("row 4 (line 5): many")};
        facts.import.formats = {{QStringLiteral("vidur"), QStringLiteral("vidur trace")},
                                {QStringLiteral("azure"), QStringLiteral("Azure trace")}};
        composed.panel.setFacts(facts);
        const QString told = widgets::importText(facts);
        for (const char* part : {"vidur trace: the columns a, b", "9 rows read, 7 skipped", "since 1970",
                                 "row 4 (line 5): many", "and 6 more"})
            QVERIFY2(told.contains(QLatin1String(part)), part);
        const auto labels = composed.panel.findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->text() == told && label->isVisibleTo(&composed.panel);
        }));
        QCOMPARE(composed.field<QComboBox>("Time unit")->itemText(0), QStringLiteral("Proposed: seconds"));
        QVERIFY(composed.choose("Format", "azure"));
        QCOMPARE(composed.workload().source.format, std::string("azure"));
    }

    void theOfferedLoadIsPutInWords()
    {
        SessionDocument document = simulated();
        document.workload.arrivals = {"poisson", 5.6};
        widgets::WorkloadFacts facts;
        facts.known = true;
        facts.prompt_tokens = {5};
        facts.load = {5.6, 4.0, QStringLiteral("vanilla")};
        const auto says = [&](const char* part) {
            return widgets::loadText(facts, document).contains(QString::fromUtf8(part));
        };
        QVERIFY(says("ρ ≈ 1.4 of what “vanilla” can serve here (5.6/s of 4.0/s): a queue will build"));
        facts.load.rate = 3.6;
        QVERIFY(says("queues come and go"));
        facts.load.rate = 0.32;
        QVERIFY(says("ρ ≈ 0.08") && says("order hardly matters"));
        facts.load.capacity.reset();
        QVERIFY(says("0.32/s arrive") && says("a first run tells") && !says("ρ"));
        facts.load.rate.reset();
        QVERIFY(says("All arrive at once"));
        document.workload.arrivals.process = "closed-loop";
        document.workload.arrivals.clients = 8;
        QVERIFY(says("8 clients"));
        facts.error = QStringLiteral("no");
        QVERIFY(widgets::loadText(facts, document).isEmpty());
    }
};

BATCHSCOPE_TEST(WorkloadPanelTest)
#include "workload_panel_test.moc"
