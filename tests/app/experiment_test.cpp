// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/error.h"
#include "sessions/report.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>

using namespace batchscope;
using tests::Workbench;

namespace {

// Keeps what it is told, and can ask for a stop at a run's beginning or after some events.
class Witness final : public app::ExperimentListener
{
public:
    void runStarted(int run, int runs, const sessions::RunRecord& record, const Workload& workload) override
    {
        started.push_back(record.name);
        all = runs;
        QCOMPARE(run, static_cast<int>(started.size()) - 1);
        QCOMPARE(static_cast<std::int64_t>(workload.requests.size()), record.requests);
        logs.emplace_back();
        if (!remove_when_started.empty()) std::filesystem::remove(remove_when_started);
    }
    void eventsAppended(const std::vector<Event>& events) override
    {
        logs.back().insert(logs.back().end(), events.begin(), events.end());
        if (stop && logs.back().size() >= stop_after) stop->request_stop();
    }
    void runEnded(const sessions::RunRecord& record) override { ended.push_back(record); }
    void warned(const std::string& text) override { warnings.push_back(text); }

    std::vector<std::string> started, warnings;
    std::vector<EventLog> logs;
    std::vector<sessions::RunRecord> ended;
    int all = 0;
    std::stop_source* stop = nullptr;
    std::size_t stop_after = 0;
    std::filesystem::path remove_when_started; // a store that somebody deletes
};

app::ExperimentResult runSession(const sessions::SessionDocument& document, Witness& witness,
                                 const app::ExperimentOptions& options = {}, std::stop_token stop = {})
{
    app::Experiment experiment;
    RunControl control;
    return experiment.run(document, options, witness, control, stop);
}

} // namespace

class ExperimentTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void every_strategy_runs_on_the_same_work();
    void the_listener_sees_the_log_that_is_kept();
    void slowdown_is_against_the_request_alone_under_the_runs_cost_model();
    void repetitions_are_interleaved();
    void two_experiments_have_equal_events();
    void only_the_strategies_asked_for_run();
    void a_refused_strategy_is_told_before_anything_runs();
    void a_prompt_beyond_the_context_is_told_before_anything_runs();
    void a_stop_ends_the_run_as_cancelled_with_what_it_has();
    void runs_are_kept_in_the_store_as_they_were();
    void a_store_that_vanishes_is_told_once_and_the_run_stays_whole();
    void the_record_says_what_made_it();
    void simulated_repetitions_draw_workloads_of_their_own();
    void a_window_has_figures_beside_the_whole_run();
};

// Repetition k: the session's seed + k, the same for every strategy; asked for one seed, all are alike.
void ExperimentTest::simulated_repetitions_draw_workloads_of_their_own()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 40);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"poisson", 2.0};
    document.workload.seed = 7;
    document.repetitions = 3;
    Witness witness;
    const auto runs = runSession(document, witness).runs;
    QCOMPARE(runs.size(), std::size_t{6});
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto& record = runs[i].record;
        QCOMPARE(record.seed, std::uint64_t{7} + i / 2);
        QVERIFY(record.workload["seed"] == record.seed);
        QCOMPARE(record.workload_hash, runs[i / 2 * 2].record.workload_hash); // a pair has one workload
        QVERIFY(record.workload_hash == runs[0].record.workload_hash || i >= 2);
    }
    QVERIFY(runs[0].record.metrics->e2el_s != runs[2].record.metrics->e2el_s);
    // Repetition 2 alone is the session with that seed.
    auto alone = document;
    alone.repetitions = 1;
    alone.workload.seed = 9;
    Witness of_one;
    QCOMPARE(runSession(alone, of_one).runs[0].log, runs[4].log);

    document.vary_seed = false;
    Witness of_same;
    const auto same = runSession(document, of_same).runs;
    QCOMPARE(same[4].record.seed, std::uint64_t{7});
    QCOMPARE(same[4].log, runs[0].log);
}

void ExperimentTest::a_window_has_figures_beside_the_whole_run()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 40);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"poisson", 2.0};
    Witness witness;
    const auto whole = runSession(document, witness).runs[0].record;
    QVERIFY(!whole.metrics->window);
    document.measure.warm_up_requests = 10;
    document.measure.to_s = 15;
    Witness of_part;
    const auto part = runSession(document, of_part).runs[0].record;
    QVERIFY(part.metrics->window);
    QCOMPARE(part.metrics->window->requests_before, std::int64_t{10});
    QCOMPARE(part.metrics->window->window.to_ns, 15'000'000'000LL);
    QCOMPARE(part.metrics->e2el_s, whole.metrics->e2el_s); // the whole run is what it was
    QVERIFY(part.measure["window_s"] == nlohmann::json::array({nullptr, 15.0}));
    QVERIFY(part.offered && part.offered->rate_per_s > 1);
}

void ExperimentTest::every_strategy_runs_on_the_same_work()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 64);
    Witness witness;
    const auto result = runSession(bench.session("requests.jsonl"), witness);
    QCOMPARE(result.status, RunStatus::Completed);
    QCOMPARE(witness.started, (std::vector<std::string>{"vanilla", "sorted"}));
    const auto& vanilla = *result.runs[0].record.metrics;
    const auto& sorted = *result.runs[1].record.metrics;
    QCOMPARE(vanilla.completed, std::int64_t{64});
    QCOMPARE(vanilla.useful_output_tokens, sorted.useful_output_tokens);
    QVERIFY(*sorted.effective_token_ratio_strict > *vanilla.effective_token_ratio_strict);
    QVERIFY(*sorted.makespan_s < *vanilla.makespan_s);
    QCOMPARE(result.runs[0].record.workload_hash, result.runs[1].record.workload_hash);
    QCOMPARE(result.runs[0].record.experiment, result.runs[1].record.experiment);
    QVERIFY(result.runs[0].record.uuid != result.runs[1].record.uuid);
    for (const auto& run : result.runs)
        QVERIFY(validateLog(run.log).empty());
}

void ExperimentTest::the_listener_sees_the_log_that_is_kept()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 40);
    Witness witness;
    const auto result = runSession(bench.session("requests.jsonl"), witness);
    for (std::size_t i = 0; i < 2; ++i) {
        QCOMPARE(witness.logs[i], result.runs[i].log);
        QCOMPARE(witness.ended[i], result.runs[i].record);
        QVERIFY(std::holds_alternative<RunEnded>(result.runs[i].log.back().body));
    }
}

void ExperimentTest::slowdown_is_against_the_request_alone_under_the_runs_cost_model()
{
    const Workbench bench;
    Witness first, witness;
    bench.writeRequests("alone.jsonl", 1);
    const auto alone = runSession(bench.session("alone.jsonl"), first);
    const auto& by_itself = *alone.runs[0].record.metrics;
    QCOMPARE(by_itself.slowdown.n, std::int64_t{1});
    QCOMPARE(by_itself.slowdown.mean, std::optional<double>(1.0)); // to the nanosecond
    QCOMPARE(by_itself.jains_index, std::optional<double>(1.0));
    bench.writeRequests("requests.jsonl", 64);
    const auto result = runSession(bench.session("requests.jsonl"), witness);
    for (const auto& run : result.runs) {
        const auto& together = *run.record.metrics;
        QCOMPARE(together.slowdown.n, std::int64_t{64});
        QVERIFY(*together.slowdown.median > 1);
        QVERIFY(*together.jains_index > 1.0 / 64 && *together.jains_index < 1);
        QVERIFY(!together.starved_requests);
    }
}

void ExperimentTest::repetitions_are_interleaved()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 16);
    app::ExperimentOptions options;
    options.repetitions = 3;
    options.keep_log = false;
    Witness witness;
    const auto result = runSession(bench.session("requests.jsonl"), witness, options);
    QCOMPARE(witness.all, 6);
    QCOMPARE(witness.started,
             (std::vector<std::string>{"vanilla", "sorted", "vanilla", "sorted", "vanilla", "sorted"}));
    QCOMPARE(result.runs[4].record.repetition, 2);
    QVERIFY(result.runs[4].log.empty());
    QVERIFY(result.runs[4].record.metrics.has_value());
}

void ExperimentTest::two_experiments_have_equal_events()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 100);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"poisson", 3.0};
    Witness one, other;
    const auto a = runSession(document, one);
    const auto b = runSession(document, other);
    for (std::size_t i = 0; i < 2; ++i)
        QCOMPARE(sessions::exportEventsJsonl(a.runs[i].log), sessions::exportEventsJsonl(b.runs[i].log));
}

void ExperimentTest::only_the_strategies_asked_for_run()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 16);
    app::ExperimentOptions options;
    options.strategies = {"sorted"};
    Witness witness;
    const auto result = runSession(bench.session("requests.jsonl"), witness, options);
    QCOMPARE(witness.started, (std::vector<std::string>{"sorted"}));
    QCOMPARE(result.runs[0].record.order, 1); // colour and marker stay those of its place in the session
    options.strategies = {"sorted", "nobody"};
    QVERIFY_THROWS_EXCEPTION(sessions::DocumentError,
                             runSession(bench.session("requests.jsonl"), witness, options));
}

void ExperimentTest::a_refused_strategy_is_told_before_anything_runs()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 16);
    auto document = bench.session("requests.jsonl");
    document.strategies[1].correction.type = "fcr";
    document.strategies[1].predictor.type = "none";
    Witness witness;
    QVERIFY_THROWS_EXCEPTION(SchedulerError, runSession(document, witness));
    QVERIFY(witness.started.empty());
}

void ExperimentTest::a_prompt_beyond_the_context_is_told_before_anything_runs()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"id\": \"giant\", \"prompt_tokens\": 9000, \"output_tokens\": 4}\n");
    sessions::RunStore store(bench.file("runs.db"));
    app::ExperimentOptions options;
    options.store = &store;
    Witness witness;
    QVERIFY_THROWS_EXCEPTION(SchedulerError, runSession(bench.session("requests.jsonl"), witness, options));
    QVERIFY(witness.started.empty());
    QVERIFY(store.runs().empty());
}

void ExperimentTest::a_stop_ends_the_run_as_cancelled_with_what_it_has()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 400);
    sessions::RunStore store(bench.file("runs.db"));
    app::ExperimentOptions options;
    options.store = &store;
    std::stop_source stop;
    Witness witness;
    witness.stop = &stop;
    witness.stop_after = 450; // all have arrived, few have ended
    auto document = bench.session("requests.jsonl");
    document.strategies[0].batching.params["rows"] = std::int64_t{2};
    const auto result = runSession(document, witness, options, stop.get_token());
    QCOMPARE(result.status, RunStatus::Cancelled);
    QCOMPARE(result.runs.size(), std::size_t{1});
    QCOMPARE(*result.runs[0].record.status, RunStatus::Cancelled);
    QVERIFY(result.runs[0].record.metrics->completed < 400);
    QVERIFY(validateLog(result.runs[0].log).empty());
    const auto kept = store.load(result.runs[0].record.id);
    QCOMPARE(*kept.record.status, RunStatus::Cancelled);
    QCOMPARE(kept.log, result.runs[0].log);
}

void ExperimentTest::runs_are_kept_in_the_store_as_they_were()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 48);
    sessions::RunStore store(bench.file("runs.db"));
    app::ExperimentOptions options;
    options.store = &store;
    Witness witness;
    const auto result = runSession(bench.session("requests.jsonl"), witness, options);
    QVERIFY(result.store_error.empty());
    QCOMPARE(store.runs().size(), std::size_t{2});
    for (const auto& run : result.runs) {
        const auto kept = store.load(run.record.id);
        QCOMPARE(kept.log, run.log);
        QCOMPARE(kept.record.metrics, run.record.metrics);
        QCOMPARE(kept.requests, run.requests);
        QCOMPARE(kept.record.strategy, run.record.strategy);
    }
}

void ExperimentTest::a_store_that_vanishes_is_told_once_and_the_run_stays_whole()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 48);
    sessions::RunStore store(bench.file("runs.db"));
    app::ExperimentOptions options;
    options.store = &store;
    options.repetitions = 2;
    Witness witness;
    witness.remove_when_started = bench.file("runs.db");
    const auto result = runSession(bench.session("requests.jsonl"), witness, options);
    QCOMPARE(result.status, RunStatus::Completed);
    QVERIFY(!result.store_error.empty());
    const auto about_the_store = [&](const std::string& text) {
        return text.find("runs.db") != std::string::npos;
    };
    QVERIFY(std::count_if(witness.warnings.begin(), witness.warnings.end(), about_the_store) >= 1);
    QCOMPARE(result.runs.size(), std::size_t{4});
    for (const auto& run : result.runs)
        QCOMPARE(run.record.metrics->completed, std::int64_t{48});
}

void ExperimentTest::the_record_says_what_made_it()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 8);
    app::ExperimentOptions options;
    options.watched = true;
    options.command = "batchscope-cli run session.json";
    Witness witness;
    auto document = bench.session("requests.jsonl");
    document.workload.seed = 7; // after it was read: what was run counts, not what lies in the file
    const auto record = runSession(document, witness, options).runs[0].record;
    QCOMPARE(record.command, options.command);
    QCOMPARE(record.session_file, bench.file("session.json").string());
    QCOMPARE(record.backend["preset"].get<std::string>(), std::string("vicuna-7b-a100"));
    QCOMPARE(record.workload["source"]["path"].get<std::string>(), std::string("requests.jsonl"));
    QCOMPARE(record.workload["seed"].get<int>(), 7);
    QCOMPARE(record.session, std::string("bench"));
    QVERIFY(!record.provenance.measured);
    QVERIFY(record.provenance.watched);
    QCOMPARE(record.provenance.cost_model, std::string("vicuna-7b-a100"));
    QVERIFY(!record.environment.cpu.empty());
    QVERIFY(!record.environment.version.empty());
    QVERIFY(record.started_unix_ms > 1'600'000'000'000);
    QVERIFY(record.source.find("requests.jsonl") != std::string::npos);
}

BATCHSCOPE_TEST(ExperimentTest)
#include "experiment_test.moc"
