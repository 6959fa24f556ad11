// SPDX-License-Identifier: GPL-3.0-or-later
// The engine against a model and figures that nobody here made: greedy ids of an independent implementation
// and logits of a float64 forward pass.
#include "engine/model/torch_plugin.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace batchscope;
using namespace batchscope::engine;

namespace {

struct Reference
{
    std::vector<TokenId> prompt, greedy;
};

std::vector<Reference> references()
{
    std::ifstream file(tests::storiesFolder() / "reference.json");
    const auto document = nlohmann::json::parse(file);
    std::vector<Reference> all;
    for (const auto& run : document.at("runs"))
        all.push_back({run.at("prompt_ids").get<std::vector<TokenId>>(),
                       run.at("greedy_ids").get<std::vector<TokenId>>()});
    return all;
}

GenerateOptions greedy(std::size_t tokens)
{
    GenerateOptions options;
    options.max_new_tokens = static_cast<int>(tokens);
    return options;
}

} // namespace

class TorchStories : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_STORIES();
        LoadOptions options;
        options.model_dir = tests::storiesFolder();
        m_model = torchPlugin().load(options, {});
    }
    void cleanupTestCase() { m_model.reset(); }

    void readsItsShape()
    {
        QCOMPARE(m_model->config().layers, 5);
        QCOMPARE(m_model->config().kv_heads, 4);
        QCOMPARE(m_model->dtype(), DType::F32);
        QCOMPARE(m_model->hash().size(), std::size_t{16});
    }

    void greedyIdsAreThoseOfTheIndependentImplementation()
    {
        QCOMPARE(references().size(), std::size_t{3});
        for (const Reference& reference : references()) {
            const auto made = m_model->generate({reference.prompt}, greedy(reference.greedy.size()), {});
            QCOMPARE(made.front().ids, reference.greedy);
        }
    }

    void greedyIdsAreTheSameInOneBatch()
    {
        std::vector<std::vector<TokenId>> prompts;
        std::size_t longest = 0;
        for (const Reference& reference : references()) {
            prompts.push_back(reference.prompt);
            longest = std::max(longest, reference.greedy.size());
        }
        const auto made = m_model->generate(prompts, greedy(longest), {});
        for (std::size_t i = 0; i < prompts.size(); ++i) {
            const std::vector<TokenId> wanted = references()[i].greedy;
            QVERIFY(made[i].ids.size() >= wanted.size());
            QVERIFY(std::equal(wanted.begin(), wanted.end(), made[i].ids.begin()));
        }
    }

    void logitsAreTheReferencePass_data()
    {
        QTest::addColumn<int>("position");
        for (const int position : {0, 1, 20, 63})
            QTest::addRow("position %d", position) << position;
    }
    void logitsAreTheReferencePass() // M8: rotary positions of the wrong kind go astray with the position
    {
        QFETCH(int, position);
        std::ifstream file(tests::storiesFolder() / "logits.json");
        const auto reference = nlohmann::json::parse(file);
        const auto logits = m_model->logits(reference.at("ids").get<std::vector<TokenId>>());
        const auto wanted = reference.at("logits").at(std::to_string(position)).get<std::vector<double>>();
        const auto& found = logits.at(static_cast<std::size_t>(position));
        QCOMPARE(found.size(), wanted.size());
        double largest = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            largest = std::max(largest, std::abs(static_cast<double>(found[i]) - wanted[i]));
        QVERIFY2(largest <= 1e-4, qPrintable(QString("largest difference %1").arg(largest)));
    }

private:
    std::unique_ptr<LanguageModel> m_model;
};

BATCHSCOPE_TEST(TorchStories)
#include "torch_stories_test.moc"
