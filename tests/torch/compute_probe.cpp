// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/torch/compute_probe.h"

#include "engine/torch/cpu_level.h"
#include "engine/torch/packed_product.h"
#include "engine/torch/static_batch.h"
#include "engine/torch/torch_model.h"
#include "scheduler/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace batchscope::tests {

using namespace batchscope::engine;

namespace {

std::vector<std::vector<float>> rowsOf(const at::Tensor& logits)
{
    std::vector<std::vector<float>> rows;
    const float* data = logits.data_ptr<float>();
    for (std::int64_t i = 0; i < logits.size(0); ++i)
        rows.emplace_back(data + i * logits.size(1), data + (i + 1) * logits.size(1));
    return rows;
}

std::vector<float> randomFloats(Random& random, std::int64_t count)
{
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values)
        value = static_cast<float>(random.normal());
    return values;
}

double heldAs(PackedType type, float value)
{
    return type == PackedType::BF16 ? static_cast<float>(c10::BFloat16(value)) : value;
}

struct Product
{
    std::int64_t rows, inputs, outputs;
    std::vector<float> x, weight;

    std::vector<float> run(PackedType type, std::int64_t first, std::int64_t count) const
    {
        WeightMemory memory;
        Workers workers(2);
        const PackedProduct packed(weight.data(), outputs, inputs, type, memory, workers);
        std::vector<float> y(static_cast<std::size_t>(count * outputs), 0.5f);
        packed.apply(x.data() + first * inputs, count, y.data(), true, workers);
        return y;
    }
    double error(PackedType type) const // relative to the sum of magnitudes
    {
        const std::vector<float> y = run(type, 0, rows);
        double largest = 0;
        for (std::int64_t m = 0; m < rows; ++m)
            for (std::int64_t n = 0; n < outputs; ++n) {
                double exact = 0.5, size = 0.5;
                for (std::int64_t k = 0; k < inputs; ++k) {
                    const double term = heldAs(type, x[static_cast<std::size_t>(m * inputs + k)]) *
                                        heldAs(type, weight[static_cast<std::size_t>(n * inputs + k)]);
                    exact += term;
                    size += std::abs(term);
                }
                largest =
                    std::max(largest, std::abs(y[static_cast<std::size_t>(m * outputs + n)] - exact) / size);
            }
        return largest;
    }
    bool rowsAlike(PackedType type) const
    {
        const std::vector<float> all = run(type, 0, rows);
        for (std::int64_t m = 0; m < rows; ++m) {
            const std::vector<float> one = run(type, m, 1);
            if (std::memcmp(one.data(), all.data() + m * outputs, one.size() * sizeof(float)) != 0)
                return false;
        }
        return true;
    }
};

} // namespace

Logits passes(const ProbeBatch& batch)
{
    LoadOptions options;
    options.model_dir = batch.model_dir;
    options.dtype = batch.dtype;
    options.threads = batch.threads;
    const TorchModel model(options, {}, batch.aten ? ComputeForm::Aten : ComputeForm::Fused);
    StaticBatch rows(model.llama());
    std::vector<std::int64_t> all(batch.prompts.size());
    std::iota(all.begin(), all.end(), std::int64_t{0});
    std::size_t width = 0;
    std::vector<std::span<const TokenId>> prompts;
    for (const auto& prompt : batch.prompts) {
        prompts.emplace_back(prompt);
        width = std::max(width, prompt.size());
    }
    rows.begin(static_cast<std::int64_t>(all.size()), static_cast<std::int64_t>(width),
               static_cast<std::int64_t>(batch.fed.size()) + 1);
    Logits logits{rowsOf(rows.readPrompts(all, prompts))};
    for (const TokenId id : batch.fed) {
        rows.passDone();
        logits.push_back(rowsOf(rows.decode(all, std::vector<TokenId>(all.size(), id))));
    }
    return logits;
}

std::vector<ProductError> productErrors(std::int64_t rows, std::int64_t inputs, std::int64_t outputs)
{
    Random random(static_cast<std::uint64_t>(rows * 1000 + inputs + outputs));
    const Product product{rows, inputs, outputs, randomFloats(random, rows * inputs),
                          randomFloats(random, outputs * inputs)};
    std::vector<ProductError> errors;
    const simd::Level best = simd::level();
    for (const simd::Level level :
         {simd::Level::Baseline, simd::Level::Avx2, simd::Level::Avx512, simd::Level::Avx512Bf16}) {
        if (level > best) break;
        simd::useAtMost(level);
        errors.push_back({simd::levelName(level), product.error(PackedType::F32),
                          product.error(PackedType::BF16),
                          product.rowsAlike(PackedType::F32) && product.rowsAlike(PackedType::BF16)});
    }
    simd::useAtMost(best);
    return errors;
}

} // namespace batchscope::tests
