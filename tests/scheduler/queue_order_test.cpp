// SPDX-License-Identifier: GPL-3.0-or-later
// The queue as it is shown: in the order in which the run's own ordering serves it, with those who lost their
// place, and with the reason of each decision.
#include "scheduler/folds/queue_view.h"
#include "scheduler/registry.h"
#include "tests/support/log_builder.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

namespace batchscope::tests {
namespace {

QueueView queueOf(const Strategy& strategy, const Workload& workload = {})
{
    return QueueView(queueRulesOf(strategy, Registry::withBuiltinParts(), [workload](RequestIndex request) {
        if (request >= workload.requests.size()) return QueueRules::Asker{};
        return QueueRules::Asker{workload.requests[request].priority, workload.requests[request].client};
    }));
}

Strategy orderedBy(const std::string& ordering, std::map<std::string, ParamValue> params = {})
{
    Strategy strategy = strategyOf("s", {"static", {}}, ordering, {"oracle", {}}, "none", 512);
    strategy.ordering.params = std::move(params);
    return strategy;
}

// Three requests that arrive together, predicted 120, 30 and 130 tokens; of priorities 2, 1 and 0.
std::vector<RequestIndex> orderUnder(const Strategy& strategy)
{
    Workload workload = workloadOf({{120}, {30}, {130}});
    for (Request& request : workload.requests)
        request.priority = 2 - static_cast<int>(request.index);
    LogBuilder builder(runOf(3, 1));
    builder.arrive(0, 0).arrive(1, 0).arrive(2, 0);
    builder.predict(0, 120).predict(1, 30).predict(2, 130);
    QueueView view = queueOf(strategy, workload);
    view.append(builder.log());
    std::vector<RequestIndex> order;
    for (const WaitingRequest& waiting : view.waiting())
        order.push_back(waiting.request);
    return order;
}

using Order = std::vector<RequestIndex>;

} // namespace

class QueueOrderTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theQueueIsInTheRunsOwnOrder()
    {
        QVERIFY(orderUnder(orderedBy("fcfs")) == Order({0, 1, 2}));
        QVERIFY(orderUnder(orderedBy("sjf")) == Order({1, 0, 2}));
        QVERIFY(orderUnder(orderedBy("ljf")) == Order({2, 0, 1}));
        QVERIFY(orderUnder(orderedBy("bins", {{"width", std::int64_t{200}}})) == Order({0, 1, 2}));
        QVERIFY(orderUnder(orderedBy("bins", {{"width", std::int64_t{100}}})) == Order({1, 0, 2}));
        QVERIFY(orderUnder(orderedBy("priority")) == Order({2, 1, 0}));
    }

    void whatAnotherVersionKeptIsShownByArrival()
    {
        QVERIFY(orderUnder(orderedBy("of-the-future")) == Order({0, 1, 2}));
    }

    void thePromotedGoFirst()
    {
        LogBuilder builder(runOf(3, 1));
        builder.arrive(0, 0).arrive(1, 0).arrive(2, 0);
        builder.predict(0, 120).predict(1, 30).predict(2, 130);
        builder.add(Promoted{2, 5, 4});
        QueueView view = queueOf(orderedBy("sjf"));
        view.append(builder.log());
        const auto waiting = view.waiting();
        QCOMPARE(waiting[0].request, 2U);
        QVERIFY(waiting[0].aged && !waiting[1].aged);
        QCOMPARE(waiting[0].moved, 2);
        QCOMPARE(waiting[1].request, 1U);
        QCOMPARE(waiting[1].key, 30.0);
    }

    // One slot. r0 of 10 tokens runs; r1 of 2 tokens arrives and takes its place; r0 waits with what it has.
    void whoLosesItsPlaceWaitsAgainAndBothDecisionsSayWhy()
    {
        const Workload workload = workloadOf({{10, 1, 0}, {2, 1, 5'500'000}});
        Strategy strategy = strategyOf("s", continuousOf(1, {{"preemption", std::string("recompute")}}),
                                       "srpt", {"oracle", {}}, "none", 100);
        const RecordedRun run = runSimulated(workload, strategy);
        const auto lost = std::find_if(run.log.begin(), run.log.end(), [](const Event& event) {
            return std::holds_alternative<Preempted>(event.body);
        });
        QVERIFY(lost != run.log.end());
        QueueView view = queueOf(strategy);
        view.append(std::span(run.log.begin(), lost + 1));
        QVERIFY(view.waiting().size() == 2);
        QCOMPARE(view.waiting()[0].request, 1U);
        const WaitingRequest again = view.waiting()[1];
        QVERIFY(again.request == 0 && again.preempted);
        QCOMPARE(again.generated, 5);
        QCOMPARE(again.key, 5.0); // left of its 10
        view.append(std::span(lost + 1, run.log.end()));
        QCOMPARE(view.size(), std::size_t{0});
        QCOMPARE(view.decisions().size(), std::size_t{4});
        QCOMPARE(
            explain(view.decisions()[0]),
            std::string("r0 goes next into slot 0. Predicted 10 tokens; waited 0.0 s. Nobody else waited."));
        QCOMPARE(
            explain(view.decisions()[1]),
            std::string("r0 loses slot 0 to r1. Its key 5 goes behind 2. It waits; its prompt and 5 tokens "
                        "will be read again."));
        QCOMPARE(
            explain(view.decisions()[3]),
            std::string("r0 comes back into slot 0: its prompt and 5 tokens are read again. Predicted 10 "
                        "tokens; waited 0.0 s. Nobody else waited."));
    }

    // The time it ran is no waiting (papers.md J-12): r0 waits 2 passes and a read, from 7 ms to 11 ms.
    void theTimeThatAPreemptedRequestRanIsNoWaiting()
    {
        Strategy strategy = strategyOf("s", continuousOf(1, {{"preemption", std::string("keep-kv")}}), "srpt",
                                       {"oracle", {}}, "none", 100);
        const RecordedRun run = runSimulated(workloadOf({{10, 1, 0}, {2, 1, 5'500'000}}), strategy);
        const auto picks = run.all<Picked>();
        QCOMPARE(picks.size(), std::size_t{3});
        QCOMPARE(picks[2].request, 0U);
        QCOMPARE(run.times<Preempted>(), std::vector<Nanos>{6'000'000});
        QCOMPARE(run.times<Picked>()[2] - run.times<Preempted>()[0], picks[2].waited_ns);
        QVERIFY(validateLog(run.log).empty());
    }

    void aFullCacheIsGivenAsTheReason()
    {
        Decision decision;
        decision.preempted = Preempted{3, 0, 2, 40.0, std::nullopt, 0.0, true};
        decision.generated = 1;
        QCOMPARE(
            explain(decision),
            std::string("r3 loses slot 2. The next pass would not fit into the KV budget, and its key 40 is "
                        "the worst of those that run. It waits with its 1 token kept."));
    }
};

BATCHSCOPE_TEST(QueueOrderTest)

} // namespace batchscope::tests

#include "queue_order_test.moc"
