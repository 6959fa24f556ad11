// SPDX-License-Identifier: GPL-3.0-or-later
// Every example session on the simulator runs, whole or on fewer requests, and leaves a log that holds
// together.
#include "app/experiment/experiment.h"
#include "scheduler/event_log.h"
#include "sessions/published.h"
#include "tests/support/no_faults.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace batchscope;

class ExamplesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void each_leaves_a_log_that_holds_together_data()
    {
        QTest::addColumn<QString>("file");
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(app::exampleSession().parent_path()))
            if (entry.path().extension() == ".json") files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        QVERIFY(files.size() > 20);
        for (const auto& file : files)
            QTest::newRow(file.stem().c_str()) << QString::fromStdString(file.string());
    }
    void each_leaves_a_log_that_holds_together()
    {
        QFETCH(QString, file);
        auto document = sessions::readSession(file.toStdString(), app::fullRegistry());
        QVERIFY2(document.warnings.empty(),
                 document.warnings.empty() ? "" : document.warnings.front().c_str());
        sessions::publishedFigures(document); // throws where it names what is not there
        if (document.backend.type != sessions::BackendSpec::Type::Simulated)
            QSKIP("it needs a loaded model, which the tests of the engine have");
        constexpr int k_most_requests = 300; // enough for more than one group
        document.workload.requests =
            std::min(document.workload.requests.value_or(k_most_requests), k_most_requests);
        if (document.workload.source.path.find("quick") != std::string::npos)
            document.workload.requests.reset();
        app::Experiment experiment;
        app::ExperimentListener listener;
        RunControl control;
        app::ExperimentOptions options;
        options.repetitions = 1;
        const auto result = experiment.run(document, options, listener, control, {});
        QVERIFY(result.status == RunStatus::Completed);
        QCOMPARE(result.runs.size(), document.strategies.size());
        for (const auto& run : result.runs) {
            QCOMPARE(run.record.metrics->completed, run.record.requests);
            VERIFY_NO_FAULTS(validateLog(run.log));
        }
    }
};

BATCHSCOPE_TEST(ExamplesTest)
#include "examples_test.moc"
