// SPDX-License-Identifier: GPL-3.0-or-later
// What repeating a quirk of published code changes, by hand, and that without it nothing is changed.
#include "scheduler/comparability.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/parts/compat.h"
#include "scheduler/workload/arrivals.h"
#include "tests/support/no_faults.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <algorithm>

namespace batchscope::tests {
namespace {

constexpr Nanos k_ms = 1'000'000;
constexpr Nanos k_s = 1000 * k_ms;

Strategy quirky(Strategy strategy, std::vector<std::string> compat)
{
    strategy.compat = std::move(compat);
    return strategy;
}

Strategy recomputing(int group, int rows, int bin_width, const char* predictor, int cap)
{
    return strategyOf("g", groupedOf(group, rows, bin_width), "sjf", {predictor, {}}, "fcr", cap);
}

std::vector<RowEnded> endsOf(const RecordedRun& run, RequestIndex request)
{
    std::vector<RowEnded> ends;
    for (const RowEnded& end : run.all<RowEnded>())
        if (end.request == request) ends.push_back(end);
    return ends;
}

std::int64_t passesOf(const RecordedRun& run)
{
    return computeMetrics(run.log, std::optional<Slo>{}).decode_steps;
}

} // namespace

class CompatTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_row_at_the_cap_is_computed_again_by_S5_alone()
    {
        const Workload workload = workloadOfLengths({20, 3});
        const Strategy corrected = recomputing(4, 2, 10, "oracle", 20);
        const RecordedRun once = runSimulated(workload, corrected);
        QCOMPARE(endsOf(once, 0).size(), 1U);
        QVERIFY(endsOf(once, 0)[0].cause == RowEnd::Cap);
        QCOMPARE(passesOf(once), 20);

        const RecordedRun twice = runSimulated(workload, quirky(corrected, {"S-5"}));
        VERIFY_NO_FAULTS(validateLog(twice.log));
        const auto ends = endsOf(twice, 0);
        QCOMPARE(ends.size(), 2U);
        QVERIFY(ends[0].cause == RowEnd::Limit && ends[1].cause == RowEnd::Cap);
        QCOMPARE(ends[1].output_tokens, 20);
        QCOMPARE(passesOf(twice), 40);
        QCOMPARE(twice.usefulTokens(), once.usefulTokens());
    }

    // Bins of 15 at a cap of 20: a row at the cap is in the bin up to 30.
    void a_limit_is_the_top_of_its_bin_by_S4()
    {
        const Workload workload = workloadOfLengths({20, 15});
        const Strategy corrected = recomputing(4, 1, 15, "oracle", 20);
        const RecordedRun before = runSimulated(workload, corrected);
        QCOMPARE(passesOf(before), 16 + 20); // 15 tokens and the end; the cap
        const RecordedRun beyond = runSimulated(workload, quirky(corrected, {"S-4"}));
        VERIFY_NO_FAULTS(validateLog(beyond.log));
        QCOMPARE(passesOf(beyond), 15 + 30 + 16); // no pass for the end: computed again
        const RecordedRun both = runSimulated(workload, quirky(corrected, {"S-4", "S-5"}));
        VERIFY_NO_FAULTS(validateLog(both.log));
        QCOMPARE(passesOf(both), 15 + 30 + 16 + 20);
    }

    // By prediction: r1, r0, r2. r0 is stopped in place 1, and is computed again from the prompt of r1.
    void failed_rows_get_the_answers_of_others_by_S1()
    {
        const Workload workload = workloadOf({{8, 4, 0, 2}, {1, 4, 0, 1}, {5, 4, 0, 5}});
        const Strategy corrected = recomputing(3, 1, 1, "recorded", 20);
        QCOMPARE(runSimulated(workload, corrected).delivered().at(0).output_tokens, 8);
        const RecordedRun mixed = runSimulated(workload, quirky(corrected, {"S-1"}));
        VERIFY_NO_FAULTS(validateLog(mixed.log));
        QCOMPARE(mixed.delivered().at(0).output_tokens, 1);
        QCOMPARE(mixed.delivered().at(2).output_tokens, 5);
    }

    void a_batch_that_nobody_can_fill_waits_its_window_by_J7()
    {
        PartSpec batching = staticRows(2);
        batching.params["window_s"] = 3.0;
        const Strategy corrected = strategyOf("s", batching);
        const Workload workload = workloadOfLengths({5});
        QCOMPARE(runSimulated(workload, corrected).times<BatchFormed>()[0], 0);
        const RecordedRun waits = runSimulated(workload, quirky(corrected, {"J-7"}));
        VERIFY_NO_FAULTS(validateLog(waits.log));
        QCOMPARE(waits.times<BatchFormed>()[0], 3 * k_s);

        // A running batch waits for the place of one who ended: 10 s, with the other unfinished.
        const Strategy continuous = strategyOf("c", continuousOf(2));
        const RecordedRun idle = runSimulated(workloadOfLengths({1, 20}), quirky(continuous, {"J-7"}));
        VERIFY_NO_FAULTS(validateLog(idle.log));
        const RecordedRun plain = runSimulated(workloadOfLengths({1, 20}), continuous);
        QCOMPARE(idle.times<RowEnded>()[0], plain.times<RowEnded>()[0]);
        QCOMPARE(idle.times<RowEnded>()[1], plain.times<RowEnded>()[1] + 10 * k_s);
    }

    void who_waits_joins_only_when_a_row_ends_by_J9()
    {
        const Workload workload = workloadOf({{30, 1, 0, {}}, {2, 1, 5 * k_ms, {}}});
        const Strategy corrected = strategyOf("c", continuousOf(2));
        const RecordedRun joins = runSimulated(workload, corrected);
        QVERIFY(joins.times<RowEnded>()[0] < 12 * k_ms);
        const RecordedRun waits = runSimulated(workload, quirky(corrected, {"J-9"}));
        VERIFY_NO_FAULTS(validateLog(waits.log));
        const auto ends = waits.all<RowEnded>();
        QCOMPARE(ends[0].request, 0U);
        QVERIFY(waits.times<BatchFormed>()[1] >= waits.times<RowEnded>()[0]);
    }

    // One slot. r0 has done 8 of 10 tokens when r1 comes with 5.
    void predicted_work_does_not_shrink_by_J10()
    {
        const Workload workload = workloadOf({{10, 1, 0, {}}, {5, 1, 9 * k_ms, {}}});
        const Strategy corrected = strategyOf("c", continuousOf(1, {{"preemption", std::string("keep-kv")}}),
                                              "srpt", {"oracle", {}});
        QVERIFY(runSimulated(workload, corrected).all<Preempted>().empty());
        const RecordedRun loses = runSimulated(workload, quirky(corrected, {"J-10"}));
        VERIFY_NO_FAULTS(validateLog(loses.log));
        QCOMPARE(loses.all<Preempted>().size(), 1U);
        QCOMPARE(loses.all<RowEnded>()[0].request, 1U);
    }

    // Two run until 45 ms. By then r2 has waited 44 ms; true work takes it 32 ms, predicted work 92.
    void a_guard_that_fires_serves_everybody_by_arrival_with_J11()
    {
        const Workload workload = workloadOf({{40, 1, 0, 40},
                                              {40, 1, 0, 40},
                                              {30, 1, 1 * k_ms, 90},
                                              {20, 1, 30 * k_ms, 20},
                                              {1, 1, 32 * k_ms, 1}});
        Strategy guarded = strategyOf("s", staticRows(2), "sjf", {"recorded", {}});
        guarded.ordering.params["ageing.absolute_s"] = 0.02;
        QVERIFY((runSimulated(workload, guarded).batches()[1] == std::vector<RequestIndex>{2, 4}));
        const RecordedRun by_arrival = runSimulated(workload, quirky(guarded, {"J-11"}));
        VERIFY_NO_FAULTS(validateLog(by_arrival.log));
        QVERIFY((by_arrival.batches()[1] == std::vector<RequestIndex>{2, 3}));

        guarded.ordering.params.erase("ageing.absolute_s");
        guarded.ordering.params["ageing.factor"] = 1.0;
        QVERIFY(runSimulated(workload, guarded).batches()[1][0] != 2U);
        QVERIFY(runSimulated(workload, quirky(guarded, {"J-11"})).batches()[1][0] == 2U);
    }

    void arrivals_stand_at_whole_seconds_by_J3()
    {
        ArrivalSpec spec{"poisson", 3.0};
        const auto drawn = makeArrivals(spec, 200, 7);
        spec.whole_seconds = true;
        const auto counted = makeArrivals(spec, 200, 7);
        for (std::size_t i = 0; i < counted.size(); ++i)
            QCOMPARE(counted[i], drawn[i] / k_s * k_s);
        QVERIFY(describeArrivals(spec).find("J-3") != std::string::npos);
    }

    void provenance_and_comparison_tell_what_was_repeated()
    {
        Provenance provenance;
        provenance.cost_model = "ssjf";
        Strategy strategy;
        QCOMPARE(provenanceSentence(provenance, strategy), provenance.sentence());
        strategy.compat = {"J-7", "J-9"};
        QCOMPARE(provenanceSentence(provenance, strategy),
                 std::string("simulated with ssjf, repeating J-7, J-9 of the published code"));
        RunFacts plain, repeating;
        repeating.strategy = strategy;
        const auto differences = compareFacts(plain, repeating);
        const Difference expected{"published quirks repeated", "none", "J-7, J-9"};
        QVERIFY(std::find(differences.begin(), differences.end(), expected) != differences.end());
    }

    void a_measured_run_gives_nobody_the_answer_of_another()
    {
        const Registry registry = Registry::withBuiltinParts();
        const Strategy strategy = quirky(recomputing(4, 2, 10, "oracle", 20), {"S-1"});
        CheckContext context;
        context.workload_has_lengths = true;
        context.simulated = true;
        QVERIFY(checkStrategy(strategy, registry, context).empty());
        context.simulated = false;
        const auto problems = checkStrategy(strategy, registry, context);
        QCOMPARE(problems.size(), 1U);
        QVERIFY(problems[0].severity == Severity::Refused);
    }
};

BATCHSCOPE_TEST(CompatTest)

} // namespace batchscope::tests

#include "compat_test.moc"
