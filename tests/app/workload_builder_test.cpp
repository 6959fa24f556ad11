// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/error.h"
#include "tests/app/app_fixtures.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <set>

using namespace batchscope;
using tests::build;
using tests::Workbench;

class WorkloadBuilderTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void all_requests_keep_file_order();
    void fewer_requests_are_drawn_by_the_seed_in_file_order();
    void more_requests_than_there_are_is_refused_with_both_numbers();
    void recorded_lengths_are_replayed_by_default();
    void a_request_without_a_length_is_named();
    void free_lengths_on_the_simulator_are_refused_with_the_remedy();
    void fixed_lengths_stand_in_for_recorded_ones();
    void arrivals_follow_process_rate_and_seed();
    void prompts_without_tokenizer_are_counted_and_said_so();
    void given_token_ids_are_fed_as_they_are();
    void a_conversation_data_set_asks_its_first_questions();
    void rows_that_cannot_be_read_are_skipped_with_number_and_reason();
    void a_source_without_a_usable_row_is_refused();
    void the_same_document_gives_the_same_hash();

private:
    // What the builder says; fails where it says nothing.
    static QString refusal(const sessions::SessionDocument& document);
};

QString WorkloadBuilderTest::refusal(const sessions::SessionDocument& document)
{
    try {
        build(document);
    } catch (const std::exception& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

void WorkloadBuilderTest::all_requests_keep_file_order()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 20);
    const auto built = build(bench.session("requests.jsonl"));
    QCOMPARE(built.workload.requests.size(), std::size_t{20});
    for (std::size_t i = 0; i < 20; ++i) {
        const Request& request = built.workload.requests[i];
        QCOMPARE(request.index, static_cast<RequestIndex>(i));
        QCOMPARE(request.id, fmt::format("q{}", i));
        QCOMPARE(request.prompt_tokens, static_cast<int>(5 + i % 7));
        QCOMPARE(request.arrival_ns, Nanos{0});
    }
    QVERIFY(built.skipped.empty());
    QVERIFY(built.notes.empty());
}

void WorkloadBuilderTest::fewer_requests_are_drawn_by_the_seed_in_file_order()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 100);
    auto document = bench.session("requests.jsonl");
    document.workload.requests = 30;
    const auto first = build(document).workload;
    QCOMPARE(first, build(document).workload);
    QCOMPARE(first.requests.size(), std::size_t{30});
    std::vector<int> numbers;
    for (const auto& request : first.requests)
        numbers.push_back(std::stoi(request.id.substr(1)));
    QVERIFY(std::is_sorted(numbers.begin(), numbers.end()));
    QCOMPARE(std::set<int>(numbers.begin(), numbers.end()).size(), std::size_t{30});
    QVERIFY2(numbers.back() > 50, "a draw over 100 rows that only takes the first half is no draw");
    document.workload.seed = 43;
    QVERIFY(build(document).workload.requests != first.requests);
}

void WorkloadBuilderTest::more_requests_than_there_are_is_refused_with_both_numbers()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 10);
    auto document = bench.session("requests.jsonl");
    document.workload.requests = 11;
    QVERIFY(refusal(document).contains("11"));
    QVERIFY(refusal(document).contains("10"));
}

void WorkloadBuilderTest::recorded_lengths_are_replayed_by_default()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 5);
    const auto workload = build(bench.session("requests.jsonl")).workload;
    QCOMPARE(workload.lengths, LengthMode::Replayed);
    QCOMPARE(workload.requests[1].output_tokens, std::optional<int>(38));
}

void WorkloadBuilderTest::a_request_without_a_length_is_named()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"id\": \"a\", \"prompt_tokens\": 3, \"output_tokens\": 4}\n"
                                  "{\"id\": \"bare\", \"prompt_tokens\": 3}\n");
    auto document = bench.session("requests.jsonl");
    document.workload.lengths.mode = LengthMode::Replayed;
    QVERIFY(refusal(document).contains("bare"));
}

void WorkloadBuilderTest::free_lengths_on_the_simulator_are_refused_with_the_remedy()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"prompt_tokens\": 3}\n");
    QVERIFY(refusal(bench.session("requests.jsonl")).contains("fixed"));
}

void WorkloadBuilderTest::fixed_lengths_stand_in_for_recorded_ones()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 5);
    auto document = bench.session("requests.jsonl");
    document.workload.lengths.mode = LengthMode::Fixed;
    document.workload.lengths.tokens = 17;
    for (const auto& request : build(document).workload.requests)
        QCOMPARE(request.output_tokens, std::optional<int>(17));
}

void WorkloadBuilderTest::arrivals_follow_process_rate_and_seed()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 5);
    auto document = bench.session("requests.jsonl");
    document.workload.arrivals = {"even", 2.0};
    const auto even = build(document).workload;
    QCOMPARE(even.requests[4].arrival_ns, 2 * k_second);
    QVERIFY(even.arrivals.find("even") != std::string::npos);
    document.workload.arrivals = {"poisson", 2.0};
    const auto poisson = build(document).workload;
    QVERIFY(std::is_sorted(poisson.requests.begin(), poisson.requests.end(),
                           [](const Request& a, const Request& b) { return a.arrival_ns < b.arrival_ns; }));
    QVERIFY(workloadHash(poisson) != workloadHash(even));
    document.workload.arrivals = {"poisson", std::nullopt};
    QVERIFY_THROWS_EXCEPTION(SchedulerError, build(document));
}

void WorkloadBuilderTest::prompts_without_tokenizer_are_counted_and_said_so()
{
    const Workbench bench;
    bench.write("requests.jsonl",
                "{\"prompt\": \"Twelve bytes\", \"output_tokens\": 4}\n"
                "{\"prompt\": \"Twelve bytes\", \"prompt_tokens\": 9, \"output_tokens\": 4}\n");
    const auto built = build(bench.session("requests.jsonl"));
    QCOMPARE(built.workload.requests[0].prompt_tokens, 3);
    QCOMPARE(built.workload.requests[1].prompt_tokens, 9);
    QCOMPARE(built.notes.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(built.notes.front()).startsWith("1 prompts"));
}

void WorkloadBuilderTest::given_token_ids_are_fed_as_they_are()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"prompt_token_ids\": [1, 7, 9], \"output_tokens\": 4}\n");
    const auto workload = build(bench.session("requests.jsonl")).workload;
    QCOMPARE(workload.requests[0].prompt_ids, (std::vector<TokenId>{1, 7, 9}));
    QCOMPARE(workload.requests[0].prompt_tokens, 3);
}

void WorkloadBuilderTest::a_conversation_data_set_asks_its_first_questions()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 1);
    bench.write("talk.json", R"([{"id": "c1", "conversations": [{"from": "human", "value": "How tall?"},
        {"from": "gpt", "value": "Very tall indeed."}, {"from": "human", "value": "And wide?"}]}])");
    auto document = bench.session("requests.jsonl");
    document.workload.source.type = "dataset";
    document.workload.source.path = "talk.json";
    QVERIFY(refusal(document).contains("fixed")); // an answer's text is no recorded length
    document.workload.lengths.mode = LengthMode::Replayed;
    const auto workload = build(document).workload;
    QCOMPARE(workload.requests.size(), std::size_t{1});
    QCOMPARE(workload.requests[0].prompt, std::string("How tall?"));
    QCOMPARE(workload.requests[0].output_tokens, std::optional<int>(5)); // 17 bytes, one token for every four
}

void WorkloadBuilderTest::rows_that_cannot_be_read_are_skipped_with_number_and_reason()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"prompt_tokens\": 3, \"output_tokens\": 4}\n"
                                  "{\"prompt_tokens\": -3, \"output_tokens\": 4}\n"
                                  "{\"prompt_tokens\": 5, \"output_tokens\": 4}\n");
    const auto built = build(bench.session("requests.jsonl"));
    QCOMPARE(built.workload.requests.size(), std::size_t{2});
    QCOMPARE(built.skipped.size(), std::size_t{1});
    QVERIFY(QString::fromStdString(built.skipped.front()).contains("row 2"));
}

void WorkloadBuilderTest::a_source_without_a_usable_row_is_refused()
{
    const Workbench bench;
    bench.write("requests.jsonl", "{\"prompt_tokens\": 0, \"output_tokens\": 4}\n");
    QVERIFY(!refusal(bench.session("requests.jsonl")).isEmpty());
}

void WorkloadBuilderTest::the_same_document_gives_the_same_hash()
{
    const Workbench bench;
    bench.writeRequests("requests.jsonl", 50);
    auto document = bench.session("requests.jsonl");
    const auto hash = workloadHash(build(document).workload);
    QCOMPARE(hash, workloadHash(build(document).workload));
    document.strategies.clear(); // strategies are no part of the work
    QCOMPARE(hash, workloadHash(build(document).workload));
    document.workload.sampling.temperature = 0.7;
    QVERIFY(hash != workloadHash(build(document).workload));
}

BATCHSCOPE_TEST(WorkloadBuilderTest)
#include "workload_builder_test.moc"
