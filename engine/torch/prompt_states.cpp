// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/prompt_states.h"

#include <ATen/ops/amax.h>
#include <ATen/ops/mean.h>
#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace batchscope::engine {
namespace {

constexpr std::size_t k_group_prompts = 32;
constexpr std::int64_t k_group_tokens = 4096; // padding included

std::vector<float> pooled(const at::Tensor& states, Pooling pooling) // [tokens, hidden], the prompt's own
{
    at::Tensor vector;
    switch (pooling) {
    case Pooling::Last:
        vector = states.select(0, states.size(0) - 1);
        break;
    case Pooling::Mean:
        vector = at::mean(states, 0);
        break;
    case Pooling::Max:
        vector = at::amax(states, 0);
        break;
    }
    vector = vector.to(at::kCPU, at::kFloat).contiguous();
    const float* data = vector.data_ptr<float>();
    return {data, data + vector.numel()};
}

} // namespace

Pooling poolingNamed(const std::string& name)
{
    if (name == "last") return Pooling::Last;
    if (name == "mean") return Pooling::Mean;
    if (name == "max") return Pooling::Max;
    throw EngineError(ErrorKind::InvalidFile,
                      fmt::format("The pooling '{}' is unknown; choose last, mean or max.", name));
}

std::vector<std::vector<std::size_t>> PromptReader::groups(const std::vector<std::int64_t>& lengths)
{
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lengths[a] < lengths[b]; });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t i : order) {
        const bool full = groups.empty() || groups.back().size() >= k_group_prompts ||
                          lengths[i] * static_cast<std::int64_t>(groups.back().size() + 1) > k_group_tokens;
        if (full) groups.emplace_back();
        groups.back().push_back(i);
    }
    return groups;
}

std::vector<PromptState> PromptReader::read(const std::vector<std::span<const TokenId>>& prompts, bool keep)
{
    const c10::InferenceMode no_autograd;
    m_model.useThreads();
    std::vector<std::int64_t> rows(prompts.size());
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    std::int64_t width = 0;
    for (const auto& prompt : prompts)
        width = std::max(width, static_cast<std::int64_t>(prompt.size()));
    std::vector<PromptState> states(prompts.size());
    m_batch.begin(static_cast<std::int64_t>(prompts.size()), width, 1);
    const auto see = [&](const at::Tensor& residual, std::size_t first, std::size_t last) {
        const at::Tensor all = m_model.llama().finalNorm(residual).view(
            {static_cast<std::int64_t>(last - first), width, residual.size(1)});
        for (std::size_t i = first; i < last; ++i) {
            const auto tokens = static_cast<std::int64_t>(prompts[i].size());
            const at::Tensor own = all.select(0, static_cast<std::int64_t>(i - first));
            states[i].pooled = pooled(own.narrow(0, firstColumn(tokens, width), tokens), m_pooling);
        }
    };
    const at::Tensor logits = m_batch.readPrompts(rows, prompts, see);
    m_batch.passDone();
    const std::int64_t vocabulary = logits.size(1);
    for (std::size_t i = 0; keep && i < prompts.size(); ++i) {
        states[i].held = m_batch.copyOut(rows[i]);
        const float* next = logits.data_ptr<float>() + rows[i] * vocabulary;
        states[i].held.next_logits.assign(next, next + vocabulary);
    }
    return states;
}

} // namespace batchscope::engine
