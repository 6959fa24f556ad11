// SPDX-License-Identifier: GPL-3.0-or-later
// The scheduling loop on a real model: every strategy delivers each prompt's own tokens, whatever it batches,
// predicts wrongly, or computes twice.
#include "scheduler/clock.h"
#include "tests/support/recorded_run.h"
#include "tests/support/simulated_run.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_models.h"
#include "tests/support/workloads.h"

#include <set>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

constexpr int k_cap = 60;
constexpr std::int64_t k_kv_bytes_per_token =
    2 * 2 * 2 * 16 * 4; // layers, keys and values, heads, width, bytes

} // namespace

class TorchLoop : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        RandomLlama shape;
        shape.vocabulary = 40; // a small one, so that ends come often and at all lengths
        m_model = m_models.make("model", shape);
        Random random(31);
        for (int i = 0; i < 24; ++i) {
            Request request;
            request.index = static_cast<RequestIndex>(i);
            request.prompt_ids =
                randomPrompt(random, 1 + static_cast<int>(random.below(30)), shape.vocabulary);
            request.prompt_tokens = static_cast<int>(request.prompt_ids.size());
            request.predicted_tokens = 1 + static_cast<int>(random.below(k_cap)); // mostly wrong
            m_workload.requests.push_back(request);
        }
        m_workload.sampling.temperature = 0.8; // lengths vary, and a slip of one bit would show
        m_workload.sampling.top_p = 0.95;
        m_reference = run(strategyOf("one by one", staticRows(1), "fcfs", {"none", {}}, "none", k_cap));
        QCOMPARE(m_reference.status, RunStatus::Completed);
    }
    void cleanupTestCase() { m_model.reset(); }

    void everyStrategyDeliversTheSameTokens_data()
    {
        QTest::addColumn<int>("strategy");
        for (std::size_t i = 0; i < strategies().size(); ++i)
            QTest::newRow(strategies()[i].name.c_str()) << static_cast<int>(i);
    }
    void everyStrategyDeliversTheSameTokens()
    {
        QFETCH(int, strategy);
        const Strategy chosen = strategies()[static_cast<std::size_t>(strategy)];
        const RecordedRun made = run(chosen);
        QVERIFY2(made.status == RunStatus::Completed,
                 std::get<RunEnded>(made.log.back().body).message.c_str());
        QCOMPARE(validateLog(made.log), std::vector<std::string>{});
        QCOMPARE(made.usefulTokens(), m_reference.usefulTokens());
        QCOMPARE(made.delivered().size(), m_workload.requests.size());
        for (const auto& [request, end] : made.delivered()) {
            const auto& tokens = made.tokens.find({request, end.attempt});
            const auto& wanted = m_reference.tokens.find({request, 0});
            const bool any = tokens != made.tokens.end() && !tokens->second.empty();
            QCOMPARE(any ? tokens->second : std::vector<TokenId>{},
                     wanted != m_reference.tokens.end() ? wanted->second : std::vector<TokenId>{});
            QCOMPARE(end.cause, m_reference.delivered().at(request).cause);
        }
        if (chosen.name == "grouped with recomputation") QVERIFY(!made.all<AttemptAbandoned>().empty());
        if (chosen.limits.kv_bytes) QVERIFY(!made.all<Preempted>().empty() && !made.all<Resumed>().empty());
    }

    void endsComeAtManyLengths() // what the comparison above rests on
    {
        int by_end = 0;
        std::set<int> lengths;
        for (const auto& [request, end] : m_reference.delivered()) {
            by_end += end.cause == RowEnd::Eos ? 1 : 0;
            lengths.insert(end.output_tokens);
        }
        QVERIFY(by_end >= 5);
        QVERIFY(lengths.size() >= 5);
    }

private:
    static std::vector<Strategy> strategies()
    {
        const PartSpec recorded{"recorded", {}};
        return {strategyOf("static rows", staticRows(5), "fcfs", {"none", {}}, "none", k_cap),
                strategyOf("shortest first", staticRows(7), "sjf", recorded, "none", k_cap),
                strategyOf("grouped", groupedOf(16, 4, 10), "sjf", recorded, "none", k_cap),
                strategyOf("grouped with recomputation", groupedOf(16, 4, 10), "sjf", recorded, "fcr", k_cap),
                strategyOf("grouped with extension", groupedOf(16, 4, 10), "sjf", recorded, "extend", k_cap),
                strategyOf("variable batches", groupedOf(24, 4, 10, "table"), "sjf", recorded, "fcr", k_cap),
                strategyOf("continuous", continuousOf(5), "fcfs", {"none", {}}, "none", k_cap),
                strategyOf("continuous in chunks",
                           continuousOf(6, {{"token_budget", std::int64_t{9}}, {"chunked_prefill", true}}),
                           "sjf", recorded, "none", k_cap),
                preempting("preempted and read again", "recompute", "srpt"),
                preempting("preempted and kept aside", "keep-kv", "srpt"),
                preempting("out of cache, read again", "recompute", "sjf"),
                preempting("out of cache, kept aside", "keep-kv", "fcfs")};
    }
    // Room for less than three rows at their longest, with six slots: somebody has to go again and again.
    static Strategy preempting(const std::string& name, const std::string& how, const std::string& ordering)
    {
        Strategy strategy = strategyOf(name, continuousOf(6, {{"preemption", how}}), ordering,
                                       {"recorded", {}}, "none", k_cap);
        strategy.limits.kv_bytes = k_kv_bytes_per_token * 240;
        return strategy;
    }
    RecordedRun run(const Strategy& strategy)
    {
        WallClock clock;
        const auto backend = torchPlugin().makeBackend(*m_model, clock);
        static const Registry registry = Registry::withBuiltinParts();
        const auto predictor = registry.makePredictor(strategy.predictor, {&m_workload, &strategy, false});
        return runOn(*backend, clock, m_workload, strategy, predictor.get());
    }

    TorchModels m_models;
    std::unique_ptr<LanguageModel> m_model;
    Workload m_workload;
    RecordedRun m_reference;
};

BATCHSCOPE_TEST(TorchLoop)
#include "torch_loop_test.moc"
