// SPDX-License-Identifier: GPL-3.0-or-later
// What a log says of its load: kept up or saturated, and Little's law (public report S13).
#include "scheduler/statistics/hints.h"
#include "tests/support/log_builder.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>

namespace batchscope::tests {
namespace {

// Poisson arrivals of answers of `tokens` tokens: a pass takes 1 ms, so one alone takes tokens + 5 ms.
RecordedRun poissonRun(double arrivals_per_s, int requests, int tokens, int slot_count)
{
    Random random(3);
    std::vector<Job> jobs;
    double at_s = 0;
    for (int i = 0; i < requests; ++i) {
        at_s += random.exponential(1 / arrivals_per_s);
        jobs.push_back({tokens, 4, static_cast<Nanos>(at_s * 1e9), std::nullopt});
    }
    return runSimulated(workloadOf(jobs), strategyOf("continuous", continuousOf(slot_count), "fcfs",
                                                     {"none", {}}, "none", 40'000));
}

bool says(const std::string& words, const std::string& part)
{
    return words.find(part) != std::string::npos;
}

} // namespace

class LoadHintsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // S13: half a request a second that takes 30 s is about 15 at a time, not one half.
    void halfARequestASecondOfThirtySecondsIsFifteenInFlight()
    {
        QVERIFY2(says(inFlightHint(0.5, 30), "about 15 are in flight"), inFlightHint(0.5, 30).c_str());
        // 29,990 passes of 1 ms: 30 s; slots for everybody.
        const RecordedRun run = poissonRun(0.5, 2000, 29'990, 64);
        const auto law = littlesLaw(run.log);
        QVERIFY(law);
        QVERIFY2(std::abs(law->in_system - 15) < 1.2, law->words.c_str());
        QVERIFY2(std::abs(law->gap()) < 1e-6, law->words.c_str());
        QVERIFY2(says(law->words, "in flight"), law->words.c_str());
    }

    void whatIsOfferedIsToldBeforeAndWhereSlotsCannotKeepUp()
    {
        std::vector<Job> jobs;
        for (int i = 0; i < 41; ++i)
            jobs.push_back({29'990, 4, i * 2'000'000'000LL, std::nullopt}); // half a request a second
        VirtualClock clock;
        const engine::SimulatedBackend backend(plainModel(), clock);
        const Strategy strategy =
            strategyOf("continuous", continuousOf(8), "fcfs", {"none", {}}, "none", 40'000);
        const auto offered = offeredLoad(workloadOf(jobs), strategy, backend);
        QVERIFY(offered);
        QCOMPARE(offered->rate_per_s, 0.5);
        QVERIFY(std::abs(offered->service_s - 29.995) < 0.01);
        const std::string words = offeredWords(*offered, 8);
        QVERIFY2(says(words, "about 15 are in flight") && says(words, "rho is at least 1.87") &&
                     says(words, "the queue grows"),
                 words.c_str());
        QVERIFY(!says(offeredWords(*offered, 32), "the queue grows"));
        Workload closed = workloadOf(jobs);
        closed.closed_loop_clients = 4;
        QVERIFY(!offeredLoad(closed, strategy, backend));
        const std::vector<Job> at_once(9, Job{20, 4, 0, std::nullopt});
        QVERIFY(!offeredLoad(workloadOf(at_once), strategy, backend));
    }

    void bothSidesAreTheSameForEveryRunThatEndsEmpty()
    {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Random random(seed);
            const Workload workload = randomWorkload(random, 60, 50);
            for (const Strategy& strategy :
                 {strategyOf("static", staticRows(4)), strategyOf("continuous", continuousOf(3))}) {
                const auto law = littlesLaw(runSimulated(workload, strategy).log);
                QVERIFY(law);
                QVERIFY2(std::abs(law->gap()) < 1e-9 * law->in_system, law->words.c_str());
            }
        }
    }

    void whatWasNotAnsweredIsTheGap()
    {
        LogBuilder log(runOf(2, 1));
        log.arrive(0, 0);
        log.batch({{0, 9, RowEnd::Length}});
        log.arrive(1, log.now()).wait(30'000'000);
        const auto law = littlesLaw(log.finish(RunStatus::Cancelled));
        QVERIFY(law);
        QCOMPARE(law->in_system, 1.0); // one after the other, never nobody
        QVERIFY2(law->gap() != 0 && says(law->words, "1 of 2 requests"), law->words.c_str());
    }

    void anOverloadedQueueIsSaturatedAndAQuietOneIsNot()
    {
        // One slot, 105 ms each: 9.5 requests/s at most.
        const auto busy = loadHint(poissonRun(19, 400, 100, 1).log);
        QVERIFY(busy);
        QVERIFY2(busy->is_saturated && busy->is_growing, busy->words.c_str());
        QVERIFY2(says(busy->words, "Saturated"), busy->words.c_str());
        QVERIFY(busy->completion_rate < 10 && busy->arrival_rate > 15);
        const auto quiet = loadHint(poissonRun(3, 400, 100, 1).log);
        QVERIFY(quiet);
        QVERIFY2(!quiet->is_saturated && !quiet->is_growing, quiet->words.c_str());
        QVERIFY2(says(quiet->words, "kept up"), quiet->words.c_str());
        // More slots than the same load needs.
        QVERIFY(!loadHint(poissonRun(19, 400, 100, 16).log)->is_saturated);
    }

    void noRateCanBeToldOfAFewOrOfAllAtOnce()
    {
        QVERIFY(!loadHint(poissonRun(19, 12, 100, 1).log));
        const std::vector<Job> at_once(100, Job{20, 4, 0, std::nullopt});
        QVERIFY(!loadHint(runSimulated(workloadOf(at_once), strategyOf("static", staticRows(8))).log));
        QVERIFY(!littlesLaw(LogBuilder(runOf(0, 1)).finish()));
    }
};

BATCHSCOPE_TEST(LoadHintsTest)

} // namespace batchscope::tests

#include "load_hints_test.moc"
