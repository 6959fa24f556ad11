// SPDX-License-Identifier: GPL-3.0-or-later
// "--set a.b=value" on a document and on its strategies.
#include "sessions/error.h"
#include "sessions/nearest_name.h"
#include "sessions/session_document.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

SessionDocument document()
{
    return parseSession({{"schema", "batchscope.session/1"},
                         {"future", 1},
                         {"strategies",
                          {{{"name", "a"}, {"batching", {{"type", "static"}, {"rows", 16}}}},
                           {{"name", "b"},
                            {"predictor", {{"type", "oracle"}}},
                            {"batching", {{"type", "grouped"}, {"bin_width", 50}}}}}}},
                        registry(), "s.json");
}

SessionDocument after(const std::string& assignment)
{
    SessionDocument changed = document();
    setValue(changed, assignment, registry());
    return changed;
}

QString failure(const std::string& assignment)
{
    SessionDocument changed = document();
    try {
        setValue(changed, assignment, registry());
    } catch (const DocumentError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

} // namespace

class SetValueTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void documentKeysAreSetOnce()
    {
        QCOMPARE(after("workload.seed=7").workload.seed, 7ULL);
        QCOMPARE(after("workload.seed=7").workload.sampling.seed, 7ULL);
        QCOMPARE(after("name=A = B").name, std::string("A = B"));
        QCOMPARE(after("workload.requests=null").workload.requests, std::optional<int>());
        QCOMPARE(after("workload.source={\"type\":\"file\",\"path\":\"x.jsonl\"}").workload.source.path,
                 std::string("x.jsonl"));
        QVERIFY(after("workload.lengths.mode=replayed").workload.lengths.mode == LengthMode::Replayed);
        QCOMPARE(after("backend.dtype=bf16").backend.dtype, std::string("bf16"));
        QCOMPARE(after("backend={\"type\":\"simulated\"}").backend.preset, std::string("vicuna-7b-a100"));
        const json kept = sessionToJson(after("workload.seed=7"));
        QVERIFY(equals(kept["future"], 1));
    }

    void strategyKeysAreSetInEveryStrategyThatHasThem()
    {
        const SessionDocument rows = after("batching.rows=8");
        for (const auto& strategy : rows.strategies)
            QVERIFY(strategy.batching.params.at("rows") == ParamValue(std::int64_t(8)));
        const SessionDocument bins = after("batching.bin_width=20");
        QVERIFY(bins.strategies[1].batching.params.at("bin_width") == ParamValue(std::int64_t(20)));
        QVERIFY(!bins.strategies[0].batching.params.contains("bin_width"));
        QVERIFY(bins.warnings == document().warnings);
        for (const auto& strategy : after("limits.max_new_tokens=64").strategies)
            QCOMPARE(strategy.limits.max_new_tokens, 64);
        for (const auto& strategy : after("slo.ttft_s=2").strategies)
            QVERIFY(strategy.slo == (Slo{2.0, std::nullopt, std::nullopt}));
        for (const auto& strategy : after("slo=null").strategies)
            QVERIFY(!strategy.slo);
    }

    void aNewTypeKeepsTheParametersItShares()
    {
        const SessionDocument changed = after("batching.type=static");
        QVERIFY(changed.strategies[0].batching.params.at("rows") == ParamValue(std::int64_t(16)));
        QCOMPARE(changed.strategies[1].batching.type, std::string("static"));
        QVERIFY(!changed.strategies[1].batching.params.contains("bin_width"));
        QVERIFY(changed.warnings == document().warnings);
    }

    void faultsNameTheKeyAndTheNearest()
    {
        QVERIFY2(failure("workload.sede=7").contains("--set workload.sede: no such key") &&
                     failure("workload.sede=7").contains("workload.seed"),
                 qPrintable(failure("workload.sede=7")));
        QVERIFY2(failure("rows=8").contains("batching.rows"), qPrintable(failure("rows=8")));
        QVERIFY2(failure("batching.row=8").contains("batching.rows"), qPrintable(failure("batching.row=8")));
        QVERIFY2(failure("batching.rows=many").contains("found the text \"many\", expected a whole number"),
                 qPrintable(failure("batching.rows=many")));
        QVERIFY(failure("batching.rows=many").startsWith("--set batching.rows=many: "));
        QVERIFY(failure("workload.seed").contains("expected key=value"));
        QVERIFY(failure("=3").contains("expected key=value"));
        QVERIFY(failure("zzzzzzzzzzzz=3").contains("the document has"));
        QVERIFY(failure("future=3").contains("no such key"));
        QVERIFY(failure("..=3").contains("no such key"));
        QVERIFY(failure("a/b~.c=3").contains("no such key"));
    }

    void aRefusedAssignmentChangesNothing()
    {
        SessionDocument changed = document();
        QVERIFY_EXCEPTION_THROWN(setValue(changed, "batching.rows=0", registry()), DocumentError);
        QVERIFY(changed.strategies == document().strategies);
    }

    void defaultsCanBeWrittenOut()
    {
        const Strategy complete = completeStrategy(document().strategies[1], registry());
        QVERIFY(complete.batching.params.at("group") == ParamValue(std::int64_t(256)));
        QVERIFY(complete.batching.params.at("bin_width") == ParamValue(std::int64_t(50)));
        QVERIFY(complete.batching.params.at("delivery") == ParamValue(std::string("streamed")));
        QVERIFY(checkStrategy(complete, registry(), {}) ==
                checkStrategy(document().strategies[1], registry(), {}));
    }

    void distancesCountSwapsOnce()
    {
        QCOMPARE(editDistance("sfj", "sjf"), std::size_t(1));
        QCOMPARE(editDistance("", "abc"), std::size_t(3));
        QCOMPARE(editDistance("kitten", "sitting"), std::size_t(3));
        QCOMPARE(nearestNames("gruop", {"grouped", "group", "rows"}), (std::vector<std::string>{"group"}));
        QVERIFY(nearestNames("zzzz", {"rows", "group"}).empty());
    }
};

BATCHSCOPE_TEST(SetValueTest)
#include "set_value_test.moc"
