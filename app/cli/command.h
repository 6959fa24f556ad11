// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of batchscope-cli, one file each, and how they are added.
#pragma once

#include "app/cli/exit_code.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>

namespace batchscope::cli {

// The action of the command that was chosen; set by its callback, run after parsing.
using Action = std::function<int()>;

// What stands against a text as a seed, for CLI::Option::check(); empty where nothing does. The parser's own
// conversion turns -1 into the largest number and cuts what is larger still.
std::string seedText(const std::string& text);

// What stands against a text as a model folder: an empty one (an unset variable of a script) names none.
std::string folderNamed(const std::string& text);

void addRun(CLI::App& app, Action& action);
void addSweep(CLI::App& app, Action& action);
void addAdvise(CLI::App& app, Action& action);
void addBench(CLI::App& app, Action& action);
void addGenerate(CLI::App& app, Action& action);
void addInspect(CLI::App& app, Action& action);
void addTrainDemo(CLI::App& app, Action& action);
void addCollectLengths(CLI::App& app, Action& action);
void addTrain(CLI::App& app, Action& action);
void addImport(CLI::App& app, Action& action);
void addListParts(CLI::App& app, Action& action);
void addListPresets(CLI::App& app, Action& action);
void addRuns(CLI::App& app, Action& action);
void addCompare(CLI::App& app, Action& action);
void addExport(CLI::App& app, Action& action);
void addReport(CLI::App& app, Action& action);
void addRepeat(CLI::App& app, Action& action);

} // namespace batchscope::cli
