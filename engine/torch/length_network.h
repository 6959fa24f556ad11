// SPDX-License-Identifier: GPL-3.0-or-later
// A small multilayer perceptron (ReLU between the layers) from a pooled hidden state to a length, and its
// file.
#pragma once

#include "engine/checkpoint/predictor_manifest.h"
#include "engine/torch/packed_product.h"

#include <filesystem>
#include <span>
#include <vector>

namespace batchscope::engine {

struct DenseLayer
{
    std::vector<float> weight; // [outputs, inputs], row-major
    std::vector<float> bias;   // [outputs]
};

class LengthNetwork
{
public:
    // widths: inputs, hidden layers, 1.
    LengthNetwork(const std::vector<DenseLayer>& layers, const std::vector<int>& widths);

    // features: [rows, inputs]. A row's result does not depend on the other rows.
    std::vector<float> apply(std::span<const float> features) const;

private:
    WeightMemory m_memory;
    mutable Workers m_workers{1};
    std::vector<int> m_widths;
    std::vector<PackedProduct> m_products;
    std::vector<std::vector<float>> m_biases;
};

std::vector<int> networkWidths(const PredictorManifest& manifest);

// folder/model.safetensors: layers.<i>.weight and .bias, f32. read throws EngineError(InvalidFile) naming
// file, tensor, the shape found and the shape that predictor.json promises.
std::vector<DenseLayer> readLengthNetwork(const std::filesystem::path& folder,
                                          const PredictorManifest& manifest);
void writeLengthNetwork(const std::filesystem::path& folder, const std::vector<DenseLayer>& layers,
                        const std::vector<int>& widths);

// Tokens for a network's output: e^(output * sd + mean) - 1, rounded up, within 1 ... cap; 0 where it is not
// a number.
int tokensFromOutput(float output, const PredictorManifest& manifest, int cap);

} // namespace batchscope::engine
