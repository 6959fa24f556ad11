// SPDX-License-Identifier: GPL-3.0-or-later
// Whole runs of the loop in virtual time: times worked by hand, the same bytes each time, and figures, chart
// and log that agree for every strategy.
#include "engine/simulated/cost_model_file.h"
#include "engine/simulated/simulated_backend.h"
#include "scheduler/folds/padding_map.h"
#include "scheduler/metrics/metrics.h"
#include "tests/support/event_text.h"
#include "tests/support/log_builder.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>
#include <filesystem>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

const std::filesystem::path k_presets =
    std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources" / "presets";

RecordedRun simulate(const Workload& workload, const Strategy& strategy, const char* preset)
{
    VirtualClock clock;
    SimulatedBackend backend(loadCostModel(preset, k_presets), clock);
    return runOn(backend, clock, workload, strategy);
}

std::vector<Strategy> everyKindOfStrategy()
{
    const PartSpec oracle{"oracle", {}};
    const PartSpec noisy{"noisy-oracle", {}};
    return {strategyOf("one by one", {"none", {}}),
            strategyOf("vanilla", staticRows(8)),
            strategyOf("window", staticRows(8, 0.2), "sjf", oracle),
            strategyOf("grouped", groupedOf(40, 8, 50), "sjf", noisy),
            strategyOf("fcr", groupedOf(40, 8, 20), "sjf", noisy, "fcr"),
            strategyOf("vbs", groupedOf(40, 8, 50, "table"), "sjf", noisy, "fcr"),
            strategyOf("oracle", groupedOf(40, 8, 1), "sjf", oracle, "fcr")};
}

bool near(std::optional<double> value, double expected)
{
    if (value && std::abs(*value - expected) <= 1e-9) return true;
    qWarning("found %.12g, expected %.12g", value.value_or(std::nan("")), expected);
    return false;
}

} // namespace

class SimulatedRunTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // SSJF's cost model, batches of 2, lengths 2, 9 and 1. Batch 0 runs 10 passes: 0.1 + 9 * 0.02 = 0.28 s;
    // r0 ends in its third, at 0.14 s. Batch 1 runs 2: 0.12 s, so that r2 has its token at 0.38 s and ends at
    // 0.40 s.
    void ssjfTimesByHand()
    {
        const RecordedRun run =
            simulate(workloadOfLengths({2, 9, 1}), strategyOf("vanilla", staticRows(2)), "ssjf");
        QVERIFY(run.status == RunStatus::Completed);
        const auto requests = requestFigures(run.log);
        QCOMPARE(requests[0].completed_ns, std::optional<Nanos>(140'000'000));
        QCOMPARE(requests[0].last_token_ns, std::optional<Nanos>(120'000'000));
        QCOMPARE(requests[1].completed_ns, std::optional<Nanos>(280'000'000));
        QCOMPARE(requests[2].scheduled_ns, std::optional<Nanos>(280'000'000));
        QCOMPARE(requests[2].first_token_ns, std::optional<Nanos>(380'000'000));
        QCOMPARE(requests[2].completed_ns, std::optional<Nanos>(400'000'000));
        const RunMetrics figures = computeMetrics(run.log, std::nullopt);
        QVERIFY(near(figures.makespan_s, 0.4));
        QVERIFY(near(figures.e2el_s.mean, (0.14 + 0.28 + 0.40) / 3));
        QVERIFY(near(figures.output_token_throughput, 12 / 0.4));
        // Batch 0: 2 rows * 10 passes, batch 1: 2 passes; useful 12 of 22.
        QVERIFY(near(figures.effective_token_ratio_strict, 12.0 / 22));
        QCOMPARE(figures.decode_steps, 12);
    }

    void aRunIsTheSameEachTime()
    {
        Random random(5);
        const Workload workload = randomWorkload(random, 120, 90);
        for (const Strategy& strategy : everyKindOfStrategy()) {
            const RecordedRun once = simulate(workload, strategy, "vicuna-7b-a100");
            const RecordedRun again = simulate(workload, strategy, "vicuna-7b-a100");
            QVERIFY2(once.log == again.log, strategy.name.c_str());
            QVERIFY2(EventText::of(once.log) == EventText::of(again.log), strategy.name.c_str());
            QVERIFY2(computeMetrics(once.log, Slo{}) == computeMetrics(again.log, Slo{}),
                     strategy.name.c_str());
        }
    }

    // Public report S4 and S10, for every strategy: the log is possible, N in, N out, and chart and table
    // agree.
    void chartAndTableComeFromTheSameEvents()
    {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            Random random(seed);
            const Workload workload = randomWorkload(random, 100, 120);
            std::int64_t useful = -1;
            for (const Strategy& strategy : everyKindOfStrategy()) {
                const QByteArray where = QByteArray::fromStdString(strategy.name) + ", seed " +
                                         QByteArray::number(static_cast<int>(seed));
                const RecordedRun run = simulate(workload, strategy, "vicuna-7b-a100");
                const auto faults = validateLog(run.log);
                QVERIFY2(faults.empty(),
                         faults.empty() ? "" : (where + ": " + faults.front().c_str()).constData());
                const RunMetrics figures = computeMetrics(run.log, std::nullopt);
                QCOMPARE(figures.completed, 100);
                QCOMPARE(figures.e2el_s.n, 100);
                PaddingMap map;
                map.append(run.log);
                QVERIFY2(map.total(StepKind::Useful) == figures.steps.useful, where);
                QVERIFY2(map.total(StepKind::End) == figures.steps.end, where);
                QVERIFY2(map.total(StepKind::Padding) == figures.steps.padding, where);
                QVERIFY2(map.total(StepKind::Abandoned) == figures.steps.abandoned, where);
                QVERIFY2(map.steps() == figures.decode_steps, where);
                QVERIFY2(run.usefulTokens() == figures.useful_output_tokens, where);
                if (useful < 0) useful = figures.useful_output_tokens;
                QVERIFY2(figures.useful_output_tokens == useful, where); // lengths are replayed
                const EventLog cut = splitSpans(run.log, seed);
                QVERIFY2(computeMetrics(cut, std::nullopt) == figures, where);
                for (const RequestFigures& request : requestFigures(run.log)) {
                    QVERIFY2(request.arrival_ns <= request.dispatched_ns, where);
                    QVERIFY2(request.dispatched_ns <= *request.scheduled_ns, where);
                    QVERIFY2(*request.scheduled_ns <= *request.completed_ns, where);
                    QVERIFY2(!request.last_token_ns || *request.last_token_ns <= *request.completed_ns,
                             where);
                }
            }
        }
    }

    // Public report S10's own input: first come, first served with queued work, equal times and a job of no
    // tokens.
    void queuedWorkWithEqualTimesAndAnEmptyJob()
    {
        const RecordedRun run =
            simulate(workloadOfLengths({3, 3, 0, 3}), strategyOf("one by one", {"none", {}}), "ssjf");
        QVERIFY(validateLog(run.log).empty());
        PaddingMap map;
        map.append(run.log);
        Nanos busy_ns = 0, end_ns = 0;
        for (const PaddingBatch& batch : map.batches()) {
            QVERIFY(batch.start_ns >= end_ns && batch.end_ns > batch.start_ns);
            busy_ns += batch.end_ns - batch.start_ns;
            end_ns = batch.end_ns;
        }
        // 3 * (0.1 + 3 * 0.02) + 0.1: nobody is idle while somebody waits.
        const RunMetrics figures = computeMetrics(run.log, std::nullopt);
        QCOMPARE(busy_ns, Nanos{580'000'000});
        QVERIFY(near(figures.makespan_s, 0.58));
        QVERIFY(near(figures.mean_occupancy, 1.0));
        QVERIFY(near(figures.steady_request_throughput, 4 / 0.58));
    }

    // All at once: file order, whatever the ids say.
    void allAtOnceKeepsFileOrder()
    {
        Workload workload = workloadOfLengths({5, 5, 5, 5, 5});
        for (std::size_t i = 0; i < workload.requests.size(); ++i)
            workload.requests[i].id = std::to_string(9 - i);
        const RecordedRun run = simulate(workload, strategyOf("vanilla", staticRows(2)), "ssjf");
        const std::vector<std::vector<RequestIndex>> expected{{0, 1}, {2, 3}, {4}};
        QVERIFY(run.batches() == expected);
    }

    void thePresetsContextIsABound()
    {
        Workload workload = workloadOf({{5, 4096, 0, std::nullopt}});
        try {
            simulate(workload, strategyOf("vanilla", staticRows(2)), "vicuna-7b-a100");
            QFAIL("a prompt of 4,096 tokens does not fit a context of 2,048");
        } catch (const std::exception& error) {
            QVERIFY2(QByteArray(error.what()).contains("4,096") || QByteArray(error.what()).contains("4096"),
                     error.what());
        }
    }

    // A log grows with requests, not with tokens.
    void longAnswersDoNotLengthenTheLog()
    {
        const Strategy strategy =
            strategyOf("vanilla", staticRows(4), "fcfs", {"none", {}}, "none", 1'000'000);
        const auto size = [&](int length) {
            return simulate(workloadOfLengths({length, length + 1, length + 2, length + 3}), strategy, "ssjf")
                .log.size();
        };
        QCOMPARE(size(900'000), size(10));
    }
};

BATCHSCOPE_TEST(SimulatedRunTest)
#include "simulated_run_test.moc"
