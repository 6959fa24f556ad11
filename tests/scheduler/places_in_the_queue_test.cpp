// SPDX-License-Identifier: GPL-3.0-or-later
// Who keeps which place: evicted requests (public report S7) and scores whose direction is known (S12).
#include "scheduler/metrics/metrics.h"
#include "tests/support/no_faults.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <map>

namespace batchscope::tests {
namespace {

constexpr Nanos k_ms = 1'000'000;
constexpr int k_requests = 60;
constexpr int k_most_evictions = 3;

// Equals that keep coming faster than they are served.
Workload streamOfEquals()
{
    return workloadOf([] {
        std::vector<Job> jobs;
        for (int i = 0; i < k_requests; ++i)
            jobs.push_back({40, 10, i * 20 * k_ms});
        return jobs;
    }());
}

// Scores `sign` times the length of the answer.
class ScoreOfLength : public LengthPredictor
{
public:
    explicit ScoreOfLength(double sign) : m_sign(sign) {}
    PredictionKind kind() const override { return PredictionKind::Rank; }
    PredictionCall predict(std::span<const Request* const> requests) override
    {
        PredictionCall call;
        for (const Request* request : requests) {
            Prediction prediction;
            prediction.score = m_sign * request->output_tokens.value_or(0);
            call.predictions.push_back(prediction);
        }
        return call;
    }

private:
    double m_sign;
};

Registry withRankPredictor()
{
    Registry registry = Registry::withBuiltinParts();
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "scores";
    part.produces = PredictionKind::Rank;
    registry.add(part);
    return registry;
}

std::vector<RequestIndex> servedBy(double sign, const std::string& direction)
{
    const Registry registry = withRankPredictor();
    const Workload workload = workloadOfLengths({30, 5, 60, 12, 1});
    Strategy strategy = strategyOf("by score", {"none", {}}, "rank", {"scores", {}});
    strategy.ordering.params["direction"] = direction;
    VirtualClock clock;
    engine::SimulatedBackend backend(plainModel(), clock);
    ScoreOfLength scores(sign);
    KeptLog kept;
    RunControl control;
    runLoop({&workload, &strategy, &registry, &backend, &scores, &clock}, kept, control, {});
    std::vector<RequestIndex> order;
    for (const Event& event : kept.log)
        if (const auto* picked = std::get_if<Picked>(&event.body)) order.push_back(picked->request);
    return order;
}

} // namespace

class PlacesInTheQueueTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    // A cache of 100 tokens holds two of the requests, which grow to 50 each, and lets in more than it can
    // hold to their ends. Whoever is thrown out comes back by the key it was thrown out with, before all that
    // arrived later; nobody is thrown out more often than is allowed, and everybody ends.
    void theEvictedKeepTheirPlaceAndAllEnd_data()
    {
        QTest::addColumn<QString>("preemption");
        QTest::newRow("recompute") << QString("recompute");
        QTest::newRow("keep-kv") << QString("keep-kv");
    }
    void theEvictedKeepTheirPlaceAndAllEnd()
    {
        QFETCH(const QString, preemption);
        engine::CostModel model = plainModel();
        model.kv_bytes = 100;
        const PartSpec batching = continuousOf(8, {{"preemption", preemption.toStdString()},
                                                   {"most_evictions", std::int64_t{k_most_evictions}}});
        const RecordedRun run = runSimulated(
            streamOfEquals(), strategyOf("s", batching, "fcfs", {"none", {}}, "none", 40), model);
        VERIFY_NO_FAULTS(validateLog(run.log));
        QCOMPARE(run.status, RunStatus::Completed);
        const auto delivered = run.delivered();
        QCOMPARE(delivered.size(), std::size_t{k_requests});
        for (const auto& [request, ended] : delivered)
            QCOMPARE(ended.output_tokens, 40);

        std::map<RequestIndex, int> evictions;
        std::map<RequestIndex, double> key_lost_with; // of those who wait to go on
        int resumed = 0;
        for (const Event& event : run.log) {
            if (const auto* preempted = std::get_if<Preempted>(&event.body)) {
                QVERIFY(++evictions[preempted->request] <= k_most_evictions);
                key_lost_with[preempted->request] = preempted->key;
            } else if (const auto* picked = std::get_if<Picked>(&event.body)) {
                if (const auto lost = key_lost_with.find(picked->request); lost != key_lost_with.end()) {
                    QCOMPARE(picked->key, lost->second);
                    key_lost_with.erase(lost);
                    ++resumed;
                } else {
                    for (const auto& [request, key] : key_lost_with)
                        QVERIFY2(picked->key < key,
                                 "a request that arrived later went ahead of an evicted one");
                }
            }
        }
        QVERIFY2(resumed >= 10, "too few were evicted: the case is too tame");
        QVERIFY(key_lost_with.empty());
        QCOMPARE(computeMetrics(run.log, std::nullopt).preemptions, resumed);
        // By arrival: what one of them loses is bounded too.
        Nanos last_ns = 0;
        for (const RequestFigures& figures : requestFigures(run.log)) {
            QVERIFY(*figures.scheduled_ns >= last_ns);
            last_ns = *figures.scheduled_ns;
        }
    }

    // Scores that grow with the length, and the same negated: told which they are, both serve the shortest
    // first; told the contrary, the longest.
    void aScoresDirectionIsTold()
    {
        const std::vector<RequestIndex> shortest_first{4, 1, 3, 0, 2};
        const std::vector<RequestIndex> longest_first{2, 0, 3, 1, 4};
        QCOMPARE(servedBy(1, "larger-is-longer"), shortest_first);
        QCOMPARE(servedBy(-1, "larger-is-shorter"), shortest_first);
        QCOMPARE(servedBy(-1, "larger-is-longer"), longest_first);
        QCOMPARE(servedBy(1, "larger-is-shorter"), longest_first);
    }
};

BATCHSCOPE_TEST(PlacesInTheQueueTest)

} // namespace batchscope::tests

#include "places_in_the_queue_test.moc"
