// SPDX-License-Identifier: GPL-3.0-or-later
// A LLaMA pass over one prompt in plain loops and double precision, from the architecture's formulas: what
// the engine's fast passes are measured against.
#pragma once

#include "tests/support/random_llama.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace batchscope::tests {

enum class RotaryPairs { HalfSplit, Interleaved }; // (i, i + d/2), Hugging Face's; (2i, 2i + 1), the paper's

class ReferenceLlama
{
public:
    ReferenceLlama(const RandomLlama& shape, std::vector<NamedTensor> tensors, RotaryPairs pairs)
        : m_shape(shape), m_tensors(std::move(tensors)), m_pairs(pairs)
    {}

    // One row of the vocabulary's size a position.
    std::vector<std::vector<double>> logits(const std::vector<TokenId>& ids) const
    {
        const Matrix embedding = weight("model.embed_tokens.weight");
        std::vector<Row> x;
        for (const TokenId id : ids)
            x.push_back(embedding.at(static_cast<std::size_t>(id)));
        for (int i = 0; i < m_shape.layers; ++i) {
            const std::string layer = "model.layers." + std::to_string(i) + ".";
            addAttention(x, layer);
            addMlp(x, layer);
        }
        const Matrix head = m_shape.tied ? embedding : weight("lm_head.weight");
        std::vector<Row> all;
        for (const Row& row : x)
            all.push_back(product(head, norm(row, "model.norm.weight")));
        return all;
    }

private:
    using Row = std::vector<double>;
    using Matrix = std::vector<Row>;

    Matrix weight(const std::string& name) const // a vector as one row
    {
        const auto found = std::find_if(m_tensors.begin(), m_tensors.end(),
                                        [&](const NamedTensor& tensor) { return tensor.name == name; });
        std::vector<float> values(found->data.size() / sizeof(float));
        std::memcpy(values.data(), found->data.data(), found->data.size());
        const auto width = static_cast<std::ptrdiff_t>(found->shape.back());
        Matrix rows;
        for (auto at = values.begin(); at != values.end(); at += width)
            rows.emplace_back(at, at + width);
        return rows;
    }
    static double dot(const Row& a, const Row& b)
    {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += a[i] * b[i];
        return sum;
    }
    static Row product(const Matrix& matrix, const Row& x)
    {
        Row y;
        for (const Row& row : matrix)
            y.push_back(dot(row, x));
        return y;
    }
    Row norm(Row x, const std::string& name) const
    {
        const Row scale = weight(name).front();
        const double root = std::sqrt(dot(x, x) / static_cast<double>(x.size()) + 1e-5);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] *= scale[i] / root;
        return x;
    }
    // Turns each pair of a head by position * 10000^(-2i/d).
    void turn(Row& heads, std::size_t position) const
    {
        const auto dim = static_cast<std::size_t>(m_shape.hidden / m_shape.heads);
        for (std::size_t first = 0; first < heads.size(); first += dim)
            for (std::size_t i = 0; i < dim / 2; ++i) {
                const bool halves = m_pairs == RotaryPairs::HalfSplit;
                double& a = heads[first + (halves ? i : 2 * i)];
                double& b = heads[first + (halves ? i + dim / 2 : 2 * i + 1)];
                const double angle =
                    static_cast<double>(position) *
                    std::pow(10'000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dim));
                const double turned = a * std::cos(angle) - b * std::sin(angle);
                b = b * std::cos(angle) + a * std::sin(angle);
                a = turned;
            }
    }
    static Row headOf(const Row& heads, std::size_t head, std::size_t dim)
    {
        const auto first = heads.begin() + static_cast<std::ptrdiff_t>(head * dim);
        return {first, first + static_cast<std::ptrdiff_t>(dim)};
    }
    void addAttention(std::vector<Row>& x, const std::string& layer) const
    {
        const auto dim = static_cast<std::size_t>(m_shape.hidden / m_shape.heads);
        const auto heads = static_cast<std::size_t>(m_shape.heads);
        const std::size_t group = heads / static_cast<std::size_t>(m_shape.kv_heads);
        const Matrix q = weight(layer + "self_attn.q_proj.weight"),
                     k = weight(layer + "self_attn.k_proj.weight"),
                     v = weight(layer + "self_attn.v_proj.weight"),
                     o = weight(layer + "self_attn.o_proj.weight");
        std::vector<Row> keys, values;
        for (std::size_t position = 0; position < x.size(); ++position) {
            const Row normed = norm(x[position], layer + "input_layernorm.weight");
            Row query = product(q, normed);
            keys.push_back(product(k, normed));
            values.push_back(product(v, normed));
            turn(query, position);
            turn(keys.back(), position);
            Row mixed;
            for (std::size_t head = 0; head < heads; ++head) {
                const Row one = mix(headOf(query, head, dim), keys, values, head / group);
                mixed.insert(mixed.end(), one.begin(), one.end());
            }
            const Row out = product(o, mixed);
            for (std::size_t i = 0; i < out.size(); ++i)
                x[position][i] += out[i];
        }
    }
    static Row mix(const Row& query, const std::vector<Row>& keys, const std::vector<Row>& values,
                   std::size_t head)
    {
        Row scores;
        for (const Row& key : keys)
            scores.push_back(dot(query, headOf(key, head, query.size())) /
                             std::sqrt(static_cast<double>(query.size())));
        const double largest = *std::max_element(scores.begin(), scores.end());
        double sum = 0;
        for (double& score : scores) {
            score = std::exp(score - largest);
            sum += score;
        }
        Row mixed(query.size(), 0.0);
        for (std::size_t position = 0; position < values.size(); ++position) {
            const Row value = headOf(values[position], head, query.size());
            for (std::size_t i = 0; i < mixed.size(); ++i)
                mixed[i] += scores[position] / sum * value[i];
        }
        return mixed;
    }
    void addMlp(std::vector<Row>& x, const std::string& layer) const
    {
        const Matrix gate = weight(layer + "mlp.gate_proj.weight"), up = weight(layer + "mlp.up_proj.weight"),
                     down = weight(layer + "mlp.down_proj.weight");
        for (Row& row : x) {
            const Row normed = norm(row, layer + "post_attention_layernorm.weight");
            Row inner = product(gate, normed);
            const Row lifted = product(up, normed);
            for (std::size_t i = 0; i < inner.size(); ++i)
                inner[i] *= lifted[i] / (1 + std::exp(-inner[i]));
            const Row out = product(down, inner);
            for (std::size_t i = 0; i < out.size(); ++i)
                row[i] += out[i];
        }
    }

    RandomLlama m_shape;
    std::vector<NamedTensor> m_tensors;
    RotaryPairs m_pairs;
};

} // namespace batchscope::tests
