// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a safetensors file: 8 bytes header length, JSON header padded to 8 bytes with spaces, then the
// tensors' little-endian bytes in the given order. Complete or not at all; throws EngineError(InvalidFile)
// naming the file or the tensor whose bytes do not fit its shape. Format: huggingface.co/docs/safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace batchscope::engine {

struct TensorToWrite
{
    std::string name;
    std::string dtype; // as the format spells it: "F32", "BF16", "F16"
    std::vector<std::int64_t> shape;
    std::string bytes;
};

void writeSafetensors(const std::filesystem::path& file, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata = {{"format", "pt"}});

} // namespace batchscope::engine
