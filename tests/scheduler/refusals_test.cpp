// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused before a run, and in which words: the thing, the value, the bound, the remedy.
#include "scheduler/error.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

namespace batchscope::tests {
namespace {

const Registry& builtin()
{
    static const Registry k_registry = Registry::withBuiltinParts();
    return k_registry;
}

constexpr CheckContext k_everything_known{true, true, true};

std::vector<Problem> problemsOf(const Strategy& strategy, const CheckContext& context = k_everything_known,
                                const Registry& registry = builtin())
{
    return checkStrategy(strategy, registry, context);
}

// Exactly one problem, of this severity and part, that says all of this.
void expectOne(const std::vector<Problem>& problems, Severity severity, PartKind part,
               const std::vector<std::string>& texts)
{
    std::string shown;
    for (const Problem& problem : problems)
        shown += problem.message + "\n";
    QVERIFY2(problems.size() == 1, shown.c_str());
    QVERIFY2(problems[0].severity == severity && problems[0].part == part, shown.c_str());
    for (const std::string& text : texts)
        QVERIFY2(shown.find(text) != std::string::npos, ("lacks \"" + text + "\": " + shown).c_str());
}

// The run throws before its first event, and says all of this.
void expectRefused(const Workload& workload, const Strategy& strategy, const std::vector<std::string>& texts,
                   FakeOptions options = {})
{
    FakeBackend backend(std::move(options));
    VirtualClock clock;
    KeptLog kept;
    RunControl control;
    std::string message;
    try {
        runLoop({&workload, &strategy, &builtin(), &backend, nullptr, &clock}, kept, control, {});
    } catch (const SchedulerError& error) {
        message = error.what();
    }
    QVERIFY2(!message.empty(), "it was not refused");
    QVERIFY(kept.log.empty());
    QCOMPARE(backend.runs(), 0);
    for (const std::string& text : texts)
        QVERIFY2(message.find(text) != std::string::npos, ("lacks \"" + text + "\": " + message).c_str());
}

FakeOptions withKv(std::int64_t kv_bytes, std::int64_t bytes_per_token)
{
    FakeOptions options;
    options.capabilities.kv_bytes = kv_bytes;
    options.capabilities.kv_bytes_per_token = bytes_per_token;
    return options;
}

// A part of another program, such as a rank predictor.
Registry withRankPredictor()
{
    Registry registry = Registry::withBuiltinParts();
    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "rank";
    part.produces = PredictionKind::Rank;
    registry.add(part);
    part.type = "pooled";
    part.produces = PredictionKind::Tokens;
    part.model_bound = true;
    registry.add(part);
    return registry;
}

} // namespace

class RefusalsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void goodStrategiesHaveNoProblem()
    {
        QVERIFY(problemsOf(Strategy{}).empty());
        QVERIFY(problemsOf(strategyOf("s", {"none", {}})).empty());
        QVERIFY(problemsOf(strategyOf("s", groupedOf(256, 16, 50, "table"), "sjf", {"oracle", {}}, "fcr"))
                    .empty());
    }
    void unknownParts()
    {
        expectOne(problemsOf(strategyOf("s", {"dynamic", {}})), Severity::Refused, PartKind::Batching,
                  {"batching 'dynamic' is unknown", "none, static, grouped, continuous"});
        expectOne(problemsOf(strategyOf("s", staticRows(4), "lifo")), Severity::Refused, PartKind::Ordering,
                  {"ordering 'lifo' is unknown", "fcfs, sjf, srpt"});
        expectOne(problemsOf(strategyOf("s", staticRows(4), "fcfs", {"tarot", {}})), Severity::Refused,
                  PartKind::Predictor,
                  {"predictor 'tarot' is unknown", "none, constant, oracle, noisy-oracle, recorded"});
        expectOne(problemsOf(strategyOf("s", staticRows(4), "fcfs", {"none", {}}, "shrink")),
                  Severity::Refused, PartKind::Correction,
                  {"correction 'shrink' is unknown", "none, fcr, extend, demote"});
    }
    void parametersOutOfRangeOrOfAnotherType()
    {
        expectOne(problemsOf(strategyOf("s", staticRows(0))), Severity::Refused, PartKind::Batching,
                  {"batching 'static'", "rows is 0", "1 to 4096 requests"});
        expectOne(problemsOf(strategyOf("s", staticRows(4, -1))), Severity::Refused, PartKind::Batching,
                  {"window_s is -1", "0 to 86400 s"});
        PartSpec spec = staticRows(4);
        spec.params["rows"] = std::string("many");
        expectOne(problemsOf(strategyOf("s", spec)), Severity::Refused, PartKind::Batching,
                  {"rows is \"many\""});
        spec.params["rows"] = 2.5;
        expectOne(problemsOf(strategyOf("s", spec)), Severity::Refused, PartKind::Batching, {"rows is 2.5"});
        spec.params["rows"] = std::monostate{};
        expectOne(problemsOf(strategyOf("s", spec)), Severity::Refused, PartKind::Batching, {"rows is null"});
        expectOne(problemsOf(strategyOf("s", groupedOf(16, 4, 50, "tabel"), "sjf", {"oracle", {}})),
                  Severity::Refused, PartKind::Batching, {"vbs is \"tabel\"", "off, table, memory"});
    }
    void unknownParametersAreWarnedAbout()
    {
        Strategy strategy = strategyOf("s", staticRows(4));
        strategy.ordering.params["decay_s"] = 3.0;
        expectOne(problemsOf(strategy), Severity::Warned, PartKind::Ordering,
                  {"ordering 'fcfs' has no parameter 'decay_s'"});
        strategy.ordering.params["decay_s"] = std::monostate{}; // null asks for nothing
        QVERIFY(problemsOf(strategy).empty());
    }
    void limitsAndBounds()
    {
        expectOne(problemsOf(strategyOf("s", staticRows(4), "fcfs", {"none", {}}, "none", 0)),
                  Severity::Refused, PartKind::Batching, {"limits.max_new_tokens is 0"});
        Strategy strategy;
        strategy.limits.kv_bytes = 0;
        expectOne(problemsOf(strategy), Severity::Refused, PartKind::Batching, {"limits.kv_bytes is 0"});
        strategy.limits.kv_bytes.reset();
        strategy.slo = Slo{0.0, {}, {}};
        expectOne(problemsOf(strategy), Severity::Refused, PartKind::Batching, {"slo.ttft_s is 0"});
        strategy.slo.reset();
        strategy.compat = {"S-2"};
        expectOne(problemsOf(strategy), Severity::Refused, PartKind::Batching,
                  {"compat 'S-2' is unknown here", "S-1, S-4, S-5, J-2, J-3, J-7, J-9, J-10, J-11"});
        strategy.compat = {"S-5"}; // static batches recompute nothing
        expectOne(problemsOf(strategy), Severity::Warned, PartKind::Batching,
                  {"compat 'S-5' changes nothing here", "correction fcr"});
    }
    void combinationsThatMakeNoSense()
    {
        expectOne(problemsOf(strategyOf("s", staticRows(4), "fcfs", {"oracle", {}}, "fcr")),
                  Severity::Refused, PartKind::Correction, {"no groups", "batching grouped"});
        expectOne(problemsOf(strategyOf("s", groupedOf(16, 4, 50), "fcfs", {"none", {}}, "fcr")),
                  Severity::Refused, PartKind::Correction, {"predictor 'none'", "tokens or classes"});
        expectOne(problemsOf(strategyOf("s", groupedOf(16, 4, 50, "table"), "fcfs", {"oracle", {}})),
                  Severity::Refused, PartKind::Batching, {"ordering 'fcfs'", "ordering sjf"});
        for (const char* vbs : {"table", "memory"}) {
            const auto problems = problemsOf(strategyOf("s", groupedOf(16, 4, 50, vbs), "sjf"));
            QCOMPARE(problems.size(), 2U);
            QVERIFY(problems[0].severity == Severity::Warned);
            QVERIFY(problems[1].severity == Severity::Refused);
        }
    }
    void aLengthOrderingWithoutAPredictorIsWarnedAbout()
    {
        expectOne(problemsOf(strategyOf("s", staticRows(4), "sjf")), Severity::Warned, PartKind::Ordering,
                  {"every key is the cap"});
    }
    void ageingOfGroupsIsWarnedAbout()
    {
        Strategy strategy = strategyOf("s", groupedOf(16, 4, 50));
        QVERIFY(problemsOf(strategy).empty());
        strategy.ordering.params["ageing.absolute_s"] = 5.0;
        expectOne(problemsOf(strategy), Severity::Warned, PartKind::Ordering, {"ageing changes nothing"});
        strategy.batching = staticRows(4);
        QVERIFY(problemsOf(strategy).empty());
    }
    void aRankHasNoUnit()
    {
        const Registry registry = withRankPredictor();
        const PartSpec rank{"rank", {}};
        expectOne(problemsOf(strategyOf("s", staticRows(4), "sjf", rank), k_everything_known, registry),
                  Severity::Refused, PartKind::Ordering, {"ranks without a unit"});
        expectOne(problemsOf(strategyOf("s", groupedOf(16, 4, 50), "fcfs", rank, "fcr"), k_everything_known,
                             registry),
                  Severity::Refused, PartKind::Correction, {"predictor 'rank' gives no number of tokens"});
    }
    void predictorsThatLackWhatTheyRead()
    {
        const CheckContext nothing{true, false, false};
        expectOne(problemsOf(strategyOf("s", staticRows(4), "sjf", {"recorded", {}}), nothing),
                  Severity::Refused, PartKind::Predictor, {"predicted_tokens"});
        for (const char* type : {"oracle", "noisy-oracle"})
            expectOne(problemsOf(strategyOf("s", staticRows(4), "sjf", {type, {}}), nothing),
                      Severity::Refused, PartKind::Predictor, {type, "output_tokens"});
        expectOne(problemsOf(strategyOf("s", staticRows(4), "sjf", {"constant", {}}), nothing),
                  Severity::Refused, PartKind::Predictor, {"tokens is null"});
        QVERIFY(problemsOf(strategyOf("s", staticRows(4), "sjf", {"constant", {{"tokens", std::int64_t{9}}}}),
                           nothing)
                    .empty());
    }
    void aModelBoundPredictorOnTheSimulator()
    {
        const Registry registry = withRankPredictor();
        const Strategy strategy = strategyOf("s", staticRows(4), "sjf", {"pooled", {}});
        expectOne(problemsOf(strategy, {true, false, true}, registry), Severity::Refused, PartKind::Predictor,
                  {"predictor 'pooled' needs a loaded model", "predicted_tokens"});
        QVERIFY(problemsOf(strategy, {true, true, true}, registry).empty());
        QVERIFY(problemsOf(strategy, {false, false, true}, registry).empty());
        // The recorded predictions stand for it.
        const Workload workload = workloadOf({{3, 4, 0, 8}, {3, 4, 0, 2}});
        FakeBackend backend;
        VirtualClock clock;
        KeptLog kept;
        RunControl control;
        const Strategy one = strategyOf("s", staticRows(1), "sjf", {"pooled", {{"per_request_s", 0.5}}});
        runLoop({&workload, &one, &registry, &backend, nullptr, &clock}, kept, control, {});
        RecordedRun run;
        run.log = kept.log;
        QCOMPARE(run.batches(), (std::vector<std::vector<RequestIndex>>{{1}, {0}}));
        QCOMPARE(run.times<Predicted>().front(), 1 * k_second);
    }
    void aGroupSmallerThanItsRows()
    {
        expectOne(problemsOf(strategyOf("s", groupedOf(8, 16, 50))), Severity::Warned, PartKind::Batching,
                  {"rows is 16", "only 8 requests"});
    }
    void aReserveThatLeavesNothing()
    {
        Strategy strategy = strategyOf("s", groupedOf(8, 4, 50, "memory"), "sjf", {"oracle", {}});
        strategy.batching.params["reserve_bytes"] = std::int64_t{1000};
        strategy.limits.kv_bytes = 1000;
        expectOne(problemsOf(strategy), Severity::Refused, PartKind::Batching, {"reserve_bytes is 1000"});
    }

    void aRefusedStrategyDoesNotRun()
    {
        expectRefused(workloadOfLengths({1}), strategyOf("mine", {"dynamic", {}}),
                      {"strategy 'mine' cannot run", "batching 'dynamic'"});
    }
    void noRequests()
    {
        expectRefused({}, strategyOf("s", staticRows(4)), {"the workload has no requests", "at least one"});
    }
    void aPromptLongerThanTheContext()
    {
        FakeOptions options;
        options.capabilities.context = 1024;
        Workload workload = workloadOf({{1, 4, 0, {}}, {1, 1024, 0, {}}});
        workload.requests[1].id = "q-17";
        expectRefused(
            workload, strategyOf("s", staticRows(4)),
            {"request 1 (id \"q-17\")", "a prompt of 1024 tokens", "context is 1024", "at most 1023"},
            options);
        workload.requests[1].prompt_tokens = 1023;
        QVERIFY(runVirtually(workload, strategyOf("s", staticRows(4)), options).status ==
                RunStatus::Completed);
    }
    void requestsThatCannotBeServed()
    {
        Workload workload = workloadOfLengths({3, 3});
        workload.requests[1].prompt_tokens = 0;
        expectRefused(workload, strategyOf("s", staticRows(4)), {"request 1 has a prompt of 0 tokens"});
        workload = workloadOfLengths({3, 3});
        workload.requests[1].output_tokens.reset();
        expectRefused(workload, strategyOf("s", staticRows(4)),
                      {"request 1 has no output length", "replayed"});
        workload = workloadOfLengths({3, -3});
        expectRefused(workload, strategyOf("s", staticRows(4)), {"request 1 has an output length of -3"});
        workload = workloadOfLengths({3, 3});
        workload.requests[1].arrival_ns = -7;
        expectRefused(workload, strategyOf("s", staticRows(4)), {"request 1 arrives at -7 ns"});
        workload = workloadOfLengths({3, 3});
        workload.requests[1].index = 5;
        expectRefused(workload, strategyOf("s", staticRows(4)), {"request 1", "index 5"});
    }
    void freeLengthsOnTheSimulator()
    {
        Workload workload = workloadOfLengths({3});
        workload.lengths = LengthMode::Free;
        expectRefused(workload, strategyOf("s", staticRows(4)),
                      {"output lengths are free", "replayed, fixed or drawn"});
    }
    void aBatchThatCanNeverFit()
    {
        // 4 rows x (30 + 10) x 8 = 1,280 bytes of 1,000: 3 rows fit.
        const Workload workload = workloadOf(std::vector<Job>(6, Job{5, 30, 0, 5}));
        const Strategy strategy = strategyOf("mine", staticRows(4), "fcfs", {"none", {}}, "none", 10);
        expectRefused(workload, strategy,
                      {"strategy 'mine'", "4 rows x (30 prompt + 10 new tokens) x 8 bytes = 1280 bytes",
                       "allowed: 1000", "the largest that fits: 3 rows", "batching.rows to at most 3"},
                      withKv(1000, 8));
        QVERIFY(runVirtually(workload, strategyOf("s", staticRows(3), "fcfs", {"none", {}}, "none", 10),
                             withKv(1000, 8))
                    .status == RunStatus::Completed);
        // 1 row of 320 bytes in 300: nothing fits.
        expectRefused(workload, strategy, {"the largest that fits: 0 rows", "Lower limits.max_new_tokens"},
                      withKv(300, 8));
    }
    void fewerRequestsThanRowsFit()
    {
        const Workload workload = workloadOf(std::vector<Job>(3, Job{5, 30, 0, 5}));
        QVERIFY(runVirtually(workload, strategyOf("s", staticRows(4), "fcfs", {"none", {}}, "none", 10),
                             withKv(1000, 8))
                    .status == RunStatus::Completed);
    }
    void whereALimitHoldsItCountsAndNotTheCap()
    {
        // VBS by table, predictions up to the cap of 500: 256 rows x (4 + 51) = 14,080 tokens fit in 15,000;
        // without a limit 256 x (4 + 500) do not.
        const Workload workload = workloadOf(std::vector<Job>(256, Job{5, 4, 0, 5}));
        const auto strategy = [](const char* correction) {
            return strategyOf("s", groupedOf(256, 4, 50, "table"), "sjf", {"recorded", {}}, correction, 500);
        };
        QVERIFY(runVirtually(workload, strategy("fcr"), withKv(17'000, 1)).status == RunStatus::Completed);
        expectRefused(workload, strategy("none"),
                      {"256 rows x (4 prompt + 500 new tokens)", "batching.group"}, withKv(17'000, 1));
    }
    void vbsByMemoryNeedsOneRowAtTheCap()
    {
        const Workload workload = workloadOf(std::vector<Job>(9, Job{5, 4, 0, 5}));
        Strategy strategy =
            strategyOf("s", groupedOf(9, 4, 50, "memory"), "sjf", {"recorded", {}}, "fcr", 96);
        QVERIFY(runVirtually(workload, strategy, withKv(100, 1)).status == RunStatus::Completed);
        expectRefused(workload, strategy, {"1 rows x (4 prompt + 96 new tokens)", "0 rows"}, withKv(99, 1));
        strategy.batching.params["reserve_bytes"] = std::int64_t{10};
        expectRefused(workload, strategy, {"allowed: 95 bytes (105 less a reserve of 10)"}, withKv(105, 1));
    }
    void theBudgetOfTheStrategyHolds()
    {
        const Workload workload = workloadOf(std::vector<Job>(6, Job{5, 30, 0, 5}));
        Strategy strategy = strategyOf("s", staticRows(4), "fcfs", {"none", {}}, "none", 10);
        strategy.limits.kv_bytes = 1280;
        const RecordedRun run =
            runVirtually(workload, strategy, withKv(1000, 8)); // simulated: what is asked for
        QCOMPARE(*run.all<RunStarted>().front().kv_bytes, 1280);
        strategy.limits.kv_bytes = 1279;
        expectRefused(workload, strategy, {"1280 bytes", "allowed: 1279"}, withKv(100'000, 8));
    }
    void aBudgetNeedsBytesPerToken()
    {
        Strategy strategy = strategyOf("s", staticRows(4));
        strategy.limits.kv_bytes = 1000;
        expectRefused(workloadOfLengths({1}), strategy,
                      {"limits.kv_bytes is 1000", "how many bytes a token takes"});
    }
    void theClockMustSuitTheBackend()
    {
        FakeOptions options;
        options.capabilities.measured = true;
        expectRefused(workloadOfLengths({1}), strategyOf("s", staticRows(1)), {"needs the wall clock"},
                      options);
    }
};

BATCHSCOPE_TEST(RefusalsTest)

} // namespace batchscope::tests

#include "refusals_test.moc"
