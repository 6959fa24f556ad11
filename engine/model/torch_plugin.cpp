// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/model/torch_plugin.h"

#include "engine/model/plugin_loader.h"

namespace batchscope::engine {

TorchPlugin& torchPlugin()
{
    return *static_cast<TorchPlugin*>(openPlugin("torch").root);
}

} // namespace batchscope::engine
