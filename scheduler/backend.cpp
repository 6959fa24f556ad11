// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/backend.h"

namespace batchscope {

void Backend::evict(SlotHandle)
{
    throw BackendError(
        "this backend cannot drop a running row's KV cache: choose preemption none or keep-kv");
}

std::optional<Nanos> Backend::serviceAlone(int, int) const
{
    return std::nullopt;
}

} // namespace batchscope
