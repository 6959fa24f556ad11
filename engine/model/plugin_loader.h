// SPDX-License-Identifier: GPL-3.0-or-later
// Opens our two plug-ins. Each exports one C function, `batchscope_plugin_entry`, that returns this record.
#pragma once

#include <filesystem>
#include <string>

namespace batchscope::engine {

inline constexpr int k_plugin_abi = 1;

struct PluginRecord
{
    int abi;              // k_plugin_abi of the headers it was compiled from
    const char* build_id; // BATCHSCOPE_BUILD_ID it was compiled with
    const char* name;     // "tokenizer", "torch"
    void* root;           // TokenizerPlugin* or TorchPlugin*, owned by the plug-in
};
using PluginEntry = const PluginRecord* (*)();

// Where plug-ins are looked for, in order: $BATCHSCOPE_PLUGIN_DIR, ../lib/batchscope beside the running program
// (build tree and install tree have the same shape), the install prefix's library folder.
std::filesystem::path pluginFile(const std::string& name);

// Opens once; later calls give the same record. Never closed. Throws EngineError(Model) naming file and remedy.
const PluginRecord& openPlugin(const std::string& name);
bool isPluginOpen(const std::string& name);
// Whether the program was built with it (its file is there), without opening it.
bool hasPlugin(const std::string& name);

} // namespace batchscope::engine
