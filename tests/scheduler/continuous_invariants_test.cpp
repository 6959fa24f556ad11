// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every workload in continuous mode, whatever the ordering, the preemption and the bounds.
#include "scheduler/folds/queue_view.h"
#include "scheduler/metrics/metrics.h"
#include "scheduler/predictors/recorded.h"
#include "tests/support/continuous_audit.h"
#include "tests/support/simulated_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <algorithm>

namespace batchscope::tests {
namespace {

struct Case
{
    Workload workload;
    Strategy strategy;
    engine::CostModel model = plainModel();
    ContinuousAudit::Bounds bounds;
};

PartSpec randomOrdering(Random& random, bool preempts, bool ages)
{
    static const std::vector<std::string> k_any = {"fcfs", "sjf",  "ljf",  "bins",
                                                   "hrrn", "fair", "mlfq", "priority"};
    PartSpec ordering{k_any[random.below(static_cast<std::uint32_t>(k_any.size()))], {}};
    if (preempts && random.below(3) == 0) ordering.type = "srpt";
    if (ordering.type == "priority") ordering.params["preemptive"] = random.below(2) == 0;
    if (ordering.type == "mlfq") {
        ordering.params["quantum"] = std::int64_t{1 + random.below(12)};
        if (random.below(2) == 0) ordering.params["promote_after_s"] = 0.02;
    }
    if (ages) {
        ordering.params["ageing.absolute_s"] = 0.005 + 0.001 * random.below(60);
        if (random.below(2) == 0) ordering.params["ageing.factor"] = 1.0 + random.below(5);
    }
    return ordering;
}

Case randomCase(std::uint64_t seed, std::uint64_t round)
{
    Random random(seed, round);
    Case made;
    const int cap = 4 + static_cast<int>(random.below(40));
    made.workload = randomWorkload(random, 1 + static_cast<int>(random.below(50)), 50);
    for (Request& request : made.workload.requests) {
        request.priority = static_cast<int>(random.below(3));
        request.client = std::string(1, static_cast<char>('a' + random.below(4)));
    }
    if (random.below(4) == 0) {
        made.workload.closed_loop_clients = 1 + static_cast<int>(random.below(6));
        for (Request& request : made.workload.requests)
            request.think_ns = random.below(5) * 1'000'000LL;
    }
    const int slot_count = 1 + static_cast<int>(random.below(8));
    PartSpec batching = continuousOf(slot_count);
    static constexpr const char* k_preemption[] = {"none", "recompute", "keep-kv"};
    const std::string preemption = k_preemption[random.below(3)];
    const bool preempts = preemption != "none";
    batching.params["preemption"] = preemption;
    const int evictions = 1 + static_cast<int>(random.below(4));
    batching.params["most_evictions"] = std::int64_t{evictions};
    const bool chunks = random.below(3) == 0;
    batching.params["chunked_prefill"] = chunks;
    made.bounds = {static_cast<std::size_t>(slot_count), std::nullopt, std::nullopt, evictions};
    if (random.below(2) == 0) {
        const int least = chunks ? 1 : 40 + (preempts ? cap : 0);
        made.bounds.token_budget = least + static_cast<int>(random.below(40));
        batching.params["token_budget"] = std::int64_t{*made.bounds.token_budget};
    }
    if (random.below(2) == 0) made.bounds.kv_tokens = 40 + cap + static_cast<int>(random.below(150));
    made.model.kv_bytes = made.bounds.kv_tokens;
    made.model.context_token_ps = random.below(3) * 1'000'000LL;
    made.model.swap_token_ps = random.below(2) * 50'000'000LL;
    const PartSpec predictor = random.below(2) == 0 || !hasPredictions(made.workload)
                                   ? PartSpec{"oracle", {}}
                                   : PartSpec{"recorded", {}};
    made.strategy = strategyOf("s", batching, "fcfs", predictor,
                               preempts && random.below(4) == 0 ? "demote" : "none", cap);
    made.strategy.ordering = randomOrdering(random, preempts, random.below(3) == 0);
    return made;
}

// That the cases bring about what they are meant to check.
struct Seen
{
    std::int64_t dropped = 0, kept = 0, in_favour = 0, chunks = 0, promoted = 0, joined = 0;
    void add(const RecordedRun& run)
    {
        for (const Preempted& preempted : run.all<Preempted>()) {
            ++(preempted.keeps_kv ? kept : dropped);
            in_favour += preempted.in_favour_of ? 1 : 0;
        }
        for (const Steps& steps : run.all<Steps>())
            for (const PromptRead& read : steps.reads)
                chunks += read.completes ? 0 : 1;
        promoted += static_cast<std::int64_t>(run.all<Promoted>().size());
        for (const BatchFormed& formed : run.all<BatchFormed>())
            joined += static_cast<std::int64_t>(formed.rows.size());
    }
    bool isAll() const
    {
        return std::min({dropped, kept, in_favour, chunks, promoted}) > 1'000 && joined > 50'000;
    }
    std::string text() const
    {
        return fmt::format("dropped {}, kept {}, in favour {}, chunks {}, promoted {}, joined {}", dropped,
                           kept, in_favour, chunks, promoted, joined);
    }
};

std::string described(std::uint64_t round, const Case& made)
{
    const Registry registry = Registry::withBuiltinParts();
    return fmt::format(
        "round {}: {} | {} | {}", round, describePart(made.strategy.ordering, PartKind::Ordering, registry),
        describePart(made.strategy.batching, PartKind::Batching, registry), made.strategy.correction.type);
}

} // namespace

class ContinuousInvariantsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void randomRunsArePossibleKeepTheirBoundsAndDoTheSameWork()
    {
        const std::uint64_t seed = 20'261'130;
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        Seen seen;
        for (std::uint64_t round = 0; round < 3'000; ++round) {
            const Case made = randomCase(seed, round);
            const std::string where = described(round, made);
            RecordedRun run;
            try {
                run = runSimulated(made.workload, made.strategy, made.model);
            } catch (const std::exception& error) {
                QFAIL((where + ": " + error.what()).c_str());
            }
            QVERIFY2(run.status == RunStatus::Completed,
                     (where + ": " + std::get<RunEnded>(run.log.back().body).message).c_str());
            for (const std::string& fault : validateLog(run.log))
                QFAIL((where + ": " + fault).c_str());
            for (const std::string& fault : ContinuousAudit::of(run.log, made.bounds))
                QFAIL((where + ": " + fault).c_str());
            checkWork(made, run, where);
            seen.add(run);
        }
        QVERIFY2(seen.isAll(), seen.text().c_str());
    }

    void aSecondRunIsTheSameToTheByte()
    {
        for (std::uint64_t round = 0; round < 200; ++round) {
            const Case made = randomCase(77, round);
            QVERIFY2(runSimulated(made.workload, made.strategy, made.model).log ==
                         runSimulated(made.workload, made.strategy, made.model).log,
                     described(round, made).c_str());
        }
    }

    // What the window shows first in the queue is what is picked next. (hrrn's seconds of service are the
    // cost model's, which a log does not hold.)
    void theQueueShownIsTheQueueServed()
    {
        int picks = 0;
        for (std::uint64_t round = 0; round < 600; ++round) {
            const Case made = randomCase(78, round);
            if (made.strategy.ordering.type == "hrrn") continue;
            const EventLog log = runSimulated(made.workload, made.strategy, made.model).log;
            QueueView queue(
                queueRulesOf(made.strategy, Registry::withBuiltinParts(), [&](RequestIndex request) {
                    const Request& asked = made.workload.requests[request];
                    return QueueRules::Asker{asked.priority, asked.client};
                }));
            for (const Event& event : log) {
                if (const auto* picked = std::get_if<Picked>(&event.body)) {
                    const auto waiting = queue.waiting();
                    QVERIFY2(
                        !waiting.empty() && waiting.front().request == picked->request,
                        fmt::format("{}: r{} was picked", described(round, made), picked->request).c_str());
                    ++picks;
                }
                queue.append({&event, 1});
            }
            QCOMPARE(queue.size(), std::size_t{0});
        }
        QVERIFY(picks > 10'000);
    }

private:
    static void checkWork(const Case& made, const RecordedRun& run, const std::string& where)
    {
        std::int64_t useful = 0, end_steps = 0;
        const int cap = made.strategy.limits.max_new_tokens;
        for (const Request& request : made.workload.requests) {
            useful += std::min(cap, *request.output_tokens);
            end_steps += *request.output_tokens < cap ? 1 : 0;
        }
        QVERIFY2(run.delivered().size() == made.workload.requests.size(), where.c_str());
        QVERIFY2(run.usefulTokens() == useful, where.c_str());
        const RunMetrics metrics = computeMetrics(run.log, std::nullopt);
        QVERIFY2(metrics.useful_output_tokens == useful, where.c_str());
        // Whatever was preempted: every token was generated once, and nothing was padded.
        QVERIFY2(metrics.steps.useful == useful && metrics.steps.end == end_steps, where.c_str());
        QVERIFY2(metrics.steps.padding == 0 && metrics.steps.abandoned == 0, where.c_str());
        QVERIFY2(!metrics.batches, where.c_str());
    }
};

BATCHSCOPE_TEST(ContinuousInvariantsTest)

} // namespace batchscope::tests

#include "continuous_invariants_test.moc"
