// SPDX-License-Identifier: GPL-3.0-or-later
// The session file: what it holds survives a save, what is wrong is named with its JSON path.
#include "sessions/error.h"
#include "sessions/session_document.h"
#include "tests/sessions/stored_samples.h"
#include "tests/support/test_main.h"

#include <fstream>

using namespace batchscope;
using namespace batchscope::sessions;
using namespace batchscope::tests;
using nlohmann::json;

namespace {

json fullDocument()
{
    return json::parse(R"({
        "schema": "batchscope.session/1", "name": "Full", "notes": "first\nsecond", "repetitions": 3,
        "author": {"name": "somebody"},
        "backend": {"type": "torch", "model": "../models/x", "dtype": "bf16", "device": "cuda:0", "threads": 2,
                    "colour": "blue"},
        "workload": {"source": {"type": "file", "path": "data/quick.jsonl"}, "requests": 64, "seed": 18446744073709551615,
                     "arrivals": {"process": "poisson", "rate": 2.5}, "lengths": {"mode": "fixed", "tokens": 40},
                     "sampling": {"temperature": 0.7, "top_p": 0.9}, "shuffle": [1, 2]},
        "strategies": [
            {"name": "vanilla", "predictor": {"type": "none"}, "ordering": {"type": "fcfs", "ageing": null},
             "batching": {"type": "static", "rows": 16, "window_s": 0, "delivery": "batch-end"},
             "correction": {"type": "none"}, "limits": {"max_new_tokens": 512, "kv_bytes": null}, "slo": null,
             "compat": []},
            {"name": "oracle", "predictor": {"type": "oracle"}, "ordering": {"type": "sjf"},
             "batching": {"type": "grouped", "group": 256, "rows": 16, "bin_width": 50, "vbs": "memory", "max_rows": 64,
                          "reserve_bytes": 0, "window_s": 0.25, "delivery": "batch-end", "tint": 5},
             "correction": {"type": "fcr"}, "limits": {"max_new_tokens": 256, "kv_bytes": 1000000000000},
             "slo": {"ttft_s": 1.5, "tpot_s": null}, "compat": ["J-2"], "emoji": "✓"}]})");
}

SessionDocument parsed(const json& document)
{
    return parseSession(document, registry(), "/home/somebody/experiments/full.json");
}

QString failure(const json& document)
{
    try {
        parsed(document);
    } catch (const DocumentError& error) {
        return QString::fromStdString(error.what());
    }
    return {};
}

json with(const char* pointer, const json& value)
{
    json document = fullDocument();
    document[json::json_pointer(pointer)] = value;
    return document;
}

} // namespace

class SessionDocumentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesAreRead()
    {
        const SessionDocument document = parsed(fullDocument());
        QCOMPARE(document.name, std::string("Full"));
        QCOMPARE(document.repetitions, 3);
        QCOMPARE(document.backend.dtype, std::string("bf16"));
        QCOMPARE(document.workload.seed, 18446744073709551615ULL);
        QCOMPARE(document.workload.sampling.seed, 18446744073709551615ULL);
        QCOMPARE(document.workload.sampling.temperature, 0.7);
        QCOMPARE(document.workload.requests, std::optional(64));
        QCOMPARE(document.workload.arrivals.rate, std::optional(2.5));
        QVERIFY(document.workload.lengths.mode == LengthMode::Fixed);
        QCOMPARE(document.strategies.size(), std::size_t(2));
        const Strategy& oracle = document.strategies[1];
        QVERIFY(oracle.batching.params.at("group") == ParamValue(std::int64_t(256)));
        QVERIFY(oracle.batching.params.at("window_s") == ParamValue(0.25));
        QVERIFY(oracle.batching.params.at("vbs") == ParamValue(std::string("memory")));
        QVERIFY(!oracle.batching.params.contains("tint"));
        QCOMPARE(oracle.limits.kv_bytes, std::optional<std::int64_t>(1'000'000'000'000));
        QVERIFY(oracle.slo == (Slo{1.5, std::nullopt, std::nullopt}));
        QCOMPARE(document.resolvePath("data/quick.jsonl"),
                 std::filesystem::path("/home/somebody/experiments/data/quick.jsonl"));
        QCOMPARE(document.resolvePath("/abs/x"), std::filesystem::path("/abs/x"));
    }

    void defaultsAreThoseOfTheFormat()
    {
        const SessionDocument document = parsed({{"schema", "batchscope.session/1"}});
        QVERIFY(document.backend.type == BackendSpec::Type::Torch);
        QCOMPARE(document.backend.model, std::string("demo"));
        QCOMPARE(document.workload.source.type, std::string("demo"));
        QVERIFY(!document.workload.requests && !document.workload.lengths.mode);
        QCOMPARE(document.workload.arrivals.process, std::string("all-at-once"));
        QCOMPARE(document.repetitions, 1);
        QVERIFY(document.warnings.empty());
        const auto reasons = whyNotRunnable(document, registry());
        QCOMPARE(reasons.size(), std::size_t(1));
        QVERIFY(reasons[0].starts_with("strategies: "));
    }

    void unknownKeysAreWarnedAboutWithTheirPathAndSurviveASave()
    {
        const SessionDocument document = parsed(fullDocument());
        const std::vector<std::string> paths{"backend.colour", "workload.shuffle",
                                             "strategies[1].batching.tint", "strategies[1].emoji", "author"};
        QCOMPARE(document.warnings.size(), paths.size());
        for (std::size_t i = 0; i < paths.size(); ++i)
            QVERIFY2(document.warnings[i].starts_with(paths[i] + ": unknown key"),
                     document.warnings[i].c_str());

        const TemporaryFolder folder;
        writeSession(document, folder / "saved.json");
        const SessionDocument again = readSession(folder / "saved.json", registry());
        const json saved = sessionToJson(again);
        QVERIFY(equals(saved["author"]["name"], "somebody"));
        QVERIFY(equals(saved["backend"]["colour"], "blue"));
        QVERIFY(equals(saved["workload"]["shuffle"], json({1, 2})));
        QVERIFY(equals(saved["strategies"][1]["batching"]["tint"], 5));
        QVERIFY(equals(saved["strategies"][1]["emoji"], "✓"));
        QVERIFY(saved["strategies"][0]["ordering"].contains("ageing"));
        QVERIFY(again.strategies == document.strategies);
        QVERIFY(again.workload == document.workload);
        QVERIFY(again.backend == document.backend);
        QCOMPARE(again.notes, document.notes);
        QCOMPARE(again.warnings, document.warnings);
    }

    void unknownKeysFollowTheirStrategyWhenTheOrderChanges()
    {
        SessionDocument document = parsed(fullDocument());
        std::swap(document.strategies[0], document.strategies[1]);
        json saved = sessionToJson(document);
        QVERIFY(equals(saved["strategies"][0]["emoji"], "✓"));
        QVERIFY(!saved["strategies"][1].contains("emoji"));
        document.strategies[0].name = "renamed";
        std::swap(document.strategies[0], document.strategies[1]);
        saved = sessionToJson(document);
        QVERIFY(equals(saved["strategies"][1]["emoji"], "✓"));
        document.strategies.pop_back();
        saved = sessionToJson(document);
        QVERIFY(!saved["strategies"][0].contains("emoji"));
    }

    void keysOfAnotherTypeAreNotCarriedOver()
    {
        SessionDocument document = parsed(fullDocument());
        document.strategies[1].batching = {"static", {{"rows", std::int64_t(8)}}};
        document.backend = BackendSpec{};
        document.backend.type = BackendSpec::Type::Simulated;
        const json saved = sessionToJson(document);
        QVERIFY(!saved["strategies"][1]["batching"].contains("tint"));
        QVERIFY(!saved["backend"].contains("colour"));
        QVERIFY(equals(saved["backend"], json({{"type", "simulated"}, {"preset", "vicuna-7b-a100"}})));
    }

    void partsThatThisVersionDoesNotKnowAreKept()
    {
        json document = fullDocument();
        document["strategies"][0]["ordering"] = {
            {"type", "hrrn"}, {"weight", 0.5}, {"nested", {{"deep", true}}}};
        const json saved = sessionToJson(parsed(document));
        QVERIFY(equals(saved["strategies"][0]["ordering"], document["strategies"][0]["ordering"]));
    }

    void faultsNamePathValueAndExpectation_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* pointer, const char* value, const char* message) {
            QTest::newRow(pointer + QByteArray(" ") + value) << pointer << value << message;
        };
        row("/workload/seed", "\"seven\"",
            "workload.seed: found the text \"seven\", expected a whole number from 0 to "
            "18446744073709551615");
        row("/workload/seed", "-1", "workload.seed: found -1, expected a whole number from 0");
        row("/workload/seed", "1.5", "workload.seed: found 1.5, expected a whole number");
        row("/workload/requests", "0", "workload.requests: found 0, expected a whole number from 1");
        row("/workload", "[]", "workload: found a list of 0, expected an object");
        row("/repetitions", "0", "repetitions: found 0, expected a whole number from 1 to 1000");
        row("/name", "7", "name: found 7, expected a text");
        row("/backend/type", "\"tourch\"", "expected one of torch, simulated (did you mean \"torch\"?)");
        row("/backend/dtype", "\"bf61\"", "did you mean \"bf16\"?");
        row("/backend/threads", "-2", "backend.threads: found -2, expected a whole number from 0 to 4096");
        row("/workload/source", "{\"type\": \"file\"}",
            "workload.source.path: found nothing, expected the path");
        row("/workload/source/type", "\"fiel\"", "did you mean \"file\"?");
        row("/workload/arrivals", "{\"process\": \"even\"}",
            "workload.arrivals.rate: found nothing, expected requests a second");
        row("/workload/arrivals/rate", "0", "workload.arrivals.rate: found 0, expected a number above 0");
        row("/workload/arrivals/process", "\"poison\"", "did you mean \"poisson\"?");
        row("/workload/lengths", "{\"mode\": \"fixed\"}", "workload.lengths.tokens: found nothing, expected");
        row("/workload/lengths/tokens", "true",
            "workload.lengths.tokens: found true, expected a whole number");
        row("/workload/sampling/temperature", "-0.1",
            "workload.sampling.temperature: found -0.1, expected a number of at least 0");
        row("/workload/sampling/top_p", "0",
            "workload.sampling.top_p: found 0, expected a number above 0 and at most 1");
        row("/strategies", "{}", "strategies: found an empty object, expected a list of strategies");
        row("/strategies/1/name", "\"vanilla\"",
            "strategies[1].name: found the text \"vanilla\", expected a name that no other");
        row("/strategies/1/name", "\"\"",
            "strategies[1].name: found the text \"\", expected a text that is not empty");
        row("/strategies/0/predictor", "\"none\"",
            "strategies[0].predictor: found the text \"none\", expected an object");
        row("/strategies/0/ordering/type", "\"sfj\"",
            "strategies[0].ordering.type: found the text \"sfj\", expected one of fcfs, sjf");
        row("/strategies/0/ordering/type", "\"sfj\"", "(did you mean \"sjf\"?)");
        row("/strategies/0/batching", "{}",
            "strategies[0].batching.type: found nothing, expected one of none, static, grouped");
        row("/strategies/1/batching/rows", "\"16\"",
            "strategies[1].batching.rows: found the text \"16\", expected a whole number from 1");
        row("/strategies/1/batching/rows", "0",
            "strategies[1].batching.rows: found 0, expected a whole number from 1");
        row("/strategies/1/batching/vbs", "\"tabel\"",
            "expected one of off, table, memory (did you mean \"table\"?)");
        row("/strategies/1/batching/window_s", "\"x\"",
            "strategies[1].batching.window_s: found the text \"x\", expected a number");
        row("/strategies/0/limits/max_new_tokens", "0", "strategies[0].limits.max_new_tokens: found 0");
        row("/strategies/0/limits/kv_bytes", "1e3",
            "strategies[0].limits.kv_bytes: found 1000.0, expected a whole number");
        row("/strategies/1/slo/ttft_s", "0", "strategies[1].slo.ttft_s: found 0, expected a number above 0");
        row("/strategies/1/compat", "[3]", "strategies[1].compat[0]: found 3, expected a text");
        row("/schema", "\"batchscope.session/2\"", "the newest that this version reads: update Batchscope");
        row("/schema", "\"other\"", "schema: found the text \"other\", expected \"batchscope.session/1\"");
        row("/schema", "null", "schema: found null, expected a text");
    }
    void faultsNamePathValueAndExpectation()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, message);
        const QString found = failure(with(pointer.toUtf8().constData(), json::parse(value.toStdString())));
        QVERIFY2(found.contains(message), qPrintable(found));
        QVERIFY2(found.startsWith("/home/somebody/experiments/full.json: "), qPrintable(found));
    }

    void filesThatAreNoDocumentsAreRefused()
    {
        const TemporaryFolder folder;
        const auto readingOf = [&](const std::string& content) {
            std::ofstream(folder / "bad.json", std::ios::binary) << content;
            try {
                readSession(folder / "bad.json", registry());
            } catch (const DocumentError& error) {
                return QString::fromStdString(error.what());
            }
            return QString();
        };
        QVERIFY(readingOf("").contains("found an empty file"));
        QVERIFY(readingOf("[1, 2]").contains("the document: found a list of 2, expected an object"));
        const QString broken = readingOf("{\n  \"schema\": \"batchscope.session/1\",\n  \"name\" 5\n}");
        QVERIFY2(broken.contains("not a JSON document") && broken.contains("line 3"), qPrintable(broken));
        QVERIFY(readingOf(std::string(200'000, '[')).contains("nested more than"));
        for (const char* wide : {"\xff\xfe{", "\xfe\xff"}) {
            const QString message = readingOf(wide);
            QVERIFY2(message.contains("bad.json: is UTF-16 text") && message.contains("save it as UTF-8"),
                     qPrintable(message));
        }
        QVERIFY(readingOf("{\"name\": 5}").contains("schema: found nothing"));
        QVERIFY_EXCEPTION_THROWN(readSession(folder / "absent.json", registry()), DocumentError);
        QVERIFY_EXCEPTION_THROWN(readSession(folder.path(), registry()), DocumentError);
    }

    void aKeyThatIsGivenTwiceIsWarnedAboutWithItsPath()
    {
        const TemporaryFolder folder;
        std::ofstream(folder / "twice.json", std::ios::binary)
            << "\xEF\xBB\xBF" // the mark of UTF-8 means nothing
               R"({"schema": "batchscope.session/1", "name": "first", "name": "last",
                   "workload": {"seed": 1, "requests": 2, "seed": 3},
                   "strategies": [{"name": "a", "limits": {"max_new_tokens": 5}},
                                  {"name": "b", "batching": {"type": "static", "rows": 2, "rows": 4}}]})";
        const SessionDocument document = readSession(folder / "twice.json", registry());
        constexpr const char* k_said = ": the key is given twice in one object, the last one counts";
        std::vector<std::string> expected;
        for (const char* path : {"name", "workload.seed", "strategies[1].batching.rows"})
            expected.push_back(std::string(path) + k_said);
        QCOMPARE(document.warnings, expected);
        QCOMPARE(document.name, std::string("last"));
        QCOMPARE(document.workload.seed, std::uint64_t{3});
        QCOMPARE(document.strategies[1].batching.params.at("rows"), ParamValue(std::int64_t{4}));
    }

    void aSavedFileBeginsWithWhatAReaderLooksFor()
    {
        const TemporaryFolder folder;
        writeSession(parsed(fullDocument()), folder / "saved.json");
        std::ifstream stream(folder / "saved.json");
        std::string line;
        QStringList starts;
        while (std::getline(stream, line))
            if (line.starts_with("  \"")) starts << QString::fromStdString(line).section('"', 1, 1);
        QCOMPARE(starts, (QStringList{"schema", "name", "notes", "repetitions", "backend", "workload",
                                      "strategies", "author"}));
    }
};

BATCHSCOPE_TEST(SessionDocumentTest)
#include "session_document_test.moc"
