// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/training/packed_batch.h"

#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace batchscope::engine::training {
namespace {

std::size_t length(const TrainingExample& example)
{
    return example.prompt_ids.size() + example.answer_ids.size();
}

void check(const TrainingExample& example, const LlamaShape& shape, std::uint64_t index)
{
    const std::string name = "training example " + std::to_string(index);
    if (example.prompt_ids.empty() || example.answer_ids.empty()) {
        throw EngineError(ErrorKind::Model,
                          name + " has an empty prompt or answer; both need at least one token");
    }
    if (length(example) > static_cast<std::size_t>(shape.context)) {
        throw EngineError(ErrorKind::Model,
                          name + " has " + std::to_string(length(example)) + " tokens, the context holds " +
                              std::to_string(shape.context) + "; shorten it or enlarge the context");
    }
    for (const std::vector<std::int32_t>* ids : {&example.prompt_ids, &example.answer_ids}) {
        for (const std::int32_t id : *ids) {
            if (id < 0 || id >= shape.vocabulary) {
                throw EngineError(ErrorKind::Model,
                                  name + " has token id " + std::to_string(id) + ", expected 0 to " +
                                      std::to_string(shape.vocabulary - 1) + "; was another tokenizer used?");
            }
        }
    }
}

} // namespace

PackedBatch packExamples(std::span<const TrainingExample> examples, double answer_length_exponent)
{
    PackedBatch batch;
    batch.starts.push_back(0);
    for (const TrainingExample& example : examples) {
        std::vector<std::int32_t> ids = example.prompt_ids;
        ids.insert(ids.end(), example.answer_ids.begin(), example.answer_ids.end());
        const auto weight = static_cast<float>(
            std::pow(static_cast<double>(example.answer_ids.size()), -answer_length_exponent));
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            if (i + 1 >= example.prompt_ids.size()) {
                batch.target_rows.push_back(static_cast<std::int64_t>(batch.tokens.size()));
                batch.targets.push_back(ids[i + 1]);
                batch.weights.push_back(weight);
            }
            batch.tokens.push_back(ids[i]);
        }
        batch.starts.push_back(static_cast<std::int64_t>(batch.tokens.size()));
    }
    return batch;
}

TrainingStep packStep(const TrainingPlan& plan, const TrainingSource& source, std::uint64_t first)
{
    TrainingStep step;
    std::vector<TrainingExample> examples;
    for (std::uint64_t index = first;; ++index) {
        TrainingExample example = source.example(index);
        check(example, plan.shape, index);
        const auto tokens = static_cast<std::int64_t>(length(example));
        const bool enough = static_cast<int>(examples.size()) >= plan.workers;
        if (enough && step.tokens + tokens > plan.tokens_per_step) {
            step.next_example = index;
            break;
        }
        step.tokens += tokens;
        examples.push_back(std::move(example));
    }
    std::stable_sort(examples.begin(), examples.end(),
                     [](const auto& a, const auto& b) { return length(a) > length(b); });
    std::vector<std::vector<TrainingExample>> shares(static_cast<std::size_t>(plan.workers));
    std::vector<std::size_t> load(shares.size());
    for (TrainingExample& example : examples) {
        const auto lightest =
            static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
        load[lightest] += length(example);
        shares[lightest].push_back(std::move(example));
    }
    double total = 0;
    for (const auto& share : shares) {
        step.shares.push_back(packExamples(share, plan.answer_length_exponent));
        for (const float weight : step.shares.back().weights) {
            total += static_cast<double>(weight);
        }
    }
    for (PackedBatch& share : step.shares) {
        for (float& weight : share.weights) {
            weight = static_cast<float>(static_cast<double>(weight) / total);
        }
    }
    return step;
}

} // namespace batchscope::engine::training
