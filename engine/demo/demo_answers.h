// SPDX-License-Identifier: GPL-3.0-or-later
// What a loaded model answers to demo instructions, and how its answers are judged: scores, lengths, waste of
// static batches, noise of sampling. Output tokens exclude EOS; an answer without EOS has the cap's length.
#pragma once

#include "engine/demo/demo_item.h"
#include "engine/model/torch_plugin.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/tokenizer.h"

#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace batchscope::engine {

struct DemoAnswer
{
    DemoItem item;
    std::string text;
    int output_tokens = 0;
    bool ended = false; // by EOS
    bool right = false;
};

struct DemoAnswering
{
    int rows = 32; // of a static batch; items of like reference length are put together
    int max_new_tokens = 512;
    Sampling sampling;
    std::function<void(std::size_t done, std::size_t all)> progress;
};

// In the items' order. Throws what LanguageModel::generate throws.
std::vector<DemoAnswer> answerDemoItems(LanguageModel& model, const Tokenizer& tokenizer,
                                        const ChatTemplate& chat, std::span<const DemoItem> items,
                                        const DemoAnswering& options, std::stop_token stop);

struct DemoTaskScore
{
    int items = 0, ended = 0, right = 0;
};

struct DemoScores
{
    DemoTaskScore all;
    std::map<std::string, DemoTaskScore> tasks;
};

DemoScores scoreDemoAnswers(std::span<const DemoAnswer> answers);

struct DemoLengths
{
    double mean = 0;
    int p10 = 0, median = 0, p90 = 0, p99 = 0, most = 0; // nearest rank
    double at_cap_share = 0;
    double useful_share = 0; // mean over static batches in order of tokens / (rows * (longest + 1))
};

DemoLengths measureDemoLengths(std::span<const DemoAnswer> answers, int cap, int rows);

// A second answer's lengths against the first's.
struct DemoNoise
{
    double mean_absolute_error = 0; // tokens
    double kendall_tau_b = 0;
};

DemoNoise measureDemoNoise(std::span<const DemoAnswer> first, std::span<const DemoAnswer> second);

} // namespace batchscope::engine
