// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps and advice in the window: told before they run, cancelled, shown, and used.
#include "app/window/trial_runner.h"
#include "tests/support/test_main.h"
#include "widgets/models/session_editor.h"
#include "widgets/panels/trials_page.h"

#include "app/experiment/experiment.h"
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace batchscope;

namespace {

sessions::SessionDocument poissonSession()
{
    const auto json = nlohmann::json::parse(R"({"schema": "batchscope.session/1", "name": "busy",
        "backend": {"type": "simulated", "preset": "vicuna-7b-a100"},
        "workload": {"source": {"type": "synthetic",
                                "prompt_tokens": {"distribution": "uniform", "min": 10, "max": 200},
                                "output_tokens": {"distribution": "uniform", "min": 10, "max": 300}},
                     "requests": 60, "arrivals": {"process": "poisson", "rate": 2.0}},
        "strategies": [{"name": "vanilla", "batching": {"type": "static", "rows": 8}},
                       {"name": "other", "batching": {"type": "continuous", "slots": 8}}]})");
    return sessions::parseSession(json, app::fullRegistry(), {});
}

struct Bench
{
    widgets::SessionEditor editor;
    widgets::TrialsPage page;
    window::TrialRunner runner{editor, page};

    explicit Bench(const sessions::SessionDocument& document = poissonSession())
    {
        editor.setDocument(document);
    }
    bool runToTheEnd()
    {
        QSignalSpy ended(&runner, &window::TrialRunner::ended);
        runner.start();
        return runner.isBusy() && ended.wait(60'000);
    }
    QString text() const
    {
        QString all;
        for (const QLabel* label : page.findChildren<QLabel*>())
            all += label->text() + QLatin1Char('\n');
        return all;
    }
    const widgets::Trial* marked(const QString& part) const
    {
        for (const widgets::Trial& trial : page.trials().all)
            if (trial.mark.contains(part)) return &trial;
        return nullptr;
    }
};

} // namespace

class TrialsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void adviceShowsTheFrontierAndWhatToChange()
    {
        Bench bench;
        bench.runner.openAdvice();
        QVERIFY2(bench.text().contains(QLatin1String(" runs")), qPrintable(bench.text())); // before they run
        QVERIFY(bench.page.trials().all.empty());
        QVERIFY(bench.runToTheEnd());
        QVERIFY(bench.page.trials().all.size() > 100);
        const widgets::Trial* own = bench.marked(QStringLiteral("yours: vanilla"));
        QVERIFY(own && own->order == 0 && !own->can_use);
        QVERIFY(bench.marked(QStringLiteral("yours: other"))->order == 1);
        const widgets::Trial* best = bench.marked(QStringLiteral("best throughput"));
        QVERIFY(best && best->tokens_per_s >= own->tokens_per_s);
        QVERIFY(bench.marked(QStringLiteral("oracle's best")) != nullptr);
        for (const widgets::Trial& trial : bench.page.trials().all)
            QVERIFY(trial.tokens_per_s <= best->tokens_per_s || trial.name.endsWith(QLatin1String("oracle")));
        QVERIFY2(bench.text().contains(QLatin1String("vanilla gives")), qPrintable(bench.text()));
    }

    void whatIsUsedBecomesAStrategyOfTheSession()
    {
        Bench bench;
        bench.runner.openAdvice();
        QVERIFY(bench.runToTheEnd());
        const auto& all = bench.page.trials().all;
        const auto best = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return (a.can_use ? a.tokens_per_s : 0) < (b.can_use ? b.tokens_per_s : 0);
        });
        bench.page.choose(static_cast<int>(best - all.begin()));
        QPushButton* use = nullptr;
        for (QPushButton* button : bench.page.findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Use this strategy")) use = button;
        QVERIFY(use && use->isEnabled());
        use->click();
        QCOMPARE(bench.editor.document().strategies.size(), std::size_t{3});
        QCOMPARE(bench.editor.document().strategies.back().name, best->name.toStdString());
        bench.editor.undoStack().undo();
        QCOMPARE(bench.editor.document().strategies.size(), std::size_t{2});
    }

    void aSweepRunsEveryValueOfOneStrategy()
    {
        Bench bench;
        bench.runner.openSweep(0);
        QVERIFY2(bench.page.axis().startsWith(QLatin1String("batching.")), qPrintable(bench.page.axis()));
        QVERIFY(bench.runToTheEnd());
        const auto values = bench.page.axis().count(QLatin1Char(',')) + 1;
        QCOMPARE(static_cast<qsizetype>(bench.page.trials().all.size()), values);
        QVERIFY(std::any_of(bench.page.trials().all.begin(), bench.page.trials().all.end(),
                            [](const widgets::Trial& trial) { return trial.is_on_frontier; }));
    }

    void aCancelledSweepShowsNothingAndSaysSo()
    {
        Bench bench;
        bench.runner.openAdvice();
        QSignalSpy ended(&bench.runner, &window::TrialRunner::ended);
        bench.runner.start();
        bench.runner.cancel();
        QVERIFY(ended.wait(60'000));
        QVERIFY(bench.page.trials().all.empty());
        QVERIFY2(bench.text().contains(QLatin1String("Cancelled")), qPrintable(bench.text()));
        QVERIFY(bench.runToTheEnd()); // and can be started again
        QVERIFY(!bench.page.trials().all.empty());
    }

    void aMeasuredSessionIsRefusedWithTheRemedy()
    {
        auto document = poissonSession();
        document.backend.type = sessions::BackendSpec::Type::Torch;
        Bench bench(document);
        bench.runner.openAdvice();
        QVERIFY2(bench.text().contains(QLatin1String("choose a cost model")), qPrintable(bench.text()));
    }

    void leavingWhileRunsAreMadeWaitsForThem()
    {
        QElapsedTimer clock;
        clock.start();
        {
            Bench bench;
            bench.runner.openAdvice();
            bench.runner.start();
        }
        QVERIFY(clock.elapsed() < 20'000);
    }
};

BATCHSCOPE_TEST(TrialsTest)
#include "trials_test.moc"
