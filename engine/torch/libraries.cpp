// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/libraries.h"

#include "engine/torch/cpu_level.h"

#include <ATen/Version.h>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/core.h>
#include <string_view>
#include <torch/version.h>

namespace batchscope::engine {
namespace {

std::string blas()
{
    void* sgemm = dlsym(RTLD_DEFAULT, "sgemm_");
    Dl_info info{};
    if (sgemm == nullptr || dladdr(sgemm, &info) == 0 || info.dli_fname == nullptr) return "inside libtorch";
    std::error_code error;
    const auto file = std::filesystem::canonical(info.dli_fname, error);
    const std::string path = error ? info.dli_fname : file.string();
    if (path.find("openblas") == std::string::npos && path.find("mkl") == std::string::npos)
        return path + " (reference BLAS is many times slower: install libopenblas0-pthread)";
    // Debian's OpenBLAS bears the reference's file name, in a folder of its own.
    return file.parent_path().filename().string() + "/" + file.filename().string();
}

std::string oneDnn()
{
    const std::string config = at::show_config();
    for (const std::string_view name : {"MKL-DNN v", "oneDNN v"}) { // 1.13, 2.x
        const std::size_t at = config.find(name);
        if (at == std::string::npos) continue;
        const std::size_t first = at + name.size();
        const std::size_t last = config.find_first_not_of("0123456789.", first);
        return config.substr(first, last == std::string::npos ? last : last - first);
    }
    return "none";
}

} // namespace

std::string describeLibraries()
{
    return fmt::format("libtorch {}, BLAS {}, oneDNN {}, own kernels for {}", TORCH_VERSION, blas(), oneDnn(),
                       simd::levelName(simd::level()));
}

} // namespace batchscope::engine
