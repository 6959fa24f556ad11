// SPDX-License-Identifier: GPL-3.0-or-later
// A module with one fault, chosen at compile time, for the loader's refusals.
#include "engine/model/plugin_loader.h"

namespace {
int s_root = 0;
}

#ifndef NO_ENTRY
extern "C" const batchscope::engine::PluginRecord* batchscope_plugin_entry()
{
    using namespace batchscope::engine;
#if defined(BUILT_APART)
    static const PluginRecord record{k_plugin_abi, "another build", "refused", &s_root};
#elif defined(OTHER_ABI)
    static const PluginRecord record{k_plugin_abi + 1, BATCHSCOPE_BUILD_ID, "refused", &s_root};
#else
    static const PluginRecord record{k_plugin_abi, BATCHSCOPE_BUILD_ID, "something", &s_root};
#endif
    return &record;
}
#else
extern "C" int* some_other_function();
extern "C" int* some_other_function()
{
    return &s_root;
}
#endif
