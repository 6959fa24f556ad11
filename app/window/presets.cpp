// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/presets.h"

#include "app/experiment/experiment.h"
#include "engine/checkpoint/inspect.h"
#include "engine/simulated/cost_model_file.h"

namespace batchscope::window {
namespace {

RooflineFigures shapeOf(const QString& folder)
{
    const engine::ModelConfig config = engine::readModelConfig(folder.toStdString());
    const double bytes = static_cast<double>(engine::dtypeBytes(config.stored_dtype));
    return {{"model.layers", std::int64_t{config.layers}},
            {"model.hidden", std::int64_t{config.hidden}},
            {"model.intermediate", std::int64_t{config.intermediate}},
            {"model.heads", std::int64_t{config.heads}},
            {"model.kv_heads", std::int64_t{config.kv_heads}},
            {"model.vocab", std::int64_t{config.vocabulary}},
            {"model.context_tokens", std::int64_t{config.max_positions}},
            {"model.bytes_per_weight", bytes},
            {"model.bytes_per_kv", bytes}};
}

} // namespace

widgets::SimulatorChoices simulatorChoices()
{
    widgets::SimulatorChoices choices;
    choices.shape_of = shapeOf;
    const auto folder = app::resourceDir() / "presets";
    for (const std::string& name : engine::costModelPresets(folder)) {
        QString title;
        try {
            title = QString::fromStdString(engine::loadCostModel(name, folder).title);
        } catch (const std::exception& error) { // chosen, it says what is wrong with it
            title = QString::fromUtf8(error.what());
        }
        choices.presets.push_back({QString::fromStdString(name), title});
    }
    return choices;
}

} // namespace batchscope::window
