// SPDX-License-Identifier: GPL-3.0-or-later
// The model in the box: its recorded lengths are its own, alone and in batches.
#include "engine/model/torch_plugin.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/model_tokenizer.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

class TorchDemo : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        const auto folder = std::filesystem::path(BATCHSCOPE_SOURCE_DIR) / "resources" / "models" / "demo";
        LoadOptions options;
        options.model_dir = folder;
        m_model = torchPlugin().load(options, {});
        const auto tokenizer = openModelTokenizer(folder, m_model->config());
        const auto wrapping = chatTemplate(m_model->config().template_name, m_model->config().system);
        std::ifstream file(folder / "demo_prompts.jsonl");
        // All 1,024 take a minute: BATCHSCOPE_DEMO_PROMPTS=1024.
        const int wanted = qEnvironmentVariableIntValue("BATCHSCOPE_DEMO_PROMPTS");
        const std::size_t most = wanted > 0 ? static_cast<std::size_t>(wanted) : 48;
        for (std::string line; m_prompts.size() < most && std::getline(file, line);) {
            const auto item = nlohmann::json::parse(line);
            m_prompts.push_back(
                encodePrompt(*tokenizer, wrapping.render(item.at("prompt").get<std::string>()), true));
            m_lengths.push_back(item.at("output_tokens").get<int>());
        }
        QCOMPARE(m_prompts.size(), most);
    }
    void cleanupTestCase() { m_model.reset(); }

    void answersInBatchesHaveTheRecordedLengths_data()
    {
        QTest::addColumn<int>("rows");
        for (const int rows : {1, 16, 23})
            QTest::addRow("%d rows", rows) << rows;
    }
    void answersInBatchesHaveTheRecordedLengths()
    {
        QFETCH(int, rows);
        std::vector<std::vector<TokenId>> answers;
        for (std::size_t first = 0; first < m_prompts.size(); first += static_cast<std::size_t>(rows)) {
            const std::size_t last = std::min(first + static_cast<std::size_t>(rows), m_prompts.size());
            const std::vector<std::vector<TokenId>> batch(
                m_prompts.begin() + static_cast<std::ptrdiff_t>(first),
                m_prompts.begin() + static_cast<std::ptrdiff_t>(last));
            for (const Generated& made : m_model->generate(batch, {}, {}))
                answers.push_back(made.ids);
        }
        for (std::size_t i = 0; i < answers.size(); ++i)
            QVERIFY2(static_cast<int>(answers[i].size()) == m_lengths[i],
                     qPrintable(QString("prompt %1: %2 tokens, recorded %3")
                                    .arg(i + 1)
                                    .arg(answers[i].size())
                                    .arg(m_lengths[i])));
        if (m_answers.empty()) m_answers = answers;
        QCOMPARE(answers, m_answers); // whatever the batch
    }

private:
    std::unique_ptr<LanguageModel> m_model;
    std::vector<std::vector<TokenId>> m_prompts, m_answers;
    std::vector<int> m_lengths;
};

BATCHSCOPE_TEST(TorchDemo)
#include "torch_demo_test.moc"
