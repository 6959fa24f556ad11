// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-in's door: plain types outside, libtorch inside.
#include "engine/model/plugin_loader.h"
#include "engine/torch/libraries.h"
#include "engine/torch/pooled_mlp.h"
#include "engine/torch/torch_backend.h"
#include "engine/torch/torch_model.h"
#include "engine/torch/training/llama_trainer.h"

namespace batchscope::engine {
namespace {

TorchModel& ours(LanguageModel& model)
{
    if (auto* made_here = dynamic_cast<TorchModel*>(&model)) return *made_here;
    throw EngineError(ErrorKind::Model,
                      "The model was not loaded by this plug-in; load it with TorchPlugin::load.");
}

class Plugin final : public TorchPlugin
{
public:
    std::string libraries() const override { return describeLibraries(); }
    std::vector<std::string> devices() const override { return torchDevices(); }
    std::unique_ptr<LanguageModel> load(const LoadOptions& options, std::stop_token stop) override
    {
        return std::make_unique<TorchModel>(options, stop);
    }
    std::unique_ptr<Backend> makeBackend(LanguageModel& model, const Clock&) override
    {
        return std::make_unique<TorchBackend>(ours(model)); // durations alone: the loop reads the run's clock
    }
    std::unique_ptr<LengthPredictor> makePooledMlp(LanguageModel& model, Backend& backend,
                                                   const std::filesystem::path& folder, int cap) override
    {
        return std::make_unique<PooledMlp>(ours(model), backend, folder, cap);
    }
    void trainPooledMlp(LanguageModel& model, const PooledMlpTraining& training,
                        std::stop_token stop) override
    {
        engine::trainPooledMlp(ours(model), training, stop);
    }
    void trainLlama(const TrainingPlan& plan, const TrainingSource& source, const TrainingProgress& progress,
                    std::stop_token stop) override
    {
        training::trainLlama(plan, source, progress, std::move(stop));
    }
};

} // namespace
} // namespace batchscope::engine

extern "C" const batchscope::engine::PluginRecord* batchscope_plugin_entry()
{
    static batchscope::engine::Plugin plugin;
    // The root is read back as a TorchPlugin*: convert before it becomes a void*.
    static const batchscope::engine::PluginRecord record{
        batchscope::engine::k_plugin_abi, BATCHSCOPE_BUILD_ID, "torch",
        static_cast<batchscope::engine::TorchPlugin*>(&plugin)};
    return &record;
}
