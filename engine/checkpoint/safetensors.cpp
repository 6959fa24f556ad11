// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/safetensors.h"

#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/checkpoint/mapped_file.h"
#include "engine/error.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unordered_map>
#include <utility>

namespace batchscope::engine {
namespace {

// The format's own bound: a longer header is no header.
constexpr std::uint64_t k_longest_header = 100'000'000;
constexpr std::uint64_t k_length_bytes = 8;

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what)
{
    throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", file.string(), what));
}

[[noreturn]] void failTensor(const std::filesystem::path& file, const std::string& tensor,
                             const std::string& what)
{
    fail(file, fmt::format("tensor \"{}\" {}", tensor, what));
}

std::string remedyFor(const std::string& kind)
{
    if (kind.find("Git LFS") != std::string::npos)
        return "Run `git lfs pull` in its folder, or download it again.";
    if (kind.find("pickle") != std::string::npos || kind.find("zip") != std::string::npos)
        return "Use the model's .safetensors files, or convert it; a changed file name does not.";
    return "Download it again.";
}

[[noreturn]] void failAsOtherKind(const std::filesystem::path& file, std::string_view content,
                                  const std::string& found)
{
    const std::string kind = describeContent(content.substr(0, 512));
    if (kind == "a safetensors file")
        fail(file,
             fmt::format("{}; the file has {}. It begins like a safetensors file: the download broke off, or "
                         "its first 8 bytes are damaged. Download it again.",
                         found, formatBytes(content.size())));
    fail(file, fmt::format("no safetensors file: {}; the file has {} and seems to be {}. {}", found,
                           formatBytes(content.size()), kind, remedyFor(kind)));
}

std::uint64_t littleEndian(std::string_view bytes)
{
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < k_length_bytes; ++i)
        number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return number;
}

std::string_view headerOf(const std::filesystem::path& file, std::string_view content)
{
    if (content.size() < k_length_bytes)
        failAsOtherKind(file, content, "it is too short for the 8 bytes that give the header's length");
    const std::uint64_t length = littleEndian(content);
    const std::string claim = fmt::format("its first 8 bytes claim a header of {}", formatBytes(length));
    if (length > k_longest_header || length > content.size() - k_length_bytes)
        failAsOtherKind(file, content, claim);
    if (length < 2) failAsOtherKind(file, content, claim + ", at least 2 are needed");
    const std::string_view header = content.substr(k_length_bytes, length);
    if (header.front() != '{') failAsOtherKind(file, content, "its header does not begin with \"{\"");
    return header;
}

std::map<std::string, std::string> readMetadata(const nlohmann::json& value, const std::string& where)
{
    std::map<std::string, std::string> metadata;
    const JsonFields fields(value, where);
    for (const auto& [key, entry] : value.items())
        metadata[key] = fields.text(key.c_str());
    return metadata;
}

std::vector<std::int64_t> readShape(const JsonFields& fields)
{
    const auto& shape = fields.at("shape");
    if (!shape.is_array()) fields.refuse("shape", "an array of sizes");
    std::vector<std::int64_t> sizes;
    for (const auto& entry : shape) {
        const auto size = wholeNumber(entry);
        if (!size || *size < 0) fields.refuse("shape", "an array of sizes of at least 0");
        sizes.push_back(*size);
    }
    return sizes;
}

// False where the product does not fit.
bool multiply(std::int64_t& product, std::int64_t factor)
{
    return !__builtin_mul_overflow(product, factor, &product);
}

TensorInfo readTensor(const std::filesystem::path& file, const std::string& name, const nlohmann::json& value)
{
    const JsonFields fields(value, fmt::format("{}: tensor \"{}\"", file.string(), name));
    TensorInfo tensor;
    tensor.name = name;
    tensor.dtype = fields.text("dtype");
    const int element_bytes = safetensorsElementBytes(tensor.dtype);
    if (element_bytes == 0)
        fields.refuse("dtype", "one of F32, BF16, F16, F64, F8_E4M3, F8_E5M2, BOOL, I8...U64");
    tensor.shape = readShape(fields);
    const auto& offsets = fields.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !wholeNumber(offsets[0]) || !wholeNumber(offsets[1]) ||
        *wholeNumber(offsets[0]) < 0 || *wholeNumber(offsets[1]) < *wholeNumber(offsets[0]))
        fields.refuse("data_offsets", "two byte positions [begin, end] with begin <= end");
    tensor.begin = static_cast<std::uint64_t>(*wholeNumber(offsets[0]));
    tensor.end = static_cast<std::uint64_t>(*wholeNumber(offsets[1]));

    tensor.elements = 1;
    bool fits = true;
    for (const std::int64_t size : tensor.shape)
        fits = fits && multiply(tensor.elements, size);
    std::int64_t bytes = tensor.elements;
    if (!fits || !multiply(bytes, element_bytes))
        failTensor(
            file, name,
            fmt::format("has the shape {}, more elements than can be counted", shapeText(tensor.shape)));
    if (static_cast<std::uint64_t>(bytes) != tensor.bytes())
        failTensor(file, name,
                   fmt::format("is {} {}: expected {}, but its data_offsets [{}, {}] give {}", tensor.dtype,
                               shapeText(tensor.shape), formatBytes(static_cast<std::uint64_t>(bytes)),
                               tensor.begin, tensor.end, formatBytes(tensor.bytes())));
    return tensor;
}

// The tensors in the order of their bytes must cover the data exactly.
void checkCoverage(const std::filesystem::path& file, const std::vector<TensorInfo>& tensors,
                   std::uint64_t data_bytes, std::uint64_t file_bytes)
{
    std::uint64_t covered = 0;
    const TensorInfo* before = nullptr;
    for (const TensorInfo& tensor : tensors) {
        if (tensor.begin < covered)
            failTensor(file, tensor.name,
                       fmt::format("overlaps tensor \"{}\": bytes {} to {} against {} to {}", before->name,
                                   tensor.begin, tensor.end, before->begin, before->end));
        if (tensor.begin > covered)
            failTensor(file, tensor.name,
                       fmt::format("begins at byte {}, but bytes {} to {} before it belong to no tensor",
                                   tensor.begin, covered, tensor.begin));
        covered = tensor.end;
        before = &tensor;
    }
    if (covered > data_bytes)
        fail(file, fmt::format(
                       "the tensor data breaks off: expected {}, found {} ({} are absent; the file has {}). "
                       "Incomplete download? Download it again.",
                       formatBytes(covered), formatBytes(data_bytes), formatBytes(covered - data_bytes),
                       formatBytes(file_bytes)));
    if (covered < data_bytes)
        fail(file,
             fmt::format("{} after the last tensor belong to no tensor: expected {} of tensor data, found {}",
                         formatBytes(data_bytes - covered), formatBytes(covered), formatBytes(data_bytes)));
}

} // namespace

int safetensorsElementBytes(std::string_view dtype)
{
    static constexpr std::array<std::pair<std::string_view, int>, 15> k_dtypes{{{"F32", 4},
                                                                                {"BF16", 2},
                                                                                {"F16", 2},
                                                                                {"F64", 8},
                                                                                {"F8_E4M3", 1},
                                                                                {"F8_E5M2", 1},
                                                                                {"BOOL", 1},
                                                                                {"I8", 1},
                                                                                {"U8", 1},
                                                                                {"I16", 2},
                                                                                {"U16", 2},
                                                                                {"I32", 4},
                                                                                {"U32", 4},
                                                                                {"I64", 8},
                                                                                {"U64", 8}}};
    for (const auto& [name, bytes] : k_dtypes)
        if (name == dtype) return bytes;
    return 0;
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

struct SafetensorsFile::Impl
{
    std::filesystem::path file;
    MappedFile mapped;
    std::uint64_t data_begin = 0;
    std::vector<TensorInfo> tensors;
    std::unordered_map<std::string_view, std::size_t>
        by_name; // keys live in `tensors`, which no longer grows
    std::map<std::string, std::string> metadata;

    explicit Impl(const std::filesystem::path& path) : file(path), mapped(path)
    {
        const std::string_view content = mapped.content();
        const std::string_view header = headerOf(file, content);
        const nlohmann::json json = parseJson(header, file.string() + ": header");
        for (const auto& [name, value] : json.items()) {
            if (name == "__metadata__")
                metadata = readMetadata(value, file.string() + ": __metadata__");
            else
                tensors.push_back(readTensor(file, name, value));
        }
        std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
            return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
        });
        data_begin = k_length_bytes + header.size();
        checkCoverage(file, tensors, content.size() - data_begin, content.size());
        for (std::size_t i = 0; i < tensors.size(); ++i)
            by_name.emplace(tensors[i].name, i);
    }
};

SafetensorsFile::SafetensorsFile(const std::filesystem::path& file) : m_impl(std::make_unique<Impl>(file)) {}
SafetensorsFile::~SafetensorsFile() = default;
SafetensorsFile::SafetensorsFile(SafetensorsFile&&) noexcept = default;
SafetensorsFile& SafetensorsFile::operator=(SafetensorsFile&&) noexcept = default;

const std::filesystem::path& SafetensorsFile::file() const
{
    return m_impl->file;
}

std::uint64_t SafetensorsFile::fileBytes() const
{
    return m_impl->mapped.content().size();
}

const std::vector<TensorInfo>& SafetensorsFile::tensors() const
{
    return m_impl->tensors;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const
{
    const auto found = m_impl->by_name.find(name);
    return found == m_impl->by_name.end() ? nullptr : &m_impl->tensors[found->second];
}

const std::map<std::string, std::string>& SafetensorsFile::metadata() const
{
    return m_impl->metadata;
}

std::span<const std::byte> SafetensorsFile::bytes(const TensorInfo& tensor) const
{
    const std::string_view data = m_impl->mapped.content().substr(m_impl->data_begin);
    if (tensor.begin > tensor.end || tensor.end > data.size())
        failTensor(m_impl->file, tensor.name, "is not of this file");
    return std::as_bytes(std::span(data.data() + tensor.begin, tensor.bytes()));
}

} // namespace batchscope::engine
