// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"
#include "engine/parts/pooled_mlp_part.h"

namespace batchscope::app {

Registry fullRegistry()
{
    Registry registry = Registry::withBuiltinParts();
    registry.add(engine::pooledMlpPart());
    return registry;
}

} // namespace batchscope::app
