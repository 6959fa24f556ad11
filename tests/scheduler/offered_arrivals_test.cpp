// SPDX-License-Identifier: GPL-3.0-or-later
// What was asked of the loop and what it did with it: requests taken in late or in clumps, a rate that is not
// reached (public reports W6, W11).
#include "scheduler/metrics/metrics.h"
#include "scheduler/workload/arrivals.h"
#include "tests/support/no_faults.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <algorithm>
#include <cmath>

using namespace batchscope;
using namespace batchscope::tests;

namespace {

constexpr Nanos k_ms = 1'000'000;

double achieved(const RecordedRun& run)
{
    return computeMetrics(run.log, std::nullopt).achieved_arrival_rate.value_or(0);
}

} // namespace

class OfferedArrivalsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // W6: 200/s for 10 s. The loop takes requests in between two passes, so nobody waits for it longer than a
    // pass; that wait is recorded, and latencies begin at the arrival, not when the loop came round.
    void requestsAreTakenInBetweenTwoPasses()
    {
        const auto arrivals = makeArrivals({"poisson", 200.0}, 2000, 42);
        std::vector<Job> jobs;
        for (const Nanos at_ns : arrivals)
            jobs.push_back({3, 1, at_ns, std::nullopt});
        const RecordedRun run = runSimulated(workloadOf(jobs), strategyOf("continuous", continuousOf(64)));
        VERIFY_NO_FAULTS(validateLog(run.log));
        const RunMetrics metrics = computeMetrics(run.log, std::nullopt);
        QVERIFY2(std::abs(*metrics.achieved_arrival_rate - 200) < 6,
                 qPrintable(QString::number(*metrics.achieved_arrival_rate)));
        QCOMPARE(metrics.dispatch_lateness_s.n, 2000);
        QVERIFY2(*metrics.dispatch_lateness_s.median < 0.002,
                 qPrintable(QString::number(*metrics.dispatch_lateness_s.median)));
        Nanos longest_pass_ns = 0;
        for (const Steps& steps : run.all<Steps>())
            longest_pass_ns =
                std::max(longest_pass_ns, (steps.first_ps + steps.growth_ps * steps.count) / 1000);
        double ttft_s = 0;
        for (const RequestFigures& request : requestFigures(run.log)) {
            const auto i = static_cast<std::size_t>(request.request);
            QCOMPARE(request.arrival_ns, arrivals[i]); // as planned, however late the loop was
            QVERIFY(request.dispatched_ns >= request.arrival_ns);
            QVERIFY(request.dispatched_ns - request.arrival_ns <= longest_pass_ns);
            QVERIFY(*request.scheduled_ns >= request.dispatched_ns);
            ttft_s += toSeconds(*request.first_token_ns - arrivals[i]);
        }
        QVERIFY(std::abs(*metrics.ttft_s.mean - ttft_s / 2000) < 1e-9);
    }

    // A pass of half a second makes them later than 2 ms: the figure says so instead of moving the arrivals.
    void aSlowLoopIsSeenAsLateness()
    {
        engine::CostModel slow = plainModel();
        slow.pass_ps = 500'000'000'000;
        std::vector<Job> jobs;
        for (int i = 0; i < 40; ++i)
            jobs.push_back({20, 1, i * 50 * k_ms, std::nullopt});
        const RecordedRun run =
            runSimulated(workloadOf(jobs), strategyOf("continuous", continuousOf(64)), slow);
        const RunMetrics metrics = computeMetrics(run.log, std::nullopt);
        QVERIFY(std::abs(*metrics.achieved_arrival_rate - 20) < 1e-9);
        QVERIFY(*metrics.dispatch_lateness_s.median > 0.1);
    }

    // W11: four clients that think for 50 ms would ask 80 times a second if answers took no time. Answers
    // take 4 ms at least and think times differ, so less arrives, and the figure says how much.
    void aClosedLoopFallsBehindTheRateItCouldReach()
    {
        Distribution times;
        times.kind = Distribution::Kind::Gamma;
        times.mean = 0.05;
        times.shape = 0.25;
        const Draws think(times, "think_s");
        Random random(42, 0);
        Workload workload = workloadOf(std::vector<Job>(400, {3, 1, 0, std::nullopt}));
        workload.closed_loop_clients = 4;
        for (Request& request : workload.requests)
            request.think_ns = static_cast<Nanos>(think.real(random) * 1e9);
        const RecordedRun run = runSimulated(workload, strategyOf("continuous", continuousOf(4)));
        VERIFY_NO_FAULTS(validateLog(run.log));
        std::vector<Nanos> at_ns;
        for (const Arrived& arrived : run.all<Arrived>())
            at_ns.push_back(arrived.arrival_ns);
        const auto [first, last] = std::minmax_element(at_ns.begin(), at_ns.end());
        QVERIFY(std::abs(achieved(run) - 399 / toSeconds(*last - *first)) < 1e-9);
        QVERIFY2(achieved(run) > 55 && achieved(run) < 78, qPrintable(QString::number(achieved(run))));
    }
};

BATCHSCOPE_TEST(OfferedArrivalsTest)
#include "offered_arrivals_test.moc"
