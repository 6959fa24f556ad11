// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of the published trace (papers.md 6.4) and of a small one by hand.
#include "engine/data/import_summary.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <cmath>
#include <fstream>

using namespace batchscope;
using namespace batchscope::engine;

class ImportSummaryTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void the_azure_conversation_trace_has_the_published_figures();
    void a_small_trace_by_hand();
    void texts_are_estimated_and_said_so();

private:
    std::filesystem::path write(const std::string& content)
    {
        const auto path = std::filesystem::path(m_folder.path().toStdString()) / "trace.csv";
        std::ofstream(path) << content;
        return path;
    }
    QTemporaryDir m_folder;
};

void ImportSummaryTest::the_azure_conversation_trace_has_the_published_figures()
{
    const std::filesystem::path file =
        std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "../shared/data/azure/AzureLLMInferenceTrace_conv.csv";
    if (!std::filesystem::exists(file)) QSKIP("../shared/data/azure is absent");
    const ImportSummary summary = summarizeImport(file, {});
    const auto near = [](double found, double expected, double within) {
        return std::abs(found - expected) <= within;
    };
    QCOMPARE(summary.report.format, std::string("azure"));
    QCOMPARE(summary.report.rows, std::int64_t{19366});
    QCOMPARE(summary.report.requests, std::int64_t{19366});
    QCOMPARE(summary.report.skipped, std::int64_t{0});
    QVERIFY(near(toSeconds(summary.span_ns), 3502, 0.5));
    QVERIFY(near(1 / summary.gap_mean_s, 5.53, 0.005));
    QVERIFY(near(summary.gap_cv, 1.09, 0.005));
    QVERIFY(near(summary.gap_longest_s, 4.3, 0.05));
    QVERIFY(near(summary.prompt_tokens.mean, 1155, 0.5));
    QCOMPARE(summary.prompt_tokens.p50, 1020.0);
    QVERIFY(near(summary.prompt_tokens.p95, 4083, 1));
    QCOMPARE(summary.prompt_tokens.most, 14050.0);
    QVERIFY(near(summary.output_tokens.mean, 211.1, 0.05));
    QVERIFY(near(summary.output_tokens.sd, 162.9, 0.05));
    QCOMPARE(summary.output_tokens.p50, 129.0);
    QCOMPARE(summary.output_tokens.p90, 424.0);
    QVERIFY(near(summary.output_tokens.p99, 601, 1));
    QCOMPARE(summary.output_tokens.most, 1000.0);
    const QString text = QString::fromStdString(importText(summary));
    QVERIFY2(text.contains("0:58:22") && text.contains("5.53 requests/s") && text.contains("cv 1.09"),
             qPrintable(text));
}

void ImportSummaryTest::a_small_trace_by_hand()
{
    // Gaps 1, 3, 2, 2 s: mean 2, sd sqrt(0.5).
    const ImportSummary summary = summarizeImport(
        write("request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,"
              "token_size\n0,2,1,0,1,10,1\n1,2,1,4,1,20,2\n2,2,2,1,1,30,3\n3,2,1,6,1,40,4\n"
              "4,2,1,8,1,50,5\n5,2,1,9,1,0,5\n"),
        {});
    QCOMPARE(summary.span_ns, 8 * k_second);
    QCOMPARE(summary.gap_mean_s, 2.0);
    QVERIFY(std::abs(summary.gap_cv - std::sqrt(0.5) / 2) < 1e-12);
    QCOMPARE(summary.gap_longest_s, 3.0);
    QCOMPARE(summary.report.moved, std::int64_t{1});
    QCOMPARE(summary.clients, std::size_t{2});
    QCOMPARE(summary.prompt_tokens.n, std::size_t{5});
    QCOMPARE(summary.prompt_tokens.p50, 30.0);
    QCOMPARE(summary.prompt_tokens.p25, 20.0);
    const QString text = QString::fromStdString(importText(summary));
    QVERIFY2(text.contains("6: 5 gave 5 requests, 1 skipped") && text.contains("row 6 (line 7)"),
             qPrintable(text));
}

void ImportSummaryTest::texts_are_estimated_and_said_so()
{
    ImportOptions options;
    options.all_turns = true;
    const ImportSummary summary = summarizeImport(
        write(
            R"([{"id": "a", "conversations": [{"from": "human", "value": "12345678"}, {"from": "gpt", "value": "1234"},
                  {"from": "human", "value": "1234"}]}])"),
        options);
    QVERIFY(summary.estimated);
    QCOMPARE(summary.prompt_tokens.most, 4.0); // both questions and the answer between them: 16 bytes
    QCOMPARE(summary.output_tokens.n, std::size_t{1});
    QCOMPARE(summary.turns.most, 2.0);
    const QString text = QString::fromStdString(importText(summary));
    QVERIFY2(text.contains("estimated") && text.contains("1 requests have no recorded output length"),
             qPrintable(text));
}

BATCHSCOPE_TEST(ImportSummaryTest)
#include "import_summary_test.moc"
