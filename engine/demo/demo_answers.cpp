// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/demo/demo_answers.h"

#include "engine/demo/checker.h"
#include "scheduler/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace batchscope::engine {
namespace {

// Long references first; equal ones in the items' order.
std::vector<std::size_t> byReferenceLength(std::span<const DemoItem> items)
{
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return items[a].answer.size() > items[b].answer.size();
    });
    return order;
}

// The smallest value that at least `share` of the sorted values do not exceed.
int nearestRank(const std::vector<int>& sorted, double share)
{
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

} // namespace

std::vector<DemoAnswer> answerDemoItems(LanguageModel& model, const Tokenizer& tokenizer,
                                        const ChatTemplate& chat, std::span<const DemoItem> items,
                                        const DemoAnswering& options, std::stop_token stop)
{
    std::vector<DemoAnswer> answers(items.size());
    const std::vector<std::size_t> order = byReferenceLength(items);
    const auto rows = static_cast<std::size_t>(options.rows);
    for (std::size_t first = 0; first < order.size(); first += rows) {
        const std::size_t count = std::min(rows, order.size() - first);
        std::vector<std::vector<TokenId>> prompts;
        for (std::size_t i = 0; i < count; ++i) {
            prompts.push_back(
                encodePrompt(tokenizer, chat.render(items[order[first + i]].instruction), true));
        }
        GenerateOptions generation;
        generation.max_new_tokens = options.max_new_tokens;
        generation.sampling = options.sampling;
        generation.sampling.seed += first; // another stream for each batch: rows count from 0 in all of them
        const std::vector<Generated> made = model.generate(prompts, generation, stop);
        for (std::size_t i = 0; i < count; ++i) {
            DemoAnswer& answer = answers[order[first + i]];
            answer.item = items[order[first + i]];
            answer.text = tokenizer.decode(made[i].ids);
            answer.output_tokens = static_cast<int>(made[i].ids.size());
            answer.ended = made[i].end == RowEnd::Eos;
            answer.right = answer.ended && isRight(answer.item, answer.text);
        }
        if (options.progress) {
            options.progress(first + count, order.size());
        }
    }
    return answers;
}

DemoScores scoreDemoAnswers(std::span<const DemoAnswer> answers)
{
    DemoScores scores;
    for (const DemoAnswer& answer : answers) {
        for (DemoTaskScore* score : {&scores.all, &scores.tasks[answer.item.task]}) {
            ++score->items;
            score->ended += answer.ended ? 1 : 0;
            score->right += answer.right ? 1 : 0;
        }
    }
    return scores;
}

DemoLengths measureDemoLengths(std::span<const DemoAnswer> answers, int cap, int rows)
{
    DemoLengths lengths;
    if (answers.empty()) {
        return lengths;
    }
    std::vector<int> sorted;
    for (const DemoAnswer& answer : answers) {
        sorted.push_back(answer.output_tokens);
    }
    const auto count = static_cast<double>(sorted.size());
    const auto batch = static_cast<std::size_t>(rows);
    int batches = 0;
    for (std::size_t first = 0; first + batch <= sorted.size(); first += batch, ++batches) {
        const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first), end = begin + rows;
        const double useful = std::accumulate(begin, end, 0.0);
        lengths.useful_share += useful / (static_cast<double>(rows) * (*std::max_element(begin, end) + 1.0));
    }
    lengths.useful_share /= std::max(batches, 1);
    std::sort(sorted.begin(), sorted.end());
    lengths.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
    lengths.p10 = nearestRank(sorted, 0.10);
    lengths.median = nearestRank(sorted, 0.50);
    lengths.p90 = nearestRank(sorted, 0.90);
    lengths.p99 = nearestRank(sorted, 0.99);
    lengths.most = sorted.back();
    lengths.at_cap_share = static_cast<double>(std::count(sorted.begin(), sorted.end(), cap)) / count;
    return lengths;
}

DemoNoise measureDemoNoise(std::span<const DemoAnswer> first, std::span<const DemoAnswer> second)
{
    std::vector<double> a, b;
    DemoNoise noise;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
        a.push_back(first[i].output_tokens);
        b.push_back(second[i].output_tokens);
        noise.mean_absolute_error += std::abs(a.back() - b.back());
    }
    noise.mean_absolute_error /= std::max<double>(static_cast<double>(a.size()), 1.0);
    noise.kendall_tau_b = kendallTauB(a, b).value_or(0.0);
    return noise;
}

} // namespace batchscope::engine
