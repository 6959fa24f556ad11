// SPDX-License-Identifier: GPL-3.0-or-later
// What the machine's devices are and have left.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>

namespace batchscope::engine {

int cudaDeviceCount(); // 0 where libtorch was built without CUDA
std::string cudaDeviceName(int index);

// Free on the device less a margin of 5 % (at least 256 MiB) for what else a pass needs. CPU: what the kernel
// calls available, and the control group's bound where there is one.
std::int64_t freeMemoryBytes(const c10::Device& device);

} // namespace batchscope::engine
