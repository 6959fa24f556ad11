// SPDX-License-Identifier: GPL-3.0-or-later
// Published figures beside ours: values, changes and ratios over points and seeds, and what is refused.
#include "sessions/error.h"
#include "sessions/published.h"
#include "sessions/session_document.h"
#include "tests/support/test_main.h"

using namespace batchscope;
using namespace batchscope::sessions;

namespace {

const Registry& registry()
{
    static const Registry k_registry = Registry::withBuiltinParts();
    return k_registry;
}

SessionDocument document(const std::string& published)
{
    const auto json = nlohmann::json::parse(R"({"schema": "batchscope.session/1", "name": "p",
        "backend": {"type": "simulated", "preset": "ssjf"},
        "workload": {"source": {"type": "file", "path": "r.jsonl"}, "arrivals": {"process": "poisson", "rate": 1},
                     "lengths": {"mode": "replayed"}},
        "strategies": [{"name": "fcfs"}, {"name": "sjf", "predictor": {"type": "oracle"},
                                          "ordering": {"type": "sjf"}}],
        "published": )" + published + "}");
    return parseSession(json, registry(), "p.json");
}

PointRun run(const std::string& strategy, double jct_s, std::uint64_t seed = 42, SessionPoint point = {})
{
    PointRun made{strategy, std::move(point), seed, {}};
    made.metrics.e2el_s.mean = jct_s;
    made.metrics.e2el_s.n = 1;
    return made;
}

QString refusal(const std::string& figure)
{
    try {
        publishedFigures(document(R"({"figures": [)" + figure + "]}"));
        return {};
    } catch (const DocumentError& error) {
        return QString::fromUtf8(error.what());
    }
}

} // namespace

class PublishedTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_value_stands_beside_the_mean_of_ours_with_its_offset()
    {
        const auto published = publishedFigures(document(
            R"({"source": "S", "figures": [{"strategy": "fcfs", "metric": "e2el_s.mean", "value": 10, "offset": 1}]})"));
        QCOMPARE(published.figures.size(), 1U);
        QCOMPARE(published.figures[0].source, std::string("S"));
        const std::vector<PointRun> runs{run("fcfs", 8, 1), run("fcfs", 12, 2), run("sjf", 3, 1)};
        const auto rows = besidePublished(published.figures, runs);
        QCOMPARE(rows[0].ours->value, 11.0);
        QVERIFY(std::abs(rows[0].ours->difference - 0.1) < 1e-12);
        // Two values 4 apart: standard error of the mean = sqrt(8) / sqrt(2) = 2.
        QVERIFY(std::abs(*rows[0].ours->half_width - 1.96 * 2) < 1e-9);
        QVERIFY(!rows[0].as_published);
        QVERIFY(!besidePublished(published.figures, std::vector<PointRun>{run("sjf", 3)})[0].ours);
    }

    // FCFS 10 and 30, SJF 5 and 25: means over the points 20 and 15, and not the mean of -50 % and -17 %.
    void a_change_is_of_the_means_over_its_points()
    {
        const auto published = publishedFigures(document(
            R"({"figures": [{"strategy": "sjf", "metric": "e2el_s.mean", "measure": "change", "against": "fcfs",
                "value": [-0.4, -0.3], "at": [{"workload.arrivals.rate": 1}, {"workload.arrivals.rate": 2}]}]})"));
        const SessionPoint one{"workload.arrivals.rate=1"}, two{"workload.arrivals.rate=2"};
        QCOMPARE(published.figures[0].points, (std::vector<SessionPoint>{one, two}));
        std::vector<PointRun> runs{run("fcfs", 10, 1, one), run("fcfs", 30, 1, two), run("sjf", 5, 1, one)};
        QVERIFY(!besidePublished(published.figures, runs)[0].ours); // a point has not been run
        runs.push_back(run("sjf", 25, 1, two));
        const auto row = besidePublished(published.figures, runs)[0];
        QCOMPARE(row.ours->value, -0.25);
        QVERIFY(std::abs(row.ours->difference - 0.05) < 1e-12); // from the nearer end of the band
        QVERIFY(!row.ours->half_width);
        const auto text = repeatedTexts({row})[0];
        QCOMPARE(text.published, std::string("-40.0 % to -30.0 %"));
        QCOMPARE(text.ours, std::string("-25.0 %"));
        QCOMPARE(text.difference, std::string("+5.0 points"));
        QVERIFY(text.figure.find("rate 1, 2 (mean)") != std::string::npos);
    }

    void only_seeds_that_both_strategies_ran_count()
    {
        const auto published = publishedFigures(document(
            R"({"figures": [{"strategy": "sjf", "metric": "e2el_s.mean", "measure": "ratio", "against": "fcfs",
                "value": 0.5, "as_published": "fcfs"}]})"));
        const std::vector<PointRun> runs{run("fcfs", 10, 1), run("fcfs", 99, 2), run("sjf", 5, 1),
                                         run("sjf", 1, 3)};
        const auto row = besidePublished(published.figures, runs)[0];
        QCOMPARE(row.ours->value, 0.5);
        QCOMPARE(row.ours->difference, 0.0);
        QCOMPARE(row.as_published->value, 1.0);
        QCOMPARE(repeatedTexts({row})[0].as_published_difference, std::string("+100.0 %"));
    }

    void stored_runs_are_found_again_at_their_points()
    {
        const auto given = document(
            R"({"figures": [{"strategy": "sjf", "metric": "e2el_s.mean", "value": 1, "at": {"workload.arrivals.rate": 2}}]})");
        const auto published = publishedFigures(given);
        const auto changed = atPoint(given, published.figures[0].points[0], registry());
        const auto json = sessionToJson(changed);
        RunRecord record;
        record.name = "sjf";
        record.status = RunStatus::Completed;
        record.metrics.emplace().e2el_s.mean = 2.0;
        record.strategy = completeStrategy(changed.strategies[1], registry());
        record.backend = json["backend"];
        record.workload = json["workload"];
        record.seed = 7;
        record.workload["seed"] = 7; // another seed is the same point
        RunRecord elsewhere = record;
        elsewhere.workload["arrivals"]["rate"] = 3;
        const auto runs = runsAtPoints(given, published, {record, elsewhere}, registry());
        QCOMPARE(runs.size(), 1U);
        QCOMPARE(runs[0].strategy, std::string("sjf"));
        QCOMPARE(runs[0].seed, std::uint64_t{7});
        QVERIFY(publishedOfRuns({record}, registry()).empty()); // it names no session file
    }

    void what_cannot_be_repeated_is_refused_with_its_place()
    {
        QVERIFY(refusal(R"({"strategy": "lifo", "metric": "e2el_s.mean", "value": 1})")
                    .contains("published.figures[0].strategy"));
        QVERIFY(
            refusal(R"({"strategy": "sjf", "metric": "e2el_s", "value": 1})").contains("figures[0].metric"));
        QVERIFY(refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean"})").contains("figures[0].value"));
        QVERIFY(
            refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean", "value": [2, 1]})").contains("lower"));
        QVERIFY(refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean", "value": 1, "against": "fcfs"})")
                    .contains("figures[0].against"));
        QVERIFY(
            refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean", "value": 1, "at": 3})").contains("].at"));
        QVERIFY(refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean", "value": 1, "basis": "rumour"})")
                    .contains("published, derived"));
        QVERIFY(refusal(R"({"strategy": "sjf", "metric": "e2el_s.mean", "value": 1})").isEmpty());
    }

    void tables_number_their_reasons()
    {
        const auto published = publishedFigures(document(
            R"({"figures": [{"strategy": "fcfs", "metric": "e2el_s.mean", "value": 1, "reason": "A | B."},
                            {"strategy": "sjf", "metric": "e2el_s.mean", "value": 1, "reason": "Other.", "basis": "derived"},
                            {"strategy": "sjf", "metric": "makespan_s", "value": 1, "reason": "A | B."}]})"));
        const std::vector<PointRun> runs{run("fcfs", 1), run("sjf", 2)};
        const auto rows = besidePublished(published.figures, runs);
        const std::string table = repeatedTable(rows);
        QVERIFY(table.find("1: A | B.\n2: Other.\n") != std::string::npos);
        QVERIFY(table.find("1.00 (derived)") != std::string::npos);
        const std::string markdown = repeatedMarkdown(rows);
        QVERIFY(markdown.find("| --- | --- | ---: | ---: | ---: | --- |") != std::string::npos);
        QVERIFY(markdown.find("A \\| B.") != std::string::npos);
        QVERIFY(repeatedTable({}).empty() && repeatedMarkdown({}).empty());
    }
};

BATCHSCOPE_TEST(PublishedTest)
#include "published_test.moc"
