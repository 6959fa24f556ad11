// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/environment.h"

#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <thread>

namespace batchscope::app {
namespace {

std::string cpuName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("model name")) continue;
        const auto colon = line.find(": ");
        if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown CPU";
}

} // namespace

std::string programVersion()
{
    return BATCHSCOPE_VERSION;
}

std::string programCommit()
{
    return BATCHSCOPE_COMMIT;
}

sessions::Environment readEnvironment()
{
    sessions::Environment environment;
    environment.cpu = cpuName();
    environment.threads = static_cast<int>(std::thread::hardware_concurrency());
    environment.version = programVersion();
    environment.commit = programCommit();
    return environment;
}

std::string makeUuid()
{
    std::random_device device;
    const auto draw = [&device] { return (std::uint64_t{device()} << 32) | device(); };
    const std::uint64_t high = (draw() & ~std::uint64_t{0xf000}) | 0x4000;
    const std::uint64_t low = (draw() & ~(std::uint64_t{3} << 62)) | (std::uint64_t{1} << 63);
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                       high & 0xffff, low >> 48, low & 0xffffffffffff);
}

} // namespace batchscope::app
