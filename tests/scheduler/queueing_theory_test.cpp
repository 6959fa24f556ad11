// SPDX-License-Identifier: GPL-3.0-or-later
// The formulas against each other, and the simulator against the formulas: one server, Poisson arrivals,
// services of a + b tokens.
#include "scheduler/metrics/metrics.h"
#include "scheduler/statistics/applied_theory.h"
#include "scheduler/statistics/bootstrap.h"
#include "scheduler/statistics/queueing_theory.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>

namespace batchscope::tests {
namespace {

struct Length
{
    int tokens;
    double probability;
};
constexpr int k_prompt_tokens = 4;
const std::vector<Length> k_lengths{{10, 0.5}, {40, 0.3}, {150, 0.15}, {400, 0.05}};

double serviceSeconds(int tokens)
{
    return toSeconds(engine::serviceAlone(plainModel(), k_prompt_tokens, tokens + 1));
}

std::vector<JobClass> jobClasses()
{
    std::vector<JobClass> classes;
    for (const Length& length : k_lengths)
        classes.push_back(
            {serviceSeconds(length.tokens), length.probability, static_cast<double>(length.tokens)});
    return classes;
}

int drawnTokens(Random& random)
{
    double u = random.uniform();
    for (const Length& length : k_lengths) {
        if (u < length.probability) return length.tokens;
        u -= length.probability;
    }
    return k_lengths.back().tokens;
}

Workload poissonWorkload(std::uint64_t seed, double arrivals_per_s, int requests)
{
    Random gaps(seed, 1), lengths(seed, 2);
    std::vector<Job> jobs;
    double at_s = 0;
    for (int i = 0; i < requests; ++i) {
        at_s += gaps.exponential(1 / arrivals_per_s);
        jobs.push_back({drawnTokens(lengths), k_prompt_tokens, static_cast<Nanos>(at_s * 1e9), std::nullopt});
    }
    return workloadOf(jobs);
}

// Mean wait of each repetition; the empty start and the end, where nobody comes after, are left out.
std::vector<double> simulatedWaits(const Strategy& strategy, double arrivals_per_s,
                                   const engine::CostModel& model = plainModel())
{
    constexpr int k_repetitions = 40, k_requests = 3000;
    constexpr std::size_t k_edge = 300;
    std::vector<double> means;
    for (std::uint64_t seed = 1; seed <= k_repetitions; ++seed) {
        const RecordedRun run =
            runSimulated(poissonWorkload(seed, arrivals_per_s, k_requests), strategy, model);
        const std::vector<RequestFigures> requests = requestFigures(run.log);
        double sum_s = 0;
        for (std::size_t i = k_edge; i < requests.size() - k_edge; ++i)
            sum_s += toSeconds(*requests[i].scheduled_ns - requests[i].arrival_ns);
        means.push_back(sum_s / static_cast<double>(requests.size() - 2 * k_edge));
    }
    return means;
}

bool isNear(double value, double expected, double relative)
{
    return std::abs(value - expected) <= relative * std::abs(expected);
}

} // namespace

class QueueingTheoryTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void fixedAndExponentialServicesGiveTheKnownWaits()
    {
        // M/D/1 at rho 0.5, service 1 s: 0.5 s. M/M/1 at rho 0.5: twice that.
        QCOMPARE(*fcfsMeanWait(0.5, {1, 1}), 0.5);
        QCOMPARE(*fcfsMeanWait(0.5, {1, 2}), 1.0);
        QCOMPARE(*exponentialMeanWait(0.5, 1), 1.0);
        QVERIFY(!fcfsMeanWait(1, {1, 1}));
        QVERIFY(!exponentialMeanWait(2, 1));
        QVERIFY(!shortestFirstMeanWait(1, {{1, 1, 1}}));
    }

    void shortestFirstOfTwoClassesIsAsByHand()
    {
        // 1 s and 3 s, equally likely, 0.25 a second: rho = 0.5, W0 = 0.25 * 5 / 2 = 0.625; the short ones
        // see load 0.125.
        const std::vector<JobClass> classes{{1, 0.5, 1}, {3, 0.5, 3}};
        const double expected = 0.5 * 0.625 / 0.875 + 0.5 * 0.625 / (0.875 * 0.5);
        QVERIFY(isNear(*shortestFirstMeanWait(0.25, classes), expected, 1e-12));
    }

    void keysThatSayNothingServeFirstCome()
    {
        std::vector<JobClass> classes = jobClasses();
        for (JobClass& jobs : classes)
            jobs.key = 7;
        const ServiceMoments moments = serviceMoments(classes);
        const double rate = 0.7 / moments.mean_s;
        QVERIFY(isNear(*shortestFirstMeanWait(rate, classes), *fcfsMeanWait(rate, moments), 1e-12));
    }

    void aWrongPredictionWaitsLongerThanTheOracle()
    {
        const std::vector<JobClass> right = jobClasses();
        std::vector<JobClass> wrong = right;
        for (JobClass& jobs : wrong)
            jobs.key = -jobs.key;
        const ServiceMoments moments = serviceMoments(right);
        const double rate = 0.8 / moments.mean_s;
        QVERIFY(*shortestFirstMeanWait(rate, right) < *fcfsMeanWait(rate, moments));
        QVERIFY(*fcfsMeanWait(rate, moments) < *shortestFirstMeanWait(rate, wrong));
    }

    void theIntegralAgreesWithManySmallClasses()
    {
        constexpr double k_most_s = 40;
        const auto density = [](double x) { return std::exp(-x); };
        constexpr int k_classes = 40'000;
        std::vector<JobClass> classes;
        for (int i = 0; i < k_classes; ++i) {
            const double from = k_most_s * i / k_classes, to = k_most_s * (i + 1) / k_classes;
            const double middle = (from + to) / 2;
            classes.push_back({middle, std::exp(-from) - std::exp(-to), middle});
        }
        for (const double rate : {0.3, 0.8}) {
            const auto integral = shortestFirstMeanWait(rate, density, k_most_s);
            QVERIFY(integral);
            QVERIFY2(isNear(*integral, *shortestFirstMeanWait(rate, classes), 1e-4),
                     qPrintable(QString::number(*integral)));
            QVERIFY(*integral < *exponentialMeanWait(rate, 1)); // first come first served
        }
        QVERIFY(!shortestFirstMeanWait(1.1, density, k_most_s));
    }

    void theoryIsGivenForTheRunsItKnowsAndForNoOther()
    {
        const ServiceMoments moments = serviceMoments(jobClasses());
        const double rate = 0.6 / moments.mean_s;
        Workload workload = poissonWorkload(5, rate, 20'000);
        workload.arrivals = "poisson";
        VirtualClock clock;
        const engine::SimulatedBackend backend(plainModel(), clock);
        const auto waitOf = [&](const Strategy& strategy) {
            return theoreticalWait(workload, strategy, backend);
        };
        const Strategy first_come = strategyOf("fcfs", {"none", {}});
        const Strategy shortest = strategyOf("sjf", continuousOf(1), "sjf", {"oracle", {}});
        QVERIFY(waitOf(first_come) && waitOf(shortest));
        QVERIFY(isNear(waitOf(first_come)->utilization, 0.6, 0.05));
        QVERIFY(isNear(waitOf(first_come)->mean_wait_s, *fcfsMeanWait(rate, moments), 0.1));
        QVERIFY(isNear(waitOf(shortest)->mean_wait_s, *shortestFirstMeanWait(rate, jobClasses()), 0.1));
        QVERIFY(waitOf(strategyOf("rows", staticRows(1))) == waitOf(first_come));

        QVERIFY(!waitOf(strategyOf("rows", staticRows(2))));
        QVERIFY(!waitOf(strategyOf("slots", continuousOf(2))));
        QVERIFY(!waitOf(strategyOf("window", staticRows(1, 0.5))));
        QVERIFY(!waitOf(strategyOf("noisy", {"none", {}}, "sjf", {"noisy-oracle", {}})));
        QVERIFY(!waitOf(strategyOf("longest", {"none", {}}, "ljf", {"oracle", {}})));
        Strategy ageing = shortest;
        ageing.ordering.params["ageing.absolute_s"] = 3.0;
        QVERIFY(!waitOf(ageing));
        Strategy slow = shortest;
        slow.predictor.params["per_call_s"] = 0.01;
        QVERIFY(!waitOf(slow));
        Workload even = workload;
        even.arrivals = "even 2/s";
        QVERIFY(!theoreticalWait(even, first_come, backend));
        Workload overloaded = poissonWorkload(5, 1.2 / moments.mean_s, 2000);
        overloaded.arrivals = "poisson";
        QVERIFY(!theoreticalWait(overloaded, first_come, backend));
    }

    void theSimulatorAgreesWithTheoryWithinItsInterval_data()
    {
        QTest::addColumn<bool>("shortest_first");
        QTest::addColumn<double>("rho");
        QTest::newRow("fcfs, half busy") << false << 0.5;
        QTest::newRow("fcfs, busy") << false << 0.8;
        QTest::newRow("sjf, half busy") << true << 0.5;
        QTest::newRow("sjf, busy") << true << 0.8;
    }

    void theSimulatorAgreesWithTheoryWithinItsInterval()
    {
        QFETCH(bool, shortest_first);
        QFETCH(double, rho);
        const std::vector<JobClass> classes = jobClasses();
        const ServiceMoments moments = serviceMoments(classes);
        const double rate = rho / moments.mean_s;
        const double first_come = *fcfsMeanWait(rate, moments);
        const double shortest = *shortestFirstMeanWait(rate, classes);

        const Strategy strategy = shortest_first ? strategyOf("sjf", {"none", {}}, "sjf", {"oracle", {}})
                                                 : strategyOf("fcfs", {"none", {}});
        const std::vector<double> waits = simulatedWaits(strategy, rate);
        const auto interval =
            bootstrapInterval(waits, meanOf, {.level = 0.99, .method = BootstrapMethod::Bca});
        QVERIFY(interval);
        const QString found = QString("mean wait %1 s, interval %2 to %3 s; theory: fcfs %4 s, sjf %5 s")
                                  .arg(meanOf(waits))
                                  .arg(interval->low)
                                  .arg(interval->high)
                                  .arg(first_come)
                                  .arg(shortest);
        qInfo("%s", qPrintable(found));
        QVERIFY2(interval->holds(shortest_first ? shortest : first_come), qPrintable(found));
        // ... and the interval is narrow enough to tell the two apart.
        QVERIFY2(!interval->holds(shortest_first ? first_come : shortest), qPrintable(found));
    }

    // The agreement above means something: a simulator whose passes take 5 % too long does not agree.
    void aSimulatorThatIsFivePercentOffIsFoundOut()
    {
        const ServiceMoments moments = serviceMoments(jobClasses());
        engine::CostModel dear = plainModel();
        dear.pass_ps = dear.pass_ps * 105 / 100;
        dear.prefill_token_ps = dear.prefill_token_ps * 105 / 100;
        for (const double rho : {0.5, 0.8}) {
            const double rate = rho / moments.mean_s;
            const auto interval =
                bootstrapInterval(simulatedWaits(strategyOf("fcfs", {"none", {}}), rate, dear), meanOf,
                                  {.level = 0.99, .method = BootstrapMethod::Bca});
            const double theory = *fcfsMeanWait(rate, moments);
            QVERIFY2(!interval->holds(theory), qPrintable(QString("rho %1: %2 to %3 holds %4")
                                                              .arg(rho)
                                                              .arg(interval->low)
                                                              .arg(interval->high)
                                                              .arg(theory)));
        }
    }
};

BATCHSCOPE_TEST(QueueingTheoryTest)

} // namespace batchscope::tests

#include "queueing_theory_test.moc"
