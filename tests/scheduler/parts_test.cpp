// SPDX-License-Identifier: GPL-3.0-or-later
// The registry, the predictors that need no weights, and the names of things.
#include "scheduler/error.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/predictors/stated.h"
#include "tests/support/recorded_run.h"
#include "tests/support/test_main.h"
#include "tests/support/workloads.h"

#include <cmath>
#include <set>

namespace batchscope::tests {
namespace {

std::vector<std::optional<int>> predictionsOf(const PartSpec& spec, const Workload& workload)
{
    const Registry registry = Registry::withBuiltinParts();
    const auto predictor = registry.makePredictor(spec, {&workload, nullptr, true});
    std::vector<const Request*> asked;
    for (const Request& request : workload.requests)
        asked.push_back(&request);
    std::vector<std::optional<int>> tokens;
    for (const Prediction& prediction : predictor->predict(asked).predictions)
        tokens.push_back(prediction.tokens);
    return tokens;
}

// Mean and mean absolute error of what the noisy oracle says of 20,000 requests of 1,000 tokens.
std::pair<double, double> noiseOf(const PartSpec& spec)
{
    const auto tokens = predictionsOf(spec, workloadOfLengths(std::vector<int>(20'000, 1000)));
    double sum = 0, error = 0;
    for (const auto& predicted : tokens) {
        sum += *predicted;
        error += std::abs(*predicted - 1000.0);
    }
    return {sum / 20'000, error / 20'000};
}

using Tokens = std::vector<std::optional<int>>;

} // namespace

class PartsTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theRegistryHasThePartsOfThisRoom()
    {
        const Registry registry = Registry::withBuiltinParts();
        const std::vector<std::pair<PartKind, std::string>> expected{
            {PartKind::Predictor, "none constant oracle noisy-oracle recorded "},
            {PartKind::Ordering, "fcfs sjf srpt ljf bins priority mlfq hrrn fair rank "},
            {PartKind::Batching, "none static grouped continuous "},
            {PartKind::Correction, "none fcr extend demote "}};
        for (const auto& [kind, names] : expected) {
            std::string found;
            for (const PartDescriptor* part : registry.parts(kind))
                found += part->type + " ";
            QCOMPARE(found, names);
        }
    }
    void everyPartAndKnobExplainsItself()
    {
        const Registry registry = Registry::withBuiltinParts();
        for (const PartKind kind :
             {PartKind::Predictor, PartKind::Ordering, PartKind::Batching, PartKind::Correction})
            for (const PartDescriptor* part : registry.parts(kind)) {
                QVERIFY(!part->title.empty() && !part->help.empty());
                std::set<std::string> names;
                for (const ParamDescriptor& param : part->params) {
                    QVERIFY2(!param.title.empty() && !param.help.empty() && !param.source.empty(),
                             param.name.c_str());
                    QVERIFY2(names.insert(param.name).second, param.name.c_str());
                    const bool is_number = param.type == ParamType::Integer || param.type == ParamType::Real;
                    QVERIFY2(!is_number || (param.minimum && param.maximum), param.name.c_str());
                    QVERIFY2(param.type != ParamType::Choice || param.choices.size() > 1, param.name.c_str());
                    const std::string fault = paramFault(param, param.default_value);
                    QVERIFY2(fault.empty(), fault.c_str()); // the default is in its own range
                }
            }
    }
    void aPartThatIsAddedAgainReplacesTheFirst()
    {
        Registry registry = Registry::withBuiltinParts();
        PartDescriptor part = *registry.find(PartKind::Ordering, "sjf");
        const std::size_t before = registry.parts(PartKind::Ordering).size();
        const Registry copy = registry; // a value: the copy keeps the first
        part.title = "another";
        registry.add(part);
        QCOMPARE(registry.parts(PartKind::Ordering).size(), before);
        QCOMPARE(registry.find(PartKind::Ordering, "sjf")->title, std::string("another"));
        QVERIFY(copy.find(PartKind::Ordering, "sjf")->title != "another");
    }
    void parametersHaveDefaults()
    {
        const Registry registry = Registry::withBuiltinParts();
        const PartDescriptor& part = registry.require(PartKind::Batching, "static");
        QCOMPARE(integerParam({"static", {}}, part, "rows"), 16);
        QCOMPARE(integerParam(staticRows(3), part, "rows"), 3);
        QCOMPARE(realParam({"static", {{"window_s", std::int64_t{2}}}}, part, "window_s"), 2.0);
        QVERIFY_EXCEPTION_THROWN(integerParam(staticRows(0), part, "rows"), SchedulerError);
        QVERIFY_EXCEPTION_THROWN(integerParam(staticRows(3), part, "columns"), SchedulerError);
        QVERIFY_EXCEPTION_THROWN(integerParam(staticRows(3), part, "delivery"), SchedulerError);
        const PartDescriptor& constant = registry.require(PartKind::Predictor, "constant");
        QVERIFY(isNullParam({"constant", {}}, constant, "tokens"));
        QVERIFY_EXCEPTION_THROWN(integerParam({"constant", {}}, constant, "tokens"), SchedulerError);
        QVERIFY_EXCEPTION_THROWN(registry.require(PartKind::Batching, "dynamic"), SchedulerError);
        QVERIFY_EXCEPTION_THROWN((void)registry.makeOrdering({"dynamic", {}}), SchedulerError);
    }
    void aChipSaysWhatMatters()
    {
        const Registry registry = Registry::withBuiltinParts();
        QCOMPARE(describePart(groupedOf(256, 16, 50, "memory"), PartKind::Batching, registry),
                 std::string("grouped 256 · rows 16 · bins of 50 · VBS by memory"));
        QCOMPARE(describePart({"static", {}}, PartKind::Batching, registry), std::string("static · rows 16"));
        QCOMPARE(describePart(staticRows(4, 2.5), PartKind::Batching, registry),
                 std::string("static · rows 4 · window 2.5 s"));
        QCOMPARE(
            describePart({"static", {{"delivery", std::string("batch-end")}}}, PartKind::Batching, registry),
            std::string("static · rows 16 · batch-end"));
        QCOMPARE(describePart({"sjf", {}}, PartKind::Ordering, registry), std::string("sjf"));
        const PartSpec continuous{"continuous",
                                  {{"slots", std::int64_t{8}},
                                   {"token_budget", std::int64_t{64}},
                                   {"chunked_prefill", true},
                                   {"preemption", std::string("keep-kv")}}};
        QCOMPARE(
            describePart(continuous, PartKind::Batching, registry),
            std::string("continuous · 8 slots · budget 64 tokens · chunked prefill · preempts, keep-kv"));
        QCOMPARE(describePart({"srpt", {{"ageing.absolute_s", 20.0}}}, PartKind::Ordering, registry),
                 std::string("srpt · ages after 20 s"));
        QCOMPARE(describePart({"made-elsewhere", {}}, PartKind::Ordering, registry),
                 std::string("made-elsewhere"));
    }

    void oracleAndRecordedSayWhatTheFileSays()
    {
        const Workload workload = workloadOf({{7, 4, 0, 3}, {0, 4, 0, {}}});
        QCOMPARE(predictionsOf({"oracle", {}}, workload), (Tokens{7, 1})); // at least 1
        QCOMPARE(predictionsOf({"recorded", {}}, workload), (Tokens{3, std::nullopt}));
        Workload unknown = workload;
        unknown.requests[0].output_tokens.reset();
        QCOMPARE(predictionsOf({"oracle", {}}, unknown), (Tokens{std::nullopt, 1}));
        QCOMPARE(predictionsOf({"noisy-oracle", {}}, unknown)[0], std::optional<int>());
    }
    void constantIsTheMedianOrTheNumberGiven()
    {
        const Workload workload = workloadOfLengths({9, 1, 5, 100});
        QCOMPARE(predictionsOf({"constant", {}}, workload), (Tokens{9, 9, 9, 9})); // upper of 5 and 9
        QCOMPARE(predictionsOf({"constant", {}}, workloadOfLengths({9, 1, 5})), (Tokens{5, 5, 5}));
        QCOMPARE(predictionsOf({"constant", {{"tokens", std::int64_t{42}}}}, workload),
                 (Tokens{42, 42, 42, 42}));
    }
    void noPredictorIsNoObject()
    {
        const Workload workload = workloadOfLengths({1});
        QVERIFY(Registry::withBuiltinParts().makePredictor({"none", {}}, {&workload, nullptr, true}) ==
                nullptr);
    }
    void laplaceNoiseHasItsScale()
    {
        const PartSpec spec{"noisy-oracle", {{"scale_tokens", 40.0}}};
        const auto [mean, error] = noiseOf(spec);
        QVERIFY(std::abs(mean - 1000.5) < 1.5); // rounding up adds half a token; the mean's own error is 0.4
        QVERIFY(std::abs(error - 40.0) < 1.2);
    }
    void logNormalNoiseHasItsSpread()
    {
        const PartSpec spec{"noisy-oracle", {{"noise", std::string("log-normal")}, {"sigma", 0.3}}};
        const double expected_mean = 1000 * std::exp(0.3 * 0.3 / 2);
        QVERIFY(std::abs(noiseOf(spec).first - expected_mean) < 10);
    }
    void noNoiseIsTheOracle()
    {
        const Workload workload = workloadOfLengths({7, 300, 2});
        QCOMPARE(predictionsOf({"noisy-oracle", {{"scale_tokens", 0.0}}}, workload), (Tokens{7, 300, 2}));
    }
    void noiseFollowsItsSeedAndNotTheOrderOfCalls()
    {
        Workload workload = workloadOfLengths({100, 100, 100, 100});
        const auto seeded = [](std::int64_t seed) { return PartSpec{"noisy-oracle", {{"seed", seed}}}; };
        const Tokens first = predictionsOf(seeded(3), workload);
        QCOMPARE(predictionsOf(seeded(3), workload), first);
        QVERIFY(predictionsOf(seeded(4), workload) != first);
        QVERIFY(first[0] != first[1]);
        std::reverse(workload.requests.begin(), workload.requests.end());
        QCOMPARE(predictionsOf(seeded(3), workload), (Tokens{first[3], first[2], first[1], first[0]}));
    }
    void predictionTimeIsStatedOnTheSimulatorAndMeasuredElsewhere()
    {
        const PartSpec spec{"oracle", {{"per_call_s", 0.25}, {"per_request_s", 0.001}}};
        const auto begin = std::chrono::steady_clock::now();
        QCOMPARE(PredictionTime(spec, true).elapsed(10, begin), 260'000'000);
        QCOMPARE(PredictionTime({"oracle", {}}, true).elapsed(10, begin), 0);
        QVERIFY(PredictionTime(spec, false).elapsed(10, begin) < 200'000'000);
    }

    void equalWorkHasEqualHashes()
    {
        const Workload workload = workloadOfLengths({3, 4});
        const std::string hash = workloadHash(workload);
        QCOMPARE(hash.size(), 16U);
        Workload same = workload;
        same.requests[0].id = "a label";
        same.requests[0].predicted_tokens = 9;
        same.source = "elsewhere";
        same.sampling.seed = 7; // greedy: no draw
        QCOMPARE(workloadHash(same), hash);
        const std::vector<std::function<void(Workload&)>> changes{
            [](Workload& w) { w.requests[1].output_tokens = 5; },
            [](Workload& w) { w.requests[1].arrival_ns = 5; },
            [](Workload& w) { w.requests[1].prompt_tokens = 5; },
            [](Workload& w) { w.requests[1].prompt = "hello"; },
            [](Workload& w) {
                w.requests[1].prompt_ids = {1, 2, 3, 4};
            },
            [](Workload& w) { w.requests.pop_back(); },
            [](Workload& w) { std::swap(w.requests[0], w.requests[1]); },
            [](Workload& w) { w.lengths = LengthMode::Fixed; },
            [](Workload& w) { w.lengths = LengthMode::Free; },
            [](Workload& w) { w.sampling.temperature = 0.7; }};
        std::set<std::string> hashes{hash};
        for (const auto& change : changes) {
            Workload changed = workload;
            change(changed);
            QVERIFY(hashes.insert(workloadHash(changed)).second);
        }
        Workload sampled = workload;
        sampled.sampling.temperature = 0.7;
        const std::string with_seed_42 = workloadHash(sampled);
        sampled.sampling.seed = 43;
        QVERIFY(workloadHash(sampled) != with_seed_42);
        Workload free = workload;
        free.lengths = LengthMode::Free;
        const std::string with_label = workloadHash(free);
        free.requests[0].output_tokens.reset(); // a label only, where the model decides
        QCOMPARE(workloadHash(free), with_label);
    }
    void endsOfPassesAreExact()
    {
        Steps measured;
        measured.start_ns = 100;
        measured.durations_ns = {5, 7, 11};
        measured.count = 3;
        QCOMPARE(stepEndNs(measured, 0), 105);
        QCOMPARE(stepEndNs(measured, 2), 123);
        Steps simulated;
        simulated.count = 4;
        simulated.start_ps = 1'500;
        simulated.start_ns = 1;
        simulated.first_ps = 700;
        simulated.growth_ps = 300; // ends at 2,200, 3,200, 4,500, 6,100 ps
        QCOMPARE(stepEndNs(simulated, 0), 2);
        QCOMPARE(stepEndNs(simulated, 1), 3);
        QCOMPARE(stepEndNs(simulated, 2), 4);
        QCOMPARE(stepEndNs(simulated, 3), 6);
    }
    void everyEventHasItsName()
    {
        QCOMPARE(eventName(RunStarted{}), std::string("run-started"));
        QCOMPARE(eventName(AttemptAbandoned{}), std::string("attempt-abandoned"));
        QCOMPARE(eventName(MemorySample{}), std::string("memory"));
        QCOMPARE(eventName(RunEnded{}), std::string("run-ended"));
        QCOMPARE(rowEndName(RowEnd::Limit), std::string("limit"));
        QCOMPARE(pickRuleName(PickRule::OnlyOne), std::string("only-one"));
        QCOMPARE(runStatusName(RunStatus::Interrupted), std::string("interrupted"));
        QCOMPARE(lengthModeName(LengthMode::Replayed), std::string("replayed"));
        QCOMPARE(partKindName(PartKind::Correction), std::string("correction"));
    }
};

BATCHSCOPE_TEST(PartsTest)

} // namespace batchscope::tests

#include "parts_test.moc"
