// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/length_network.h"

#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/core.h>

namespace batchscope::engine {
namespace {

std::string weightName(std::size_t layer)
{
    return fmt::format("layers.{}.weight", layer);
}
std::string biasName(std::size_t layer)
{
    return fmt::format("layers.{}.bias", layer);
}

std::vector<float> readFloats(const SafetensorsFile& file, const std::string& name,
                              const std::vector<std::int64_t>& shape)
{
    const TensorInfo* info = file.find(name);
    if (info == nullptr)
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{} has no tensor '{}'; train the predictor again.", file.file().string(), name));
    if (info->dtype != "F32" || info->shape != shape)
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{}: tensor '{}' is {} {}, predictor.json beside it promises F32 {}; the two files "
                        "do not belong together: train the predictor again.",
                        file.file().string(), name, info->dtype, shapeText(info->shape), shapeText(shape)));
    std::vector<float> values(static_cast<std::size_t>(info->elements));
    std::memcpy(values.data(), file.bytes(*info).data(), file.bytes(*info).size());
    return values;
}

TensorToWrite asTensor(const std::string& name, const std::vector<float>& values,
                       std::vector<std::int64_t> shape)
{
    return {name, "F32", std::move(shape),
            std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

} // namespace

LengthNetwork::LengthNetwork(const std::vector<DenseLayer>& layers, const std::vector<int>& widths)
    : m_widths(widths)
{
    for (std::size_t i = 0; i < layers.size(); ++i) {
        m_products.emplace_back(layers[i].weight.data(), widths[i + 1], widths[i], PackedType::F32, m_memory,
                                m_workers);
        m_biases.push_back(layers[i].bias);
    }
}

std::vector<float> LengthNetwork::apply(std::span<const float> features) const
{
    const std::size_t rows = features.size() / static_cast<std::size_t>(m_widths.front());
    std::vector<float> x(features.begin(), features.end());
    for (std::size_t i = 0; i < m_products.size(); ++i) {
        std::vector<float> y;
        for (std::size_t row = 0; row < rows; ++row)
            y.insert(y.end(), m_biases[i].begin(), m_biases[i].end());
        m_products[i].apply(x.data(), static_cast<std::int64_t>(rows), y.data(), true, m_workers);
        if (i + 1 < m_products.size())
            for (float& value : y)
                value = std::max(value, 0.0f);
        x = std::move(y);
    }
    return x;
}

std::vector<int> networkWidths(const PredictorManifest& manifest)
{
    std::vector<int> widths{manifest.input};
    widths.insert(widths.end(), manifest.hidden.begin(), manifest.hidden.end());
    widths.push_back(1);
    return widths;
}

std::vector<DenseLayer> readLengthNetwork(const std::filesystem::path& folder,
                                          const PredictorManifest& manifest)
{
    const SafetensorsFile file(folder / "model.safetensors");
    const std::vector<int> widths = networkWidths(manifest);
    std::vector<DenseLayer> layers;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i)
        layers.push_back({readFloats(file, weightName(i), {widths[i + 1], widths[i]}),
                          readFloats(file, biasName(i), {widths[i + 1]})});
    return layers;
}

void writeLengthNetwork(const std::filesystem::path& folder, const std::vector<DenseLayer>& layers,
                        const std::vector<int>& widths)
{
    std::vector<TensorToWrite> tensors;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        tensors.push_back(asTensor(weightName(i), layers[i].weight, {widths[i + 1], widths[i]}));
        tensors.push_back(asTensor(biasName(i), layers[i].bias, {widths[i + 1]}));
    }
    writeSafetensors(folder / "model.safetensors", tensors);
}

int tokensFromOutput(float output, const PredictorManifest& manifest, int cap)
{
    const double tokens = std::expm1(static_cast<double>(output) * manifest.target_sd + manifest.target_mean);
    if (std::isnan(tokens)) return 0;
    return static_cast<int>(std::clamp(std::ceil(tokens), 1.0, static_cast<double>(cap)));
}

} // namespace batchscope::engine
