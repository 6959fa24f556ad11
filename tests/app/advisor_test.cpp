// SPDX-License-Identifier: GPL-3.0-or-later
// The advisor on workloads whose best answer is known by hand.
#include "app/experiment/advisor.h"
#include "scheduler/random.h"
#include "sessions/error.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace batchscope::tests {
namespace {

using app::AdvisedFigures;
using app::Advisor;
using app::AdvisorResult;
using app::Candidate;

// A pass takes 1 ms whatever it carries: the more rows, the better.
constexpr const char* k_free_rows = R"({"schema": "batchscope.cost-model/1", "name": "free-rows",
    "title": "Rows cost nothing", "basis": "made for a test",
    "coefficients_ps": {"pass": 1000000000, "row": 0, "context_token": 0, "prefill_token": 0,
                        "reading_pass": 0},
    "memory": {"kv_bytes_per_token": 1}})";

sessions::SessionDocument sessionOf(const Workbench& bench, const std::string& requests)
{
    bench.write("free-rows.json", k_free_rows);
    bench.write("requests.jsonl", requests);
    auto document = bench.session("requests.jsonl");
    document.backend.preset = bench.file("free-rows.json").string();
    document.strategies.resize(1); // static, 8 rows, first come first served
    return document;
}

// 64 requests of 9 tokens: 10 passes each.
std::string alike()
{
    std::string content;
    for (int i = 0; i < 64; ++i)
        content += "{\"prompt_tokens\": 4, \"output_tokens\": 9}\n";
    return content;
}

const Candidate& candidate(const AdvisorResult& result, const std::string& name)
{
    const auto found = std::find_if(result.candidates.begin(), result.candidates.end(),
                                    [&](const Candidate& one) { return one.strategy.name == name; });
    if (found == result.candidates.end()) qFatal("no candidate is called %s", name.c_str());
    return *found;
}

} // namespace

class AdvisorTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void oneBatchForAllIsBestWhereRowsCostNothing()
    {
        const Workbench bench;
        const AdvisorResult result = Advisor(sessionOf(bench, alike()), {}).run({});
        QCOMPARE(result.requests, std::int64_t{64});
        // 64 x 9 tokens in 10 ms; eight batches of 8 take 80 ms.
        const AdvisedFigures best = *result.candidates[result.frontier.front()].figures;
        QVERIFY(std::abs(best.tokens_per_s - 57'600) < 1e-6);
        QVERIFY(std::abs(best.e2el_p99_s - 0.010) < 1e-9);
        const Candidate& own = result.candidates.front();
        QVERIFY(own.is_own);
        QVERIFY(std::abs(own.figures->tokens_per_s - 7'200) < 1e-6);

        QCOMPARE(result.advice.size(), std::size_t{1});
        const app::Advice& advice = result.advice.front();
        const app::Regret& throughput = advice.regrets[0];
        QCOMPARE(throughput.figure, std::string("throughput"));
        QVERIFY(std::abs(throughput.against_best - 7) < 1e-9);
        QVERIFY(std::abs(throughput.against_oracle - 7) < 1e-9); // lengths are all alike: nothing to know
        QVERIFY(std::abs(advice.regrets[1].against_best - (0.080 - 0.010) / 0.080) < 1e-9);
        QVERIFY2(advice.words.find("700.0 % higher") != std::string::npos, advice.words.c_str());
        QVERIFY2(advice.words.find("64") != std::string::npos, advice.words.c_str());
        QVERIFY2(advice.words.find("87.5 % lower") != std::string::npos, advice.words.c_str());
    }

    void theFrontierHoldsTheLeastMemoryAndNothingThatIsBeaten()
    {
        const Workbench bench;
        auto document = sessionOf(bench, alike());
        document.strategies.front().limits.max_new_tokens = 9; // what a static batch allocates for
        const AdvisorResult result = Advisor(document, {}).run({});
        QVERIFY(candidate(result, "one at a time, fcfs, no predictor").is_on_frontier);
        std::int64_t kv_bytes = std::numeric_limits<std::int64_t>::max();
        double tokens_per_s = std::numeric_limits<double>::infinity();
        for (const std::size_t place : result.frontier) {
            const AdvisedFigures& figures = *result.candidates[place].figures;
            QVERIFY(figures.tokens_per_s <= tokens_per_s);
            tokens_per_s = figures.tokens_per_s;
            kv_bytes = std::min(kv_bytes, figures.kv_bytes);
            for (const Candidate& other : result.candidates)
                QVERIFY2(!other.figures || !other.figures->dominates(figures), other.strategy.name.c_str());
        }
        for (const Candidate& other : result.candidates)
            QVERIFY(!other.figures || other.figures->kv_bytes >= kv_bytes);
        // Whatever is not on it is beaten, or the same as one that is.
        for (const Candidate& other : result.candidates) {
            if (!other.figures || other.is_on_frontier) continue;
            const bool has_better =
                std::any_of(result.frontier.begin(), result.frontier.end(), [&](std::size_t place) {
                    const AdvisedFigures& figures = *result.candidates[place].figures;
                    return figures.dominates(*other.figures) || figures == *other.figures;
                });
            QVERIFY2(has_better, other.strategy.name.c_str());
        }
    }

    void aBestStrategyIsTold()
    {
        const Workbench bench;
        auto document = sessionOf(bench, alike());
        document.strategies.front().batching = {"continuous", {{"slots", std::int64_t{64}}}};
        const AdvisorResult result = Advisor(document, {}).run({});
        const app::Advice& advice = result.advice.front();
        QVERIFY(result.candidates.front().is_on_frontier);
        QVERIFY(!advice.better);
        QCOMPARE(advice.regrets[0].against_best, 0.0);
        QCOMPARE(advice.regrets[1].against_best, 0.0);
        QVERIFY2(advice.words.find("nothing without an oracle does better") != std::string::npos,
                 advice.words.c_str());
    }

    void anOracleOfOnesOwnIsNoAdviceForOthers()
    {
        // Short and long answers by turns in static batches: knowing the lengths pays, and only there.
        std::string content;
        for (int i = 0; i < 64; ++i)
            content += fmt::format("{{\"prompt_tokens\": 4, \"output_tokens\": {}}}\n", i % 2 == 0 ? 9 : 299);
        const Workbench bench;
        auto document = sessionOf(bench, content);
        Strategy knowing = document.strategies.front();
        knowing.name = "knowing";
        knowing.predictor = {"oracle", {}};
        knowing.ordering = {"sjf", {}};
        document.strategies.push_back(knowing);
        const AdvisorResult result = Advisor(document, {}).run({});
        QCOMPARE(result.advice.size(), std::size_t{2});
        QVERIFY(result.candidates[1].figures->tokens_per_s >
                1.5 * result.candidates[0].figures->tokens_per_s);
        for (const app::Regret& regret : result.advice[0].regrets) {
            QVERIFY(regret.best && regret.oracle);
            QVERIFY(result.candidates[*regret.best].quality != app::PredictorQuality::Oracle);
            QVERIFY(result.candidates[*regret.oracle].quality == app::PredictorQuality::Oracle);
        }
    }

    void strategiesThatCannotRunAreNoCandidates()
    {
        const Workbench bench;
        auto document = sessionOf(bench, alike());
        document.strategies.front().limits = {9, 8 * 13}; // KV for eight requests
        const AdvisorResult result = Advisor(document, {}).run({});
        QVERIFY(!candidate(result, "static 16, fcfs, no predictor").figures);
        QVERIFY(!candidate(result, "static 16, fcfs, no predictor").refusal.empty());
        for (const Candidate& one : result.candidates)
            QVERIFY2(!one.figures || one.figures->kv_bytes <= 8 * 13, one.strategy.name.c_str());
        QVERIFY2(app::advisorText(result).find("could not run") != std::string::npos,
                 app::advisorText(result).c_str());
    }

    void everyCandidateIsAStrategyThatMakesSense()
    {
        const Registry registry = app::fullRegistry();
        const auto all = app::advisorCandidates({512, {}});
        QVERIFY(all.size() > 100);
        std::set<std::string> names;
        for (const Candidate& one : all) {
            QVERIFY2(names.insert(one.strategy.name).second, one.strategy.name.c_str());
            for (const Problem& problem : checkStrategy(one.strategy, registry, {true, false, true}))
                QVERIFY2(false, (one.strategy.name + ": " + problem.message).c_str());
        }
    }

    // On random workloads: no regret is negative, the best has none, and knowing every length is at least as
    // good as guessing it, in the same mode and size, on average.
    void regretIsNeverNegativeAndTheOracleIsNoWorseThanTheSameWithNoise()
    {
        double oracle_s = 0, noisy_s = 0;
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            qInfo("seed %d", static_cast<int>(seed));
            Random random(seed);
            std::string content;
            for (int i = 0; i < 60; ++i)
                content += fmt::format("{{\"prompt_tokens\": {}, \"output_tokens\": {}}}\n",
                                       1 + random.below(40), 1 + random.below(i % 5 == 0 ? 400 : 40));
            const Workbench bench;
            auto document = sessionOf(bench, content);
            document.workload.arrivals = {"poisson", 20.0};
            document.workload.seed = seed;
            const AdvisorResult result = Advisor(document, {}).run({});
            for (const app::Advice& advice : result.advice)
                for (const app::Regret& regret : advice.regrets) {
                    QVERIFY(regret.against_best >= 0 && regret.against_oracle >= 0);
                    if (regret.best == advice.own) QCOMPARE(regret.against_best, 0.0);
                }
            // The best candidates, made the session's own, have nothing to regret.
            for (const app::Regret& regret : result.advice.front().regrets) {
                auto best = document;
                best.strategies = {result.candidates[*regret.best].strategy};
                const AdvisorResult again = Advisor(best, {}).run({});
                for (const app::Regret& now : again.advice.front().regrets)
                    if (now.figure == regret.figure) QCOMPARE(now.against_best, 0.0);
            }
            for (const Candidate& one : result.candidates) {
                const std::string mark = ", sjf, oracle";
                if (!one.figures || !one.strategy.name.ends_with(mark)) continue;
                const std::string stem = one.strategy.name.substr(0, one.strategy.name.size() - 6);
                for (const Candidate& other : result.candidates) {
                    if (!other.figures || other.strategy.name != stem + "predictor, error factor 1.00")
                        continue;
                    oracle_s += one.figures->e2el_p99_s;
                    noisy_s += other.figures->e2el_p99_s;
                }
            }
        }
        QVERIFY(noisy_s > 0);
        QVERIFY2(oracle_s <= noisy_s * 1.01, qPrintable(QString("%1 against %2").arg(oracle_s).arg(noisy_s)));
    }

    void oneThreadAndFourGiveTheSameBytes()
    {
        const Workbench bench;
        bench.writeRequests("varied.jsonl", 70);
        auto document = bench.session("varied.jsonl");
        document.workload.arrivals = {"poisson", 3.0};
        const AdvisorResult serial = Advisor(document, {{}, 1, {}}).run({});
        const AdvisorResult parallel = Advisor(document, {{}, 4, {}}).run({});
        QCOMPARE(app::advisorJson(parallel), app::advisorJson(serial));
        QCOMPARE(app::advisorText(parallel), app::advisorText(serial));
    }
};

BATCHSCOPE_TEST(AdvisorTest)

} // namespace batchscope::tests

#include "advisor_test.moc"
