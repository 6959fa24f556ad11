// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/training_functions.h"

#include "engine/torch/training/kernels.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace batchscope::engine::training {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

// Calls body(kernel pointers' type) for the tensor's dtype: float or kernels::Bf16.
template <typename Body>
void withDtype(const at::Tensor& tensor, const Body& body)
{
    if (tensor.scalar_type() == at::kBFloat16) {
        body(kernels::Bf16());
    } else {
        body(float());
    }
}

template <typename T>
T* values(const at::Tensor& tensor)
{
    return static_cast<T*>(tensor.data_ptr());
}

struct RmsNormFunction : Function<RmsNormFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                              double epsilon, at::ScalarType dtype)
    {
        const kernels::RmsNormShape shape{x.size(0), x.size(1), static_cast<float>(epsilon)};
        at::Tensor y = at::empty(x.sizes(), dtype);
        at::Tensor inverse = at::empty({x.size(0)}, at::kFloat);
        withDtype(y, [&](auto zero) {
            kernels::rmsNorm(shape, values<float>(x), values<float>(weight), values<decltype(zero)>(y),
                             values<float>(inverse));
        });
        context->save_for_backward({x, weight, inverse});
        return y;
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight = saved[1], &inverse = saved[2];
        const at::Tensor g = gradients[0].contiguous();
        const kernels::RmsNormShape shape{x.size(0), x.size(1), 0.0F};
        at::Tensor g_x = at::empty_like(x);
        at::Tensor g_weight = at::empty_like(weight);
        withDtype(g, [&](auto zero) {
            kernels::rmsNormBackward(shape, values<decltype(zero)>(g), values<float>(x),
                                     values<float>(weight), values<float>(inverse), values<float>(g_x),
                                     values<float>(g_weight));
        });
        return {g_x, g_weight, at::Tensor(), at::Tensor()};
    }
};

struct SwiGluFunction : Function<SwiGluFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& gate_up)
    {
        context->save_for_backward({gate_up});
        at::Tensor out = at::empty({gate_up.size(0), gate_up.size(1) / 2}, gate_up.options());
        withDtype(out, [&](auto zero) {
            using T = decltype(zero);
            kernels::swiGlu(out.size(0), out.size(1), values<T>(gate_up), values<T>(out));
        });
        return out;
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const at::Tensor gate_up = context->get_saved_variables()[0];
        const at::Tensor g = gradients[0].contiguous();
        at::Tensor g_gate_up = at::empty_like(gate_up);
        withDtype(g, [&](auto zero) {
            using T = decltype(zero);
            kernels::swiGluBackward(g.size(0), g.size(1), values<T>(gate_up), values<T>(g),
                                    values<T>(g_gate_up));
        });
        return {g_gate_up};
    }
};

// Where a sequence's attention weights lie in the tensor of all of them: heads * n * n for each.
std::vector<std::int64_t> shareOffsets(const std::vector<std::int64_t>& starts, std::int64_t heads)
{
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
        const std::int64_t n = starts[s + 1] - starts[s];
        offsets.push_back(offsets.back() + heads * n * n);
    }
    return offsets;
}

struct AttentionFunction : Function<AttentionFunction>
{
    static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv, const at::Tensor& cosines,
                              const at::Tensor& sines, const std::vector<std::int64_t>& starts,
                              std::int64_t heads)
    {
        const std::int64_t width = qkv.size(1) / 3;
        const std::vector<std::int64_t> offsets = shareOffsets(starts, heads);
        at::Tensor blocks = at::empty({qkv.size(0) * 3 * width}, at::kFloat);
        at::Tensor shares = at::empty({offsets.back()}, at::kFloat);
        at::Tensor out = at::empty({qkv.size(0), width}, qkv.options());
        withDtype(qkv, [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
                const std::int64_t first = starts[s];
                kernels::attention(shapeOf(first, starts[s + 1], heads, width, cosines, sines),
                                   values<T>(qkv) + first * 3 * width,
                                   values<float>(blocks) + first * 3 * width,
                                   values<float>(shares) + offsets[s], values<T>(out) + first * width);
            }
        });
        context->save_for_backward({qkv, cosines, sines, blocks, shares});
        context->saved_data["starts"] = starts;
        context->saved_data["heads"] = heads;
        return out;
    }

    static tensor_list backward(AutogradContext* context, const tensor_list& gradients)
    {
        const auto saved = context->get_saved_variables();
        const at::Tensor &qkv = saved[0], &blocks = saved[3], &shares = saved[4];
        const std::vector<std::int64_t> starts = context->saved_data["starts"].toIntVector();
        const std::int64_t heads = context->saved_data["heads"].toInt();
        const std::vector<std::int64_t> offsets = shareOffsets(starts, heads);
        const std::int64_t width = qkv.size(1) / 3;
        const at::Tensor g = gradients[0].contiguous();
        at::Tensor g_qkv = at::empty_like(qkv);
        withDtype(qkv, [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
                const std::int64_t first = starts[s];
                kernels::attentionBackward(
                    shapeOf(first, starts[s + 1], heads, width, saved[1], saved[2]),
                    values<T>(g) + first * width, values<float>(blocks) + first * 3 * width,
                    values<float>(shares) + offsets[s], values<T>(g_qkv) + first * 3 * width);
            }
        });
        return {g_qkv, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }

    static kernels::AttentionShape shapeOf(std::int64_t first, std::int64_t last, std::int64_t heads,
                                           std::int64_t width, const at::Tensor& cosines,
                                           const at::Tensor& sines)
    {
        return {last - first, heads, width / heads, values<float>(cosines), values<float>(sines)};
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

at::Tensor weightedCrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                                const at::Tensor& weights)
{
    return CrossEntropyFunction::apply(logits, targets, weights);
}

} // namespace batchscope::engine::training
