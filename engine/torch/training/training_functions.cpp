// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/training_functions.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

namespace batchscope::engine::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

struct RmsNormFunction : Function<RmsNormFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              double epsilon, at::ScalarType dtype)
    {
        // [rows, 1]: one over the root mean square
        const at::Tensor inverse = at::rsqrt(x.square().mean(1, true).add_(epsilon));
        context->save_for_backward({x, weight, inverse});
        return x.mul(inverse).mul_(weight).to(dtype);
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
        const at::Tensor g = gradients[0].to(at::kFloat);
        const at::Tensor normed = x.mul(inverse);
        const at::Tensor g_normed = g.mul(normed);
        const at::Tensor g_weight = g_normed.sum(0);
        const at::Tensor mean = g_normed.mul_(weight).mean(1, true); // [rows, 1]
        at::Tensor g_x = g.mul(weight).sub_(normed.mul(mean)).mul_(inverse);
        return {g_x, g_weight, at::Tensor(), at::Tensor()};
    }
};

struct SwiGluFunction : Function<SwiGluFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up)
    {
        context->save_for_backward({gate_up});
        const std::int64_t hidden = gate_up.size(1) / 2;
        return at::silu(gate_up.narrow(1, 0, hidden)).mul_(gate_up.narrow(1, hidden, hidden));
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const at::Tensor gate_up = context->get_saved_variables()[0];
        const std::int64_t hidden = gate_up.size(1) / 2;
        const at::Tensor gate = gate_up.narrow(1, 0, hidden);
        const at::Tensor up = gate_up.narrow(1, hidden, hidden);
        at::Tensor result = at::empty_like(gate_up);
        at::Tensor g_gate = result.narrow(1, 0, hidden);
        at::Tensor g_up = result.narrow(1, hidden, hidden);
        g_gate.copy_(at::silu_backward(gradients[0].mul(up), gate));
        at::mul_out(g_up, at::silu(gate), gradients[0]);
        return {result};
    }
};

// --- attention ---

// Reads rows of qkv ([rows, 3 * width]) into head-major f32 blocks [3][heads][n][head_dim] per sequence, rotating
// queries and keys; queries are scaled by 1 / sqrt(head_dim).
template <typename T>
void splitHeads(const T* qkv, float* out, const float* cosines, const float* sines, std::int64_t n,
                std::int64_t heads, std::int64_t dim)
{
    const std::int64_t width = heads * dim;
    const std::int64_t half = dim / 2;
    const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
    for (std::int64_t part = 0; part < 3; ++part) {
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t row = 0; row < n; ++row) {
                const T* source = qkv + row * 3 * width + part * width + head * dim;
                float* target = out + ((part * heads + head) * n + row) * dim;
                if (part == 2) {
                    for (std::int64_t i = 0; i < dim; ++i) {
                        target[i] = static_cast<float>(source[i]);
                    }
                    continue;
                }
                const float* cosine = cosines + row * half;
                const float* sine = sines + row * half;
                const float by = part == 0 ? scale : 1.0F;
                for (std::int64_t i = 0; i < half; ++i) {
                    const float a = static_cast<float>(source[i]) * by;
                    const float b = static_cast<float>(source[i + half]) * by;
                    target[i] = a * cosine[i] - b * sine[i];
                    target[i + half] = b * cosine[i] + a * sine[i];
                }
            }
        }
    }
}

// The transpose of splitHeads: gradients of head-major blocks into rows of the gradient of qkv.
template <typename T>
void joinHeads(const float* blocks, T* g_qkv, const float* cosines, const float* sines, std::int64_t n,
               std::int64_t heads, std::int64_t dim)
{
    const std::int64_t width = heads * dim;
    const std::int64_t half = dim / 2;
    const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
    for (std::int64_t part = 0; part < 3; ++part) {
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t row = 0; row < n; ++row) {
                const float* source = blocks + ((part * heads + head) * n + row) * dim;
                T* target = g_qkv + row * 3 * width + part * width + head * dim;
                if (part == 2) {
                    for (std::int64_t i = 0; i < dim; ++i) {
                        target[i] = static_cast<T>(source[i]);
                    }
                    continue;
                }
                const float* cosine = cosines + row * half;
                const float* sine = sines + row * half;
                const float by = part == 0 ? scale : 1.0F;
                for (std::int64_t i = 0; i < half; ++i) {
                    const float a = source[i] * by;
                    const float b = source[i + half] * by;
                    target[i] = static_cast<T>(a * cosine[i] + b * sine[i]);
                    target[i + half] = static_cast<T>(b * cosine[i] - a * sine[i]);
                }
            }
        }
    }
}

// out [rows, width] of dtype T from head-major [heads, n, dim], or back.
template <typename T>
void mergeHeads(const float* blocks, T* out, std::int64_t n, std::int64_t heads, std::int64_t dim)
{
    for (std::int64_t head = 0; head < heads; ++head) {
        for (std::int64_t row = 0; row < n; ++row) {
            for (std::int64_t i = 0; i < dim; ++i) {
                out[row * heads * dim + head * dim + i] = static_cast<T>(blocks[(head * n + row) * dim + i]);
            }
        }
    }
}

template <typename T>
void unmergeHeads(const T* rows, float* blocks, std::int64_t n, std::int64_t heads, std::int64_t dim)
{
    for (std::int64_t head = 0; head < heads; ++head) {
        for (std::int64_t row = 0; row < n; ++row) {
            for (std::int64_t i = 0; i < dim; ++i) {
                blocks[(head * n + row) * dim + i] = static_cast<float>(rows[row * heads * dim + head * dim + i]);
            }
        }
    }
}

template <typename Body>
void withDtype(at::ScalarType dtype, const Body& body)
{
    if (dtype == at::kBFloat16) {
        body(at::BFloat16());
    } else {
        body(float());
    }
}

at::Tensor causalMask(std::int64_t n)
{
    return at::full({n, n}, -INFINITY, at::kFloat).triu_(1);
}

struct AttentionFunction : Function<AttentionFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& cosines,
                              const at::Tensor& sines, const std::vector<std::int64_t>& starts, std::int64_t heads)
    {
        const std::int64_t width = qkv.size(1) / 3;
        const std::int64_t dim = width / heads;
        at::Tensor blocks = at::empty({qkv.size(0) * 3 * width}, at::kFloat);
        at::Tensor out = at::empty({qkv.size(0), width}, qkv.options());
        tensor_list saved = {qkv, cosines, sines, blocks};
        withDtype(qkv.scalar_type(), [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
                const std::int64_t first = starts[s], n = starts[s + 1] - first;
                splitHeads(qkv.data_ptr<T>() + first * 3 * width, blocks.data_ptr<float>() + first * 3 * width,
                           cosines.data_ptr<float>(), sines.data_ptr<float>(), n, heads, dim);
                const at::Tensor all = blocks.narrow(0, first * 3 * width, n * 3 * width).view({3, heads, n, dim});
                const at::Tensor scores = at::bmm(all[0], all[1].transpose(1, 2)).add_(causalMask(n));
                saved.push_back(at::softmax(scores, -1)); // [heads, n, n]
                const at::Tensor mixed = at::bmm(saved.back(), all[2]);
                mergeHeads(mixed.data_ptr<float>(), out.data_ptr<T>() + first * width, n, heads, dim);
            }
        });
        context->save_for_backward(saved);
        context->saved_data["starts"] = starts;
        context->saved_data["heads"] = heads;
        return out;
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const std::vector<std::int64_t> starts = context->saved_data["starts"].toIntVector();
        const std::int64_t heads = context->saved_data["heads"].toInt();
        const at::Tensor &qkv = saved[0], &blocks = saved[3];
        const std::int64_t width = qkv.size(1) / 3;
        const std::int64_t dim = width / heads;
        const at::Tensor gradient = gradients[0].contiguous();
        at::Tensor g_qkv = at::empty_like(qkv);
        withDtype(qkv.scalar_type(), [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
                const std::int64_t first = starts[s], n = starts[s + 1] - first;
                const at::Tensor all = blocks.narrow(0, first * 3 * width, n * 3 * width).view({3, heads, n, dim});
                const at::Tensor& shares = saved[4 + s]; // [heads, n, n]
                at::Tensor g_mixed = at::empty({heads, n, dim}, at::kFloat);
                unmergeHeads(gradient.data_ptr<T>() + first * width, g_mixed.data_ptr<float>(), n, heads, dim);
                at::Tensor g_blocks = at::empty({3, heads, n, dim}, at::kFloat);
                at::Tensor g_query = g_blocks[0], g_key = g_blocks[1], g_value = g_blocks[2];
                at::bmm_out(g_value, shares.transpose(1, 2), g_mixed);
                const at::Tensor g_shares = at::bmm(g_mixed, all[2].transpose(1, 2));
                const at::Tensor g_scores = at::_softmax_backward_data(g_shares, shares, -1, at::kFloat);
                at::bmm_out(g_query, g_scores, all[1]);
                at::bmm_out(g_key, g_scores.transpose(1, 2), all[0]);
                joinHeads(g_blocks.data_ptr<float>(), g_qkv.data_ptr<T>() + first * 3 * width,
                          saved[1].data_ptr<float>(), saved[2].data_ptr<float>(), n, heads, dim);
            }
        });
        return {g_qkv, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

struct CrossEntropyFunction : Function<CrossEntropyFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& logits, const at::Tensor& targets,
                              const at::Tensor& weights)
    {
        at::Tensor log_shares = at::log_softmax(logits, -1, at::kFloat);
        const at::Tensor index = targets.unsqueeze(1);
        const at::Tensor loss = log_shares.gather(1, index).squeeze(1).mul_(weights).sum().neg_();
        const at::Tensor ones = at::full(index.sizes(), -1.0F, at::kFloat);
        const at::Tensor g_logits = log_shares.exp_().scatter_add_(1, index, ones).mul_(weights.unsqueeze(1));
        context->save_for_backward({g_logits.to(logits.scalar_type())});
        return loss;
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        return {context->get_saved_variables()[0].mul(gradients[0]), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon, at::ScalarType dtype)
{
    return RmsNormFunction::apply(x, weight, epsilon, dtype);
}

at::Tensor swiGlu(const at::Tensor& gate_up)
{
    return SwiGluFunction::apply(gate_up);
}

at::Tensor causalAttention(const at::Tensor& qkv, const at::Tensor& cosines, const at::Tensor& sines,
                           const std::vector<std::int64_t>& starts, std::int64_t heads)
{
    return AttentionFunction::apply(qkv, cosines, sines, starts, heads);
}

at::Tensor weightedCrossEntropy(const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& weights)
{
    return CrossEntropyFunction::apply(logits, targets, weights);
}

} // namespace batchscope::engine::training
