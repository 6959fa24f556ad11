// SPDX-License-Identifier: GPL-3.0-or-later
// Result JSON: the keys of cli.md, every figure under its name, null for what is not known, never a NaN.
#include "sessions/record_json.h"
#include "sessions/run_record.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <limits>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

std::vector<std::string> keysOf(const json& object)
{
    std::vector<std::string> keys;
    for (const auto& [key, value] : object.items())
        keys.push_back(key);
    return keys;
}

std::vector<std::string> sorted(std::vector<std::string> keys)
{
    std::sort(keys.begin(), keys.end());
    return keys;
}

} // namespace

class ResultJsonTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFigureLiesUnderItsName()
    {
        const RunMetrics metrics = [] {
            RunMetrics all = *sampleRun().record.metrics;
            all.slowdown = summarize({1, 2.5});
            all.jains_index = 0.75;
            all.starved_requests = 3;
            all.prediction_error.mae = 12.5;
            all.weights_bytes = 5'000'000'000;
            all.window = WindowFigures{
                {1'000'000'000, 3'000'000'000}, 2, 40, 1.0, 20.0, summarize({1, 2}), {}, {}, 3, 1, 4, 50};
            return all;
        }();
        RunRecord record = sampleRun().record;
        record.metrics = metrics;
        const json run = resultJson(record);
        for (const auto& metric : metricDefinitions()) {
            std::string pointer = "/" + metric.name;
            std::replace(pointer.begin(), pointer.end(), '.', '/');
            QVERIFY2(run.contains(json::json_pointer(pointer)), metric.name.c_str());
            const json& found = run[json::json_pointer(pointer)];
            const auto value = metric.value(metrics);
            QVERIFY2(value ? found.is_number() && found.get<double>() == *value : found.is_null(),
                     metric.name.c_str());
        }
        QVERIFY(equals(run["window"]["e2el_s"]["n"], 2));
        QVERIFY(equals(run["window"]["e2el_s"]["p50"], 1.5));
        QVERIFY(equals(run["window"]["requests_before"], 3));
        QVERIFY(resultJson(sampleRun().record)["window"].is_null()); // the whole run alone
        QVERIFY(equals(run["starved_requests"], 3));
        QVERIFY(run["weights_bytes"].is_number_integer());
        QVERIFY(equals(run["slowdown"]["mean"], 1.75));
        QVERIFY(equals(run["slowdown"]["p50"], run["slowdown"]["median"]));
    }

    void keysAreThoseOfTheFormat()
    {
        const json run = resultJson(sampleRun().record);
        // Those that are no figures have no definition that names them.
        for (const char* key :
             {"name", "strategy", "provenance", "workload_hash", "seed", "repetition", "environment"})
            QVERIFY2(run.contains(key), key);
        QCOMPARE(keysOf(run["provenance"]),
                 sorted({"kind", "device", "dtype", "threads", "cost_model", "compat"}));
        QCOMPARE(keysOf(run["shares"]),
                 sorted({"useful", "end", "chunk", "padding", "abandoned", "stalled"}));
        for (const char* summary : {"ttft_s", "tpot_s", "itl_s", "e2el_s", "queueing_delay_s", "slowdown"})
            QCOMPARE(keysOf(run[summary]), sorted({"mean", "median", "p50", "p90", "p95", "p99", "n"}));
        QCOMPARE(keysOf(run["environment"]),
                 sorted({"cpu", "gpu", "threads", "libraries", "version", "commit"}));
        QCOMPARE(keysOf(run["strategy"]), sorted({"name", "predictor", "ordering", "batching", "correction",
                                                  "limits", "slo", "compat"}));
    }

    void valuesAreTheRunsOwn()
    {
        // Rows of 3, 1, 5 and 2 tokens in one batch: 6 passes of 4 rows; 11 useful, 4 end, 9 padding.
        const json run = resultJson(sampleRun().record);
        QVERIFY(equals(run["completed"], 4));
        QVERIFY(equals(run["useful_output_tokens"], 11));
        QVERIFY(equals(run["decode_steps"], 6));
        QVERIFY(equals(run["batches"], 1));
        QCOMPARE(run["shares"]["useful"].get<double>(), 11.0 / 24);
        QCOMPARE(run["shares"]["padding"].get<double>(), 9.0 / 24);
        QVERIFY(equals(run["shares"]["stalled"], 0.0));
        QVERIFY(equals(run["e2el_s"]["n"], 4));
        QVERIFY(equals(run["provenance"]["kind"], "measured"));
        QVERIFY(run["provenance"]["cost_model"].is_null());
        QVERIFY(run["environment"]["gpu"].is_null());
        QVERIFY(equals(run["strategy"]["batching"]["rows"], 4));
    }

    void whatIsNotKnownIsNull()
    {
        RunRecord record = sampleRecord("nothing", 4);
        const json never = resultJson(record); // it was never measured
        for (const char* key : {"completed", "failed", "makespan_s", "useful_output_tokens", "decode_steps",
                                "batches", "rerun_requests", "effective_token_ratio", "predictor_time_share",
                                "jains_index", "starved_requests", "goodput", "mean_occupancy"})
            QVERIFY2(never[key].is_null(), key);
        QVERIFY(never["shares"]["useful"].is_null());
        QVERIFY(never["ttft_s"]["p99"].is_null());
        QVERIFY(equals(never["ttft_s"]["n"], 0));

        record.metrics = RunMetrics{};
        record.metrics->makespan_s = std::numeric_limits<double>::infinity();
        record.metrics->ttft_s.p99 = std::numeric_limits<double>::quiet_NaN();
        record.provenance.measured = false;
        record.provenance.cost_model = "vicuna-7b-a100";
        const json run = json::parse(resultJson(record).dump());
        QVERIFY(run["makespan_s"].is_null());
        QVERIFY(run["ttft_s"]["p99"].is_null());
        QVERIFY(run["batches"].is_null());
        QVERIFY(equals(run["completed"], 0));
        QVERIFY(equals(run["provenance"], json({{"kind", "simulated"},
                                                {"device", nullptr},
                                                {"dtype", nullptr},
                                                {"threads", nullptr},
                                                {"cost_model", "vicuna-7b-a100"},
                                                {"compat", record.strategy.compat}})));
    }

    void documentsHoldOneObjectARun()
    {
        const json document = resultDocument({sampleRun("a").record, sampleRun("b").record});
        QVERIFY(equals(document["schema"], "batchscope.result/1"));
        QCOMPARE(document["runs"].size(), std::size_t(2));
        QVERIFY(equals(document["runs"][1]["name"], "b"));
    }

    void recordsAreReadBackEqual()
    {
        RunRecord record = sampleRun().record;
        record.message = "done";
        record.order = 3;
        record.repetition = 1;
        record.lengths = LengthMode::Replayed;
        record.provenance.watched = true;
        record.command = "batchscope-cli run 'a b.json'";
        record.session_file = "a b.json";
        record.backend = {{"type", "torch"}, {"threads", 2}};
        record.workload = {{"seed", 7}};
        const RunRecord again = recordFromJson(json::parse(recordToJson(record).dump()), "run 1");
        QVERIFY(again == record);
        RunRecord fair = record;
        fair.metrics->slowdown = summarize({1, 1.5, 4});
        fair.metrics->jains_index = 0.75;
        fair.metrics->starved_requests = 3;
        QVERIFY(recordFromJson(json::parse(recordToJson(fair).dump()), "run 1") == fair);
        json older = recordToJson(record); // as it was before these figures were kept
        for (const char* key : {"slowdown", "jains_index", "starved_requests"})
            QVERIFY2(older["metrics"].erase(key) == 1, key);
        for (const char* key : {"command", "session_file", "backend", "workload"})
            QVERIFY2(older.erase(key) == 1, key);
        RunRecord plain = record;
        plain.command = plain.session_file = {};
        plain.backend = plain.workload = nullptr;
        QVERIFY(recordFromJson(older, "run 1") == plain);
        RunRecord unfinished = sampleRecord("open", 2);
        QVERIFY(recordFromJson(recordToJson(unfinished), "run 1") == unfinished);
        QVERIFY_EXCEPTION_THROWN(recordFromJson(json::parse("[1]"), "run 1"), StoreError);
        json damaged = recordToJson(record);
        damaged["seed"] = "x";
        QVERIFY_EXCEPTION_THROWN(recordFromJson(damaged, "run 1"), StoreError);
    }
};

BATCHSCOPE_TEST(ResultJsonTest)
#include "result_json_test.moc"
