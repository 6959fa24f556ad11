// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads out of traces, data sets and distributions, and the arrivals laid on them.
#include "scheduler/error.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace batchscope;
using sessions::DocumentError;
using tests::build;
using tests::Workbench;

class WorkloadSourcesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void a_trace_is_replayed_in_the_order_of_its_times();
    void a_speed_factor_shows_the_rate_that_results();
    void of_a_trace_the_first_requests_are_taken();
    void a_trace_that_spans_too_long_names_the_remedy();
    void a_request_file_brings_its_own_times();
    void a_request_without_a_time_is_named();
    void synthetic_lengths_follow_their_distributions();
    void one_distribution_does_not_move_the_other();
    void a_closed_loop_has_clients_and_think_times();
    void later_turns_follow_the_answer_before_them();
    void fewer_requests_than_turns_cut_a_conversation_short();
    void questions_without_an_answer_are_left_out_of_a_replay();
    void drawn_lengths_stand_in_for_recorded_ones();
    void sorted_gaps_need_every_strategy_to_ask();
    void an_exact_mean_rate_is_recorded();
    void many_bad_rows_are_told_as_a_number();
    void a_large_draw_reads_the_file_twice_and_keeps_the_choice();

private:
    static sessions::SessionDocument with(const Workbench& bench, const sessions::SourceSpec& source)
    {
        auto document = bench.session("requests.jsonl");
        document.workload.source = source;
        document.workload.arrivals.process = source.type == "trace" ? "trace" : "all-at-once";
        return document;
    }
    static QString refusal(const sessions::SessionDocument& document)
    {
        try {
            build(document);
        } catch (const std::exception& error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }
    static sessions::SourceSpec trace(const std::string& path)
    {
        sessions::SourceSpec source;
        source.type = "trace";
        source.path = path;
        return source;
    }
    static sessions::SourceSpec synthetic(double prompt, double least, double most)
    {
        sessions::SourceSpec source;
        source.type = "synthetic";
        source.prompt_tokens = Distribution{};
        source.prompt_tokens->value = prompt;
        source.output_tokens = Distribution{};
        source.output_tokens->kind = Distribution::Kind::Uniform;
        source.output_tokens->minimum = least;
        source.output_tokens->maximum = most;
        return source;
    }
    static constexpr const char* k_talks =
        R"([{"id": "a", "conversations": [{"from": "human", "value": "One?"}, {"from": "gpt", "value": "12345678"},
             {"from": "human", "value": "Two?"}, {"from": "gpt", "value": "1234"}]},
            {"id": "b", "conversations": [{"from": "human", "value": "Three?"}, {"from": "gpt", "value": "1234"},
             {"from": "human", "value": "Four?"}]}])";
};

void WorkloadSourcesTest::a_trace_is_replayed_in_the_order_of_its_times()
{
    const Workbench bench;
    bench.write("t.csv",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:50.5,20,2\n"
                "2023-11-16 18:15:46.25,10,1\n2023-11-16 18:15:50.5,30,3\n2023-11-16 18:15:47,0,9\n");
    const auto built = build(with(bench, trace("t.csv")));
    const auto& requests = built.workload.requests;
    QCOMPARE(requests.size(), std::size_t{3});
    QCOMPARE(requests[0].prompt_tokens, 10);
    QCOMPARE(requests[0].arrival_ns, Nanos{0});
    QCOMPARE(requests[1].prompt_tokens, 20); // of one time: in file order
    QCOMPARE(requests[2].arrival_ns, Nanos{4'250'000'000});
    QCOMPARE(built.workload.lengths, LengthMode::Replayed);
    QCOMPARE(requests[2].output_tokens, std::optional<int>(3));
    QCOMPARE(built.workload.source, std::string("azure t.csv"));
    QCOMPARE(built.skipped.size(), std::size_t{1});
    QVERIFY(built.skipped[0].find("row 4 (line 5)") != std::string::npos);
    QVERIFY(std::any_of(built.notes.begin(), built.notes.end(), [](const std::string& note) {
        return note.find("sorted by time: 1") != std::string::npos;
    }));
}

void WorkloadSourcesTest::a_speed_factor_shows_the_rate_that_results()
{
    const Workbench bench;
    std::string content = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
    for (int i = 0; i <= 40; ++i)
        content += fmt::format("{},5,5\n", i * 0.5);
    bench.write("t.csv", content);
    auto document = with(bench, trace("t.csv"));
    document.workload.source.speed = 2;
    const auto workload = build(document).workload;
    QCOMPARE(workload.requests.back().arrival_ns, 10 * k_second);
    QCOMPARE(workload.arrivals, std::string("trace, 2 times as fast, 4/s over 0:00:10"));
}

void WorkloadSourcesTest::of_a_trace_the_first_requests_are_taken()
{
    const Workbench bench;
    std::string content = "num_prefill_tokens,num_decode_tokens,arrived_at\n";
    for (int i = 0; i < 1000; ++i)
        content += fmt::format("{},5,{}\n", i + 1, i);
    bench.write("t.csv", content);
    auto document = with(bench, trace("t.csv"));
    QCOMPARE(build(document).workload.requests.size(), std::size_t{1000}); // nothing set: all of them
    document.workload.requests = 10;
    const auto built = build(document);
    QCOMPARE(built.workload.requests.size(), std::size_t{10});
    for (int i = 0; i < 10; ++i)
        QCOMPARE(built.workload.requests[static_cast<std::size_t>(i)].prompt_tokens, i + 1);
    QVERIFY(built.notes[0].find("first 10 requests") != std::string::npos);
    document.workload.requests = 1001;
    QVERIFY(refusal(document).contains("1001") && refusal(document).contains("1000"));
}

void WorkloadSourcesTest::a_trace_that_spans_too_long_names_the_remedy()
{
    const Workbench bench;
    bench.write("t.csv", "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1,1\n20000000,1,1\n");
    auto document = with(bench, trace("t.csv"));
    QVERIFY(refusal(document).contains("time_unit"));
    document.workload.source.time_unit = "ms";
    QCOMPARE(build(document).workload.requests[1].arrival_ns, 20'000 * k_second);
}

void WorkloadSourcesTest::a_request_file_brings_its_own_times()
{
    const Workbench bench;
    bench.write(
        "requests.jsonl",
        "{\"id\": \"late\", \"prompt_tokens\": 3, \"output_tokens\": 4, \"arrival_s\": 1.7e9}\n"
        "{\"id\": \"later\", \"prompt_tokens\": 3, \"output_tokens\": 4, \"arrival_s\": 1700000002}\n");
    auto document = bench.session("requests.jsonl");
    QCOMPARE(build(document).workload.requests[1].arrival_ns,
             Nanos{0}); // all at once unless the trace is asked for
    document.workload.arrivals.process = "trace";
    QCOMPARE(build(document).workload.requests[1].arrival_ns, 2 * k_second);
}

void WorkloadSourcesTest::a_request_without_a_time_is_named()
{
    const Workbench bench;
    bench.write("requests.jsonl",
                "{\"id\": \"a\", \"prompt_tokens\": 3, \"output_tokens\": 4, \"arrival_s\": 1}\n"
                "{\"id\": \"bare\", \"prompt_tokens\": 3, \"output_tokens\": 4}\n");
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals.process = "trace";
    QVERIFY(refusal(document).contains("bare"));
}

void WorkloadSourcesTest::synthetic_lengths_follow_their_distributions()
{
    const Workbench bench;
    auto document = with(bench, synthetic(64, 10, 20));
    document.workload.requests = 5000;
    document.workload.source.clients = Distribution{};
    document.workload.source.clients->kind = Distribution::Kind::Zipf;
    document.workload.source.clients->exponent = 1;
    document.workload.source.clients->maximum = 3;
    document.workload.source.priorities = Distribution{};
    document.workload.source.priorities->value = 2;
    const auto workload = build(document).workload;
    QCOMPARE(workload.requests.size(), std::size_t{5000});
    QCOMPARE(workload.lengths, LengthMode::Replayed);
    std::map<std::string, int> clients;
    double sum = 0;
    for (const Request& request : workload.requests) {
        QCOMPARE(request.prompt_tokens, 64);
        QVERIFY(*request.output_tokens >= 10 && *request.output_tokens <= 20);
        QCOMPARE(request.priority, 2);
        sum += *request.output_tokens;
        ++clients[request.client];
    }
    QVERIFY(std::abs(sum / 5000 - 15) < 0.2);
    QCOMPARE(clients.size(), std::size_t{3});
    QVERIFY(clients["client 1"] > 2 * clients["client 3"]);
    QCOMPARE(build(document).workload, workload);
    document.workload.requests = std::nullopt;
    QVERIFY(refusal(document).contains("workload.requests"));
}

void WorkloadSourcesTest::one_distribution_does_not_move_the_other()
{
    const Workbench bench;
    auto document = with(bench, synthetic(64, 10, 200));
    document.workload.requests = 50;
    const auto before = build(document).workload;
    document.workload.source.prompt_tokens->kind = Distribution::Kind::Uniform;
    document.workload.source.prompt_tokens->maximum = 50;
    const auto after = build(document).workload;
    for (std::size_t i = 0; i < 50; ++i)
        QCOMPARE(after.requests[i].output_tokens, before.requests[i].output_tokens);
}

void WorkloadSourcesTest::a_closed_loop_has_clients_and_think_times()
{
    const Workbench bench;
    auto document = with(bench, synthetic(8, 1, 5));
    document.workload.requests = 4000;
    document.workload.arrivals.process = "closed-loop";
    document.workload.arrivals.clients = 7;
    document.workload.arrivals.think_s = Distribution{};
    document.workload.arrivals.think_s->kind = Distribution::Kind::Gamma;
    document.workload.arrivals.think_s->mean = 2;
    const auto workload = build(document).workload;
    QCOMPARE(workload.closed_loop_clients, 7);
    double sum = 0;
    for (const Request& request : workload.requests)
        sum += toSeconds(request.think_ns);
    QVERIFY2(std::abs(sum / 4000 - 2) < 0.1, qPrintable(QString::number(sum / 4000)));
    QVERIFY(workload.arrivals.find("closed loop of 7 clients") != std::string::npos);
}

void WorkloadSourcesTest::later_turns_follow_the_answer_before_them()
{
    const Workbench bench;
    bench.write("talk.json", k_talks);
    sessions::SourceSpec source;
    source.type = "dataset";
    source.path = "talk.json";
    source.turns = "all";
    auto document = with(bench, source);
    document.workload.lengths = {LengthMode::Fixed, 5};
    document.workload.arrivals = {"even", 1.0};
    document.workload.arrivals.think_s = Distribution{};
    document.workload.arrivals.think_s->value = 3;
    const auto& requests = build(document).workload.requests;
    QCOMPARE(requests.size(), std::size_t{4});
    QVERIFY(!requests[0].follows && !requests[2].follows);
    QCOMPARE(requests[1].follows, std::optional<RequestIndex>(0));
    QCOMPARE(requests[3].follows, std::optional<RequestIndex>(2));
    QCOMPARE(requests[1].think_ns, 3 * k_second);
    QCOMPARE(requests[0].think_ns, Nanos{0}); // the process decides when a conversation begins
    QCOMPARE(requests[2].arrival_ns, k_second);
}

void WorkloadSourcesTest::fewer_requests_than_turns_cut_a_conversation_short()
{
    const Workbench bench;
    bench.write("talk.json", k_talks);
    sessions::SourceSpec source;
    source.type = "dataset";
    source.path = "talk.json";
    source.turns = "all";
    auto document = with(bench, source);
    document.workload.lengths = {LengthMode::Fixed, 5};
    document.workload.requests = 3;
    const auto& requests = build(document).workload.requests;
    QCOMPARE(requests.size(), std::size_t{3});
    QVERIFY(!requests[0].follows && !requests[2].follows);
    QCOMPARE(requests[1].follows, std::optional<RequestIndex>(0));
    QCOMPARE(requests[1].id, requests[0].id + "/2");
}

void WorkloadSourcesTest::questions_without_an_answer_are_left_out_of_a_replay()
{
    const Workbench bench;
    bench.write("talk.json", k_talks);
    sessions::SourceSpec source;
    source.type = "dataset";
    source.path = "talk.json";
    source.turns = "all";
    auto document = with(bench, source);
    document.workload.lengths.mode = LengthMode::Replayed;
    const auto built = build(document);
    QCOMPARE(built.workload.requests.size(), std::size_t{3});
    QCOMPARE(built.workload.requests[0].output_tokens, std::optional<int>(2));
    QVERIFY(built.notes[0].find("left out: 1") != std::string::npos);
}

void WorkloadSourcesTest::drawn_lengths_stand_in_for_recorded_ones()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 500);
    auto document = bench.session("requests.jsonl");
    document.workload.lengths.mode = LengthMode::Drawn;
    document.workload.lengths.output_tokens = synthetic(1, 75, 125).output_tokens;
    const auto workload = build(document).workload;
    QCOMPARE(workload.lengths, LengthMode::Drawn);
    double sum = 0;
    for (const Request& request : workload.requests) {
        QVERIFY(*request.output_tokens >= 75 && *request.output_tokens <= 125);
        sum += *request.output_tokens;
    }
    QVERIFY(std::abs(sum / 500 - 100) < 3);
    document.workload.seed = 43;
    QVERIFY(workloadHash(build(document).workload) != workloadHash(workload));
}

void WorkloadSourcesTest::sorted_gaps_need_every_strategy_to_ask()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 50);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"gamma", 1.0, 2.0};
    for (auto& strategy : document.strategies)
        strategy.compat = {"J-2"};
    const auto workload = build(document).workload;
    for (std::size_t i = 2; i < 50; ++i)
        QVERIFY(workload.requests[i].arrival_ns - workload.requests[i - 1].arrival_ns >=
                workload.requests[i - 1].arrival_ns - workload.requests[i - 2].arrival_ns - 1);
    QVERIFY(workload.arrivals.find("J-2") != std::string::npos);
    document.strategies[0].compat.clear();
    QVERIFY(refusal(document).contains("J-2"));
}

void WorkloadSourcesTest::an_exact_mean_rate_is_recorded()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 21);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"poisson", 10.0};
    document.workload.arrivals.exact_mean_rate = true;
    const auto workload = build(document).workload;
    QCOMPARE(workload.requests.back().arrival_ns, 2 * k_second);
    QCOMPARE(workload.arrivals, std::string("poisson 10/s, rescaled to exactly this mean rate"));
}

void WorkloadSourcesTest::many_bad_rows_are_told_as_a_number()
{
    const Workbench bench;
    std::string content = "num_prefill_tokens,num_decode_tokens,arrived_at\n1,1,0\n";
    for (int i = 0; i < 500; ++i)
        content += "1,0,1\n";
    bench.write("t.csv", content);
    const auto built = build(with(bench, trace("t.csv")));
    QCOMPARE(built.workload.requests.size(), std::size_t{1});
    QVERIFY(built.skipped.size() < 30);
    QVERIFY(built.skipped.back().find("480 more rows") != std::string::npos);
}

void WorkloadSourcesTest::a_large_draw_reads_the_file_twice_and_keeps_the_choice()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 2000);
    auto document = bench.session("requests.jsonl");
    const auto all = build(document).workload.requests;
    document.workload.requests = 700;
    const auto some = build(document).workload.requests;
    QCOMPARE(some.size(), std::size_t{700});
    for (const Request& request : some) {
        const auto& same = all[static_cast<std::size_t>(std::stoi(request.id.substr(1)))];
        QCOMPARE(request.prompt_tokens, same.prompt_tokens);
        QCOMPARE(request.output_tokens, same.output_tokens);
    }
}

BATCHSCOPE_TEST(WorkloadSourcesTest)
#include "workload_sources_test.moc"
