// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/llama_parameters.h"

#include "engine/error.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>
#include <random>

namespace batchscope::engine::training {
namespace {

std::vector<ParameterSlot> layOut(const LlamaShape& shape)
{
    std::vector<ParameterSlot> slots;
    std::int64_t offset = 0;
    const auto add = [&](std::string name, std::int64_t rows, std::int64_t columns, double deviation,
                         bool decays) {
        slots.push_back({std::move(name), rows, columns, offset, deviation, decays});
        offset += slots.back().count();
    };
    const double in = 1.0 / std::sqrt(shape.width);
    const double residual = 1.0 / std::sqrt(2.0 * shape.layers); // keeps the stream's size with depth
    add("embedding", shape.vocabulary, shape.width, 0.1, false);
    for (int layer = 0; layer < shape.layers; ++layer) {
        const std::string at = std::to_string(layer) + ".";
        add(at + "norm_in", shape.width, 0, 0, false);
        add(at + "qkv", std::int64_t{3} * shape.width, shape.width, in, true);
        add(at + "out", shape.width, shape.width, in * residual, true);
        add(at + "norm_mid", shape.width, 0, 0, false);
        add(at + "gate_up", std::int64_t{2} * shape.hidden, shape.width, in, true);
        add(at + "down", shape.width, shape.hidden, residual / std::sqrt(shape.hidden), true);
    }
    add("norm", shape.width, 0, 0, false);
    add("head", shape.vocabulary, shape.width, in, true);
    return slots;
}

// Box-Muller on mt19937_64: the same values with every standard library up to the last bits of log and cos.
class NormalSource
{
public:
    explicit NormalSource(std::uint64_t seed) : m_engine(seed) {}

    double next()
    {
        const double radius = std::sqrt(-2.0 * std::log(unit()));
        return radius * std::cos(2.0 * std::numbers::pi * unit());
    }

private:
    double unit() { return (static_cast<double>(m_engine() >> 11) + 0.5) * 0x1.0p-53; }

    std::mt19937_64 m_engine;
};

} // namespace

bool isMatrix(const ParameterSlot& slot)
{
    return slot.columns != 0 && slot.name != "embedding";
}

LlamaParameters::LlamaParameters(const LlamaShape& shape, bool bfloat16, std::uint64_t seed)
    : m_shape(shape), m_slots(layOut(shape))
{
    if (shape.heads <= 0 || shape.width % (16 * shape.heads) != 0) {
        throw EngineError(ErrorKind::Model,
                          "width " + std::to_string(shape.width) + " and heads " +
                              std::to_string(shape.heads) +
                              ": expected a head size that is a multiple of 16; change one of them");
    }
    const std::int64_t count = m_slots.back().offset + m_slots.back().count();
    m_master = at::empty({count}, at::kFloat);
    m_products = bfloat16 ? at::empty({count}, at::kBFloat16) : m_master;
    NormalSource normal(seed);
    float* values = m_master.data_ptr<float>();
    for (const ParameterSlot& slot : m_slots) {
        for (std::int64_t i = 0; i < slot.count(); ++i) {
            values[slot.offset + i] =
                slot.deviation == 0 ? 1.0F : static_cast<float>(slot.deviation * normal.next());
        }
    }
    refreshProducts(0, count);
}

void LlamaParameters::refreshProducts(std::int64_t first, std::int64_t last)
{
    if (m_products.scalar_type() == at::kFloat) {
        return; // the same memory
    }
    const float* from = m_master.data_ptr<float>();
    at::BFloat16* to = m_products.data_ptr<at::BFloat16>();
    for (std::int64_t i = first; i < last; ++i) {
        to[i] = at::BFloat16(from[i]);
    }
}

ParameterLeaves::ParameterLeaves(LlamaParameters& parameters)
    : gradients(at::zeros_like(parameters.products())), vector_gradients(at::zeros_like(parameters.master()))
{
    for (const ParameterSlot& slot : parameters.slots()) {
        const auto shaped = [&](const at::Tensor& flat) {
            const at::Tensor part = flat.narrow(0, slot.offset, slot.count());
            return slot.columns == 0 ? part : part.view({slot.rows, slot.columns});
        };
        at::Tensor leaf = shaped(isMatrix(slot) ? parameters.products() : parameters.master()).detach();
        leaf.set_requires_grad(true);
        leaf.mutable_grad() = shaped(isMatrix(slot) ? gradients : vector_gradients);
        leaves.emplace_back(slot.name, leaf);
    }
}

const at::Tensor& ParameterLeaves::operator[](const std::string& name) const
{
    for (const auto& [key, tensor] : leaves) {
        if (key == name) {
            return tensor;
        }
    }
    throw EngineError(ErrorKind::Model, "no parameter is called " + name);
}

void ParameterLeaves::zeroGradients()
{
    gradients.zero_();
    vector_gradients.zero_();
}

} // namespace batchscope::engine::training
