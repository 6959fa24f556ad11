// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/demo_training.h"

#include "engine/demo/world.h"

#include <sstream>

namespace batchscope::engine {

ChatTemplate demoTemplate()
{
    return chatTemplate("vicuna_v1.1", "You are a helpful assistant.");
}

std::vector<std::string> demoTokenizerSentences()
{
    constexpr std::uint64_t k_items = 6000;
    const ChatTemplate chat = demoTemplate();
    std::vector<std::string> sentences;
    for (std::uint64_t index = 0; index < k_items; ++index) {
        const DemoItem item = demoItem(DemoSplit::ModelTraining, index, DemoSeed + 6);
        std::istringstream text(chat.render(item.instruction) + " " + item.answer);
        std::string line;
        for (bool first = true; std::getline(text, line); first = false) {
            sentences.push_back(first ? line : "-" + line);
        }
    }
    return sentences;
}

TrainingPlan demoTrainingPlan()
{
    TrainingPlan plan;
    plan.tokens = 13'000'000;
    plan.learning_rate = 1.6e-3;
    return plan;
}

TrainingExample encodeDemoItem(const DemoItem& item, const ChatTemplate& chat, const Tokenizer& tokenizer)
{
    TrainingExample example{encodePrompt(tokenizer, chat.render(item.instruction), true),
                            tokenizer.encode(item.answer)};
    example.answer_ids.push_back(tokenizer.eos());
    return example;
}

TrainingSource demoTrainingSource(const Tokenizer& tokenizer)
{
    const ChatTemplate chat = demoTemplate();
    TrainingSource source;
    source.example = [chat, &tokenizer](std::uint64_t index) {
        return encodeDemoItem(demoItem(DemoSplit::ModelTraining, index, DemoSeed), chat, tokenizer);
    };
    for (const DemoItem& item : demoItems(DemoSplit::HeldOut, DemoHeldOutCount, DemoSeed)) {
        source.held_out.push_back(encodeDemoItem(item, chat, tokenizer));
    }
    return source;
}

} // namespace batchscope::engine
