// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands that load a model themselves share.
#pragma once

#include "app/cli/progress.h"
#include "app/experiment/model_access.h"
#include "engine/model/torch_plugin.h"

#include <CLI/App.hpp>
#include <memory>
#include <stop_token>
#include <string>

namespace batchscope::cli {

struct ModelOptions
{
    std::string model;
    std::string dtype = "f32";
    std::string device = "cpu";
    int threads = 0;

    void addTo(CLI::App& command); // --model, --dtype, --device, --threads
    std::unique_ptr<engine::LanguageModel> load(const app::ModelAccess& access, Progress& progress,
                                                std::stop_token stop) const;
};

} // namespace batchscope::cli
