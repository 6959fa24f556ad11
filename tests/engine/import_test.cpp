// SPDX-License-Identifier: GPL-3.0-or-later
// What importers make of each format (public reports W2, W3, W8, W12).
#include "engine/data/import.h"
#include "tests/engine/import_folder.h"
#include "tests/support/engine_error.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

class ImportTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void azure_dates_and_tokens_are_read();
    void burstgpt_rows_without_a_response_are_skipped_with_the_reason();
    void mooncake_blocks_name_the_prefix_group();
    void vidur_and_splitwise_columns_are_known();
    void ssjf_classes_stand_for_the_ends_of_their_ranges();
    void ssjf_regression_is_taken_as_tokens();
    void conversations_give_their_first_question_or_all();
    void lmsys_conversations_have_their_own_keys();
    void request_files_are_read_in_both_forms();
    void a_thousand_rows_come_in_order_and_none_is_left_out();
    void rows_out_of_order_are_counted();
    void epoch_times_begin_at_the_first_row();
    void a_unit_that_is_set_holds();
    void zero_tokens_are_skipped_or_clipped_by_the_rule();

private:
    Imported import(const std::string& content, const ImportOptions& options = {}) const
    {
        return m_folder.import(content, options);
    }
    ImportFolder m_folder;
};

void ImportTest::azure_dates_and_tokens_are_read()
{
    const auto [report, rows] = import("TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                       "2023-11-16 18:15:46.6805900,374,44\r\n"
                                       "2023-11-16 18:15:50.9951690,396,109\r\n");
    QCOMPARE(report.format, std::string("azure"));
    QVERIFY(report.why.find("ContextTokens") != std::string::npos);
    QCOMPARE(report.time_unit, std::string("date"));
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[0].prompt_tokens, std::optional<int>(374));
    QCOMPARE(rows[1].output_tokens, std::optional<int>(109));
    QCOMPARE(rows[0].time_ns, std::optional<Nanos>(0));
    QCOMPARE(rows[1].time_ns, std::optional<Nanos>(4'314'579'000));
    // 2024 has zones; a change of zone within the file is no jump.
    const auto later = import("TIMESTAMP,ContextTokens,GeneratedTokens\n"
                              "2024-05-10 00:00:00.009930+00:00,2162,5\n"
                              "2024-05-10 01:00:01.009930+01:00,2399,6\n");
    QCOMPARE(later.rows[1].time_ns, std::optional<Nanos>(k_second));
}

void ImportTest::burstgpt_rows_without_a_response_are_skipped_with_the_reason()
{
    const auto [report, rows] =
        import("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
               "5,ChatGPT,472,18,490,Conversation log\n"
               "45,ChatGPT,1087,0,1087,Conversation log\n"
               "118,GPT-4,417,276,693,API log\n");
    QCOMPARE(report.format, std::string("burstgpt"));
    QCOMPARE(report.time_unit, std::string("s"));
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[1].time_ns, std::optional<Nanos>(113 * k_second));
    QCOMPARE(report.skipped, std::int64_t{1});
    QCOMPARE(report.skipped_rows[0].row, std::int64_t{2});
    QCOMPARE(report.skipped_rows[0].line, std::int64_t{3});
    QVERIFY(report.skipped_rows[0].reason.find("\"Response tokens\" is 0") != std::string::npos);
    QVERIFY(report.unknown_columns.empty());
}

void ImportTest::mooncake_blocks_name_the_prefix_group()
{
    const auto [report, rows] =
        import(R"({"timestamp": 0, "input_length": 6755, "output_length": 500, "hash_ids": [46, 47, 48]})"
               "\n"
               R"({"timestamp": 27482, "input_length": 7319, "output_length": 490, "hash_ids": [46, 60]})"
               "\n"
               R"({"timestamp": 30535, "input_length": 7234, "output_length": 794, "hash_ids": [103]})"
               "\n");
    QCOMPARE(report.format, std::string("mooncake"));
    QCOMPARE(report.time_unit, std::string("ms"));
    QCOMPARE(rows[1].time_ns, std::optional<Nanos>(27'482'000'000));
    QCOMPARE(rows[0].prefix_group, std::string("46"));
    QCOMPARE(rows[1].prefix_group, rows[0].prefix_group);
    QVERIFY(rows[2].prefix_group != rows[0].prefix_group);
    QCOMPARE(rows[2].prompt_tokens, std::optional<int>(7234));
}

void ImportTest::vidur_and_splitwise_columns_are_known()
{
    const auto vidur =
        import("arrived_at,num_prefill_tokens,num_decode_tokens,extra\n0.5,100,20,x\n1.75,7,1,y\n");
    QCOMPARE(vidur.report.format, std::string("vidur"));
    QCOMPARE(vidur.report.unknown_columns, (std::vector<std::string>{"extra"}));
    QCOMPARE(vidur.rows[1].time_ns, std::optional<Nanos>(1'250'000'000));
    const auto lengths_alone = import("num_prefill_tokens,num_decode_tokens\n100,20\n");
    QVERIFY(lengths_alone.report.time_unit.empty() && !lengths_alone.rows[0].time_ns);
    const auto splitwise =
        import("request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n"
               "0,2,7,0.0,1,374,44\n1,1,7,0.5,1,10,10\n2,2,8,1.5,1,91,16\n");
    QCOMPARE(splitwise.report.format, std::string("splitwise"));
    QCOMPARE(splitwise.rows.size(), std::size_t{2});
    QCOMPARE(splitwise.rows[1].client, std::string("8"));
    QCOMPARE(splitwise.rows[1].id, std::string("2"));
    QVERIFY(splitwise.report.skipped_rows[0].reason.find("request_type") != std::string::npos);
}

void ImportTest::ssjf_classes_stand_for_the_ends_of_their_ranges()
{
    const auto [report, rows] = import("index,output_token_length,predicted_length,latency,model\n"
                                       "3,40,0,0.0077,vicuna-13b\n9,150,2.0,0.0078,vicuna-13b\n"
                                       "12,501,4,0.0077,vicuna-13b\n13,502,1,0.0077,vicuna-13b\n");
    QCOMPARE(report.format, std::string("ssjf-predictions"));
    QCOMPARE(rows[0].predicted_tokens, std::optional<int>(42));
    QCOMPARE(rows[1].predicted_tokens, std::optional<int>(294));
    QCOMPARE(rows[2].predicted_tokens, std::optional<int>(512));
    QCOMPARE(rows[0].output_tokens, std::optional<int>(40));
    QCOMPARE(rows[0].id, std::string("3"));
    QCOMPARE(report.notes.size(), std::size_t{2});
    QVERIFY(report.notes[1].find("classes") != std::string::npos);
    const auto three = import("output_token_length,predicted_length\n40,0\n150,2\n160,1\n");
    QCOMPARE(three.rows[2].predicted_tokens, std::optional<int>(503));
}

void ImportTest::ssjf_regression_is_taken_as_tokens()
{
    const auto [report, rows] = import("output_token_length,predicted_length\n40,3\n150,170.4\n7,-2.5\n");
    QCOMPARE(rows[0].predicted_tokens, std::optional<int>(3));
    QCOMPARE(rows[1].predicted_tokens, std::optional<int>(170));
    QCOMPARE(rows[2].predicted_tokens, std::optional<int>(1));
    QCOMPARE(report.notes.size(), std::size_t{1});
}

void ImportTest::conversations_give_their_first_question_or_all()
{
    const std::string content = R"([
        {"id": "c1", "conversations": [{"from": "human", "value": "How tall?"}, {"from": "gpt", "value": "Very."},
                                       {"from": "human", "value": "And [wide]?"}, {"from": "gpt", "value": "No."}]},
        {"id": "c2", "conversations": []},
        {"id": "c3", "conversations": [{"from": "human", "value": "\"}]"}]}
    ])";
    const auto first = import(content);
    QCOMPARE(first.report.format, std::string("sharegpt"));
    QCOMPARE(first.rows.size(), std::size_t{2});
    QCOMPARE(first.rows[0].answer, std::string("Very."));
    QCOMPARE(first.rows[1].prompt, std::string("\"}]"));
    QCOMPARE(first.report.skipped_rows[0].row, std::int64_t{2});
    QCOMPARE(first.report.skipped_rows[0].line, std::int64_t{4});
    ImportOptions options;
    options.all_turns = true;
    const auto all = import(content, options);
    QCOMPARE(all.rows.size(), std::size_t{3});
    QVERIFY(!all.rows[0].follows_previous && all.rows[1].follows_previous && !all.rows[2].follows_previous);
    QCOMPARE(all.rows[1].id, std::string("c1/2"));
    QCOMPARE(all.rows[1].earlier, (std::vector<Turn>{{"How tall?", "Very."}}));
    QCOMPARE(all.rows[1].prompt, std::string("And [wide]?"));
    const auto alpaca = import("{\"instruction\": \"Add.\", \"input\": \"1 2\", \"output\": \"3\"}\n");
    QCOMPARE(alpaca.report.format, std::string("alpaca"));
    QCOMPARE(alpaca.rows[0].prompt, std::string("Add.\nInput:\n1 2"));
}

void ImportTest::lmsys_conversations_have_their_own_keys()
{
    const auto lines = import(R"({"conversation_id": "a1", "model": "vicuna-13b", "turn": 1, )"
                              R"("conversation": [{"role": "user", "content": "Hi"}, )"
                              R"({"role": "assistant", "content": "Hello!"}]})"
                              "\n");
    QCOMPARE(lines.report.format, std::string("lmsys-chat-1m"));
    QCOMPARE(lines.rows[0].id, std::string("a1"));
    QCOMPARE(lines.rows[0].answer, std::string("Hello!"));
}

void ImportTest::request_files_are_read_in_both_forms()
{
    const auto lines =
        import(R"({"id": 1, "prompt_tokens": 5, "output_tokens": 7, "arrival_s": 10.5, "client": "a",)"
               R"( "priority": 2, "prefix_group": "g", "colour": "blue"})"
               "\n");
    QCOMPARE(lines.report.format, std::string("requests"));
    QCOMPARE(lines.rows[0].client, std::string("a"));
    QCOMPARE(lines.rows[0].priority, 2);
    QCOMPARE(lines.rows[0].prefix_group, std::string("g"));
    QCOMPARE(lines.rows[0].time_ns, std::optional<Nanos>(0));
    QCOMPARE(lines.report.unknown_columns, (std::vector<std::string>{"colour"}));
    const auto table = import("id,prompt,arrival_s,predicted_tokens\nx,\"a, b\",3,9\ny,c,4.5,\n");
    QCOMPARE(table.rows[0].prompt, std::string("a, b"));
    QCOMPARE(table.rows[0].predicted_tokens, std::optional<int>(9));
    QCOMPARE(table.rows[1].time_ns, std::optional<Nanos>(1'500'000'000));
}

void ImportTest::a_thousand_rows_come_in_order_and_none_is_left_out()
{
    std::string content = "arrived_at,num_prefill_tokens,num_decode_tokens\n";
    for (int i = 0; i < 1000; ++i)
        content += fmt::format("{},{},{}\n", i * 0.25, i + 1, 2 * i + 1);
    const auto [report, rows] = import(content);
    QCOMPARE(rows.size(), std::size_t{1000});
    for (int i = 0; i < 1000; ++i) {
        QCOMPARE(*rows[static_cast<std::size_t>(i)].prompt_tokens, i + 1);
        QCOMPARE(*rows[static_cast<std::size_t>(i)].time_ns, Nanos{250'000'000} * i);
    }
    QCOMPARE(report.moved, std::int64_t{0});
}

void ImportTest::rows_out_of_order_are_counted()
{
    // Equal times are in order; one row is earlier than its predecessor, one earlier than the first.
    const auto [report, rows] = import("arrived_at,num_prefill_tokens,num_decode_tokens\n"
                                       "10,1,1\n12,2,2\n12,3,3\n11,4,4\n13,5,5\n9,6,6\n");
    QCOMPARE(report.moved, std::int64_t{2});
    QCOMPARE(rows[3].time_ns, std::optional<Nanos>(k_second));
    QCOMPARE(rows[5].time_ns, std::optional<Nanos>(-k_second));
}

void ImportTest::epoch_times_begin_at_the_first_row()
{
    for (const auto& [first, second, unit] : {std::tuple{"1.7e9", "1700000002", "s"},
                                              {"1700000000000", "1700000002000", "ms"},
                                              {"1700000000000000", "1700000002000000", "us"},
                                              {"0", "2", "s"},
                                              {"1234500.5", "1234502.5", "s"}}) {
        const auto [report, rows] = import(
            fmt::format("arrived_at,num_prefill_tokens,num_decode_tokens\n{},1,1\n{},1,1\n", first, second));
        QCOMPARE(report.time_unit, std::string(unit));
        QCOMPARE(rows[0].time_ns, std::optional<Nanos>(0));
        QCOMPARE(rows[1].time_ns, std::optional<Nanos>(2 * k_second));
    }
}

void ImportTest::a_unit_that_is_set_holds()
{
    ImportOptions options;
    options.time_unit = "ms";
    const auto [report, rows] =
        import("arrived_at,num_prefill_tokens,num_decode_tokens\n100,1,1\n350,1,1\n", options);
    QCOMPARE(report.time_unit, std::string("ms"));
    QCOMPARE(rows[1].time_ns, std::optional<Nanos>(250'000'000));
    const auto dates =
        import("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,374,44\n", options);
    QCOMPARE(dates.report.time_unit, std::string("date"));
    QVERIFY(!dates.report.notes.empty());
    options.time_unit = "weeks";
    QVERIFY(refusesFile([&] { import("arrived_at\n", options); }, {"weeks", "s, ms, us, ns"}));
}

void ImportTest::zero_tokens_are_skipped_or_clipped_by_the_rule()
{
    const std::string content =
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,0,44\n"
        "2023-11-16 18:15:47,10,0\n2023-11-16 18:15:48,-1,5\n2023-11-16 18:15:49,3,-7\n"
        "2023-11-16 18:15:50,3,7\n";
    const auto skipped = import(content);
    QCOMPARE(skipped.report.skipped, std::int64_t{4});
    QCOMPARE(skipped.report.clipped, std::int64_t{0});
    ImportOptions options;
    options.clip_zero_tokens = true;
    const auto clipped = import(content, options);
    QCOMPARE(clipped.report.skipped, std::int64_t{2}); // below zero is no length by any rule
    QCOMPARE(clipped.report.clipped, std::int64_t{2});
    QCOMPARE(clipped.rows[0].prompt_tokens, std::optional<int>(1));
    QCOMPARE(clipped.rows[1].output_tokens, std::optional<int>(1));
}

BATCHSCOPE_TEST(ImportTest)
#include "import_test.moc"
