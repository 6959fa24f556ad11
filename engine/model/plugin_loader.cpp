// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/plugin_loader.h"

#include "engine/error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/core.h>
#include <map>
#include <mutex>
#include <vector>

namespace batchscope::engine {
namespace {

namespace fs = std::filesystem;

// The folder that libbatchscope_engine itself was loaded from: plug-ins are installed in a folder beside it.
fs::path engineLibraryFolder()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&pluginFile), &info) == 0 || !info.dli_fname) return {};
    std::error_code error;
    return fs::weakly_canonical(info.dli_fname, error).parent_path();
}

std::vector<fs::path> pluginFolders()
{
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("BATCHSCOPE_PLUGIN_DIR"); chosen && *chosen)
        folders.emplace_back(chosen);
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) folders.push_back(program.parent_path().parent_path() / "lib" / "batchscope");
    if (const fs::path library = engineLibraryFolder(); !library.empty())
        folders.push_back(library / "batchscope");
    return folders;
}

fs::path findPlugin(const std::string& name)
{
    std::error_code error;
    for (const fs::path& folder : pluginFolders())
        if (fs::path file = folder / (name + ".so"); fs::is_regular_file(file, error)) return file;
    return {};
}

std::string remedyWhereAbsent(const std::string& name)
{
    if (name == "torch")
        return "Real models need it: configure with -DBATCHSCOPE_TORCH=ON (Debian: libtorch-dev), build and "
               "install again, or run on the simulated backend.";
    return "Build and install Batchscope again; app/launch does both.";
}

[[noreturn]] void failAbsent(const std::string& name)
{
    std::string looked;
    for (const fs::path& folder : pluginFolders())
        looked += (looked.empty() ? "" : ", ") + folder.string();
    throw EngineError(ErrorKind::Model, fmt::format("The plug-in {}.so is absent; looked in {}. {}", name,
                                                    looked, remedyWhereAbsent(name)));
}

[[noreturn]] void fail(const fs::path& file, const std::string& what)
{
    throw EngineError(
        ErrorKind::Model,
        fmt::format("The plug-in {} cannot be used: {}. Build and install Batchscope again as a whole, "
                    "programs and plug-ins; app/launch does it.",
                    file.string(), what));
}

const PluginRecord* loadRecord(const fs::path& file, const std::string& name)
{
    // NOW and LOCAL: torch and sentencepiece bring protobuf each, and must not see each other's (platform.md,
    // trap 1).
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* reason = dlerror();
        fail(file, reason ? reason : "the loader gave no reason");
    }
    const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, "batchscope_plugin_entry"));
    if (!entry) fail(file, "it exports no batchscope_plugin_entry, so it is no plug-in of this program");
    const PluginRecord* record = entry();
    if (!record || !record->root || !record->name || !record->build_id) fail(file, "its entry gives nothing");
    if (record->abi != k_plugin_abi)
        fail(file, fmt::format("its ABI number is {}, this program's is {}", record->abi, k_plugin_abi));
    if (std::string(record->build_id) != BATCHSCOPE_BUILD_ID)
        fail(file, fmt::format("it was built apart from this program (build id {}, expected {})",
                               record->build_id, BATCHSCOPE_BUILD_ID));
    if (record->name != name) fail(file, fmt::format("it calls itself '{}'", record->name));
    return record;
}

// Only handles that the process keeps until it ends: a plug-in is opened once and never closed.
struct OpenPlugins
{
    std::mutex mutex;
    std::map<std::string, const PluginRecord*> records;
};
OpenPlugins& openPlugins()
{
    static auto* plugins = new OpenPlugins; // never destroyed: plug-ins outlive static destruction
    return *plugins;
}

} // namespace

fs::path pluginFile(const std::string& name)
{
    return findPlugin(name);
}

const PluginRecord& openPlugin(const std::string& name)
{
    OpenPlugins& plugins = openPlugins();
    const std::lock_guard lock(plugins.mutex);
    if (const auto known = plugins.records.find(name); known != plugins.records.end()) return *known->second;
    const fs::path file = findPlugin(name);
    if (file.empty()) failAbsent(name);
    return *(plugins.records[name] = loadRecord(file, name));
}

bool isPluginOpen(const std::string& name)
{
    OpenPlugins& plugins = openPlugins();
    const std::lock_guard lock(plugins.mutex);
    return plugins.records.count(name) != 0;
}

bool hasPlugin(const std::string& name)
{
    return !findPlugin(name).empty();
}

} // namespace batchscope::engine
