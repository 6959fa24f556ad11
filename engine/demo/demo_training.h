// SPDX-License-Identifier: GPL-3.0-or-later
// How the shipped demo model comes about: the text its tokenizer learns from, its recipe, its data.
// `train-demo` and the tests take them from here, so that the model can be made again.
#pragma once

#include "engine/demo/demo_item.h"
#include "engine/demo/training_plan.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace batchscope::engine {

inline constexpr std::uint64_t DemoSeed = 1;
inline constexpr int DemoVocabulary = 1024;
inline constexpr int DemoHeldOutCount = 200;
inline constexpr int DemoPromptCount = 1024;

// Vicuna v1.1 with a short system sentence of our own.
ChatTemplate demoTemplate();

// Lines of templated text. A line that follows a line break begins with "-", so that the tokenizer also
// learns words that no space precedes.
std::vector<std::string> demoTokenizerSentences();

TrainingPlan demoTrainingPlan();

// Prompt (BOS in front) and answer (EOS behind) of an item as ids.
TrainingExample encodeDemoItem(const DemoItem& item, const ChatTemplate& chat, const Tokenizer& tokenizer);

// The training split without end, and the held-out items. `tokenizer` must outlive it.
TrainingSource demoTrainingSource(const Tokenizer& tokenizer);

} // namespace batchscope::engine
