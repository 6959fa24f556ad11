// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/safetensors_writer.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/error.h"

#include <nlohmann/json.hpp>

namespace batchscope::engine {
namespace {

std::int64_t bytesOf(const TensorToWrite& tensor, const std::filesystem::path& file)
{
    std::int64_t count = tensor.dtype == "F32" ? 4 : tensor.dtype == "BF16" || tensor.dtype == "F16" ? 2 : 0;
    if (count == 0) {
        throw EngineError(ErrorKind::InvalidFile, file.string() + ": tensor " + tensor.name + " has dtype " +
                                                      tensor.dtype + ", expected F32, BF16 or F16");
    }
    for (const std::int64_t side : tensor.shape) {
        count *= side;
    }
    if (count != static_cast<std::int64_t>(tensor.bytes.size())) {
        throw EngineError(ErrorKind::InvalidFile, file.string() + ": tensor " + tensor.name + " has " +
                                                      std::to_string(tensor.bytes.size()) +
                                                      " bytes, its shape and dtype need " +
                                                      std::to_string(count));
    }
    return count;
}

} // namespace

void writeSafetensors(const std::filesystem::path& file, const std::vector<TensorToWrite>& tensors,
                      const std::map<std::string, std::string>& metadata)
{
    nlohmann::ordered_json header;
    if (!metadata.empty()) {
        header["__metadata__"] = metadata;
    }
    std::int64_t at = 0;
    for (const TensorToWrite& tensor : tensors) {
        const std::int64_t end = at + bytesOf(tensor, file);
        header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
        at = end;
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    std::string bytes;
    bytes.reserve(8 + text.size() + static_cast<std::size_t>(at));
    for (int shift = 0; shift < 64; shift += 8) {
        bytes += static_cast<char>((static_cast<std::uint64_t>(text.size()) >> shift) & 0xff);
    }
    bytes += text;
    for (const TensorToWrite& tensor : tensors) {
        bytes += tensor.bytes;
    }
    writeWholeFile(file, bytes);
}

} // namespace batchscope::engine
