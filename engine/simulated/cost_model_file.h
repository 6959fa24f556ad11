// SPDX-License-Identifier: GPL-3.0-or-later
// Cost models as files: "batchscope.cost-model/1", strict (a key that is not known inside a section is
// refused, not read over), and the folder of presets.
#pragma once

#include "engine/simulated/cost_model.h"

#include <filesystem>
#include <string>
#include <vector>

namespace batchscope::engine {

// Reads a "batchscope.cost-model/1" document of kind "linear" (the default), "roofline" or "calibrated".
// Throws EngineError(InvalidFile) naming file, JSON path, value found and value expected.
CostModel readCostModel(const std::filesystem::path& file);

// Names of the presets in a folder, sorted.
std::vector<std::string> costModelPresets(const std::filesystem::path& presets_dir);

// `preset` is a name in `presets_dir` or a file ending in ".json". Throws EngineError(InvalidFile) naming it
// and the presets that exist.
CostModel loadCostModel(const std::string& preset, const std::filesystem::path& presets_dir);

struct CostTerm // one figure of a model, for people
{
    std::string name; // as in the file
    double value = 0;
    std::string unit;
    std::string help;
};

// Every term that is not 0, in the order of the formula; a roofline's with the resource in the name.
std::vector<CostTerm> costTerms(const CostModel& model);
std::string costKindName(CostKind kind); // "linear", "roofline", "calibrated"
// "fitted to ...: 1 point, error 0.1 % on average, 0.1 % at most"; empty where nothing was fitted.
std::string describeFit(const CostModel& model);

} // namespace batchscope::engine
