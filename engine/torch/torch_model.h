// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-in's LanguageModel: a loaded LLaMA, its threads and what its device has left.
#pragma once

#include "engine/model/torch_plugin.h"
#include "engine/torch/llama.h"

#include <memory>
#include <stop_token>
#include <string>

namespace batchscope::engine {

// Which form of the operations runs; Chosen: fused on the CPU, libtorch's elsewhere. Tests compare both.
enum class ComputeForm { Chosen, Fused, Aten };

class TorchModel final : public LanguageModel
{
public:
    // Throws EngineError: InvalidFile (folder), Model (device, type, memory), Cancelled.
    TorchModel(const LoadOptions& options, const std::stop_token& stop,
               ComputeForm form = ComputeForm::Chosen);

    const ModelConfig& config() const override { return m_llama->config(); }
    DType dtype() const override { return m_dtype; }
    std::string device() const override { return m_device_name; }
    int threads() const override { return m_threads; }
    std::string hash() const override { return m_hash; }
    std::int64_t weightBytes() const override { return m_llama->weightBytes(); }
    std::int64_t freeKvBytes() const override;
    std::vector<Generated> generate(const std::vector<std::vector<TokenId>>& prompts,
                                    const GenerateOptions& options, std::stop_token stop) override;
    std::vector<std::vector<float>> logits(const std::vector<TokenId>& ids) override;
    std::vector<std::vector<std::int64_t>> positions(const std::vector<int>& prompt_lengths) const override;

    const Llama& llama() const { return *m_llama; }
    // Makes this thread's products run on the model's number of threads. Called at every entry.
    void useThreads() const;
    // Empty, or why these ids cannot be a prompt.
    std::string promptProblem(std::span<const TokenId> ids) const;

private:
    std::unique_ptr<Llama> m_llama;
    DType m_dtype;
    std::string m_device_name;
    std::string m_hash;
    int m_threads;
};

std::vector<std::string> torchDevices(); // "cpu", "cuda:0", ...

} // namespace batchscope::engine
