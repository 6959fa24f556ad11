// SPDX-License-Identifier: GPL-3.0-or-later
// The plug-in's door: plain types outside, libtorch inside.
#include "engine/model/plugin_loader.h"
#include "engine/torch/libraries.h"
#include "engine/torch/torch_backend.h"
#include "engine/torch/torch_model.h"

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
    std::unique_ptr<LengthPredictor> makePooledMlp(LanguageModel&, Backend&, const std::filesystem::path&,
                                                   int) override
    {
        throw EngineError(ErrorKind::Model, "pooled-mlp is not in this build.");
    }
    void trainPooledMlp(LanguageModel&, const PooledMlpTraining&, std::stop_token) override
    {
        throw EngineError(ErrorKind::Model, "pooled-mlp is not in this build.");
    }
    void trainLlama(const TrainingPlan&, const TrainingSource&, const TrainingProgress&,
                    std::stop_token) override
    {
        throw EngineError(ErrorKind::Model, "The trainer is not in this build.");
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
