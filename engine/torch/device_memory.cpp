// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/device_memory.h"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <fstream>
#include <limits>

namespace batchscope::engine {
namespace {

constexpr std::int64_t k_least_margin = std::int64_t{256} << 20;

// A function of the CUDA runtime that libtorch brought with it, if it did: so that no build of ours links
// CUDA.
template <typename Function>
Function cudaFunction(const char* name)
{
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

std::int64_t systemAvailableBytes()
{
    std::ifstream info("/proc/meminfo");
    std::string key;
    std::int64_t kib = 0;
    while (info >> key >> kib) {
        if (key == "MemAvailable:") return kib * 1024;
        info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return std::int64_t{1} << 30; // a system that does not say: assume little
}

// What the control group still allows; "max" or no file: no bound.
std::int64_t groupAvailableBytes()
{
    std::int64_t bound = 0, used = 0;
    std::ifstream limit("/sys/fs/cgroup/memory.max"), usage("/sys/fs/cgroup/memory.current");
    if (!(limit >> bound) || !(usage >> used)) return std::numeric_limits<std::int64_t>::max();
    return std::max<std::int64_t>(0, bound - used);
}

std::int64_t cudaFreeBytes(int index)
{
    const auto set_device = cudaFunction<int (*)(int)>("cudaSetDevice");
    const auto get_info = cudaFunction<int (*)(std::size_t*, std::size_t*)>("cudaMemGetInfo");
    std::size_t free = 0, total = 0;
    if (!set_device || !get_info || set_device(index) != 0 || get_info(&free, &total) != 0) return 0;
    return static_cast<std::int64_t>(free);
}

} // namespace

int cudaDeviceCount()
{
    const auto count = cudaFunction<int (*)(int*)>("cudaGetDeviceCount");
    int devices = 0;
    return count && count(&devices) == 0 ? devices : 0;
}

std::string cudaDeviceName(int index)
{
    // cudaDeviceGetPCIBusId is the one name that needs no structure of a CUDA version's headers.
    const auto bus_id = cudaFunction<int (*)(char*, int, int)>("cudaDeviceGetPCIBusId");
    char text[32] = {};
    if (bus_id == nullptr || bus_id(text, sizeof text, index) != 0) return "CUDA device";
    return std::string("CUDA device at PCI ") + text;
}

std::int64_t freeMemoryBytes(const c10::Device& device)
{
    const std::int64_t free = device.is_cuda() ? cudaFreeBytes(device.index())
                                               : std::min(systemAvailableBytes(), groupAvailableBytes());
    return std::max<std::int64_t>(0, free - std::max(k_least_margin, free / 20));
}

} // namespace batchscope::engine
