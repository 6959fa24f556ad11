// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/file_kind.h"

#include "engine/data/text_lines.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <fstream>

namespace batchscope::engine {
namespace {

bool beginsWith(std::string_view text, std::string_view start)
{
    return text.substr(0, start.size()) == start;
}

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string_view withoutLeadingSpace(std::string_view text)
{
    if (beginsWith(text, "\xEF\xBB\xBF")) text.remove_prefix(3);
    const auto start = text.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
}

// Text as far as the head goes: it may end within a character.
bool isPlainText(std::string_view head)
{
    const bool has_control = std::any_of(head.begin(), head.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t';
    });
    if (has_control) return false;
    for (std::size_t cut = 0; cut < 4 && cut < head.size(); ++cut)
        if (isUtf8(head.substr(0, head.size() - cut))) return true;
    return false;
}

std::string withSeparators(std::uint64_t number)
{
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

} // namespace

std::string describeContent(std::string_view head)
{
    if (head.empty()) return "empty";
    if (beginsWith(head, "version https://git-lfs"))
        return "a Git LFS pointer (the real file was never downloaded)";
    if (beginsWith(head, "\xFF\xFE") || beginsWith(head, "\xFE\xFF")) return "UTF-16 text";
    const std::string text = lowerCase(withoutLeadingSpace(head));
    if (beginsWith(text, "<!doctype html") || beginsWith(text, "<html") || beginsWith(text, "<head"))
        return "an HTML page (a web page was saved instead of the file)";
    if (beginsWith(text, "<?xml")) return "an XML document (an error page was saved instead of the file?)";
    if (beginsWith(head, "PK\x03\x04")) return "a zip archive (PyTorch's .bin/.pt/.ckpt format)";
    if (head.size() >= 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
        return "a Python pickle (PyTorch's old .bin/.pt/.ckpt format)";
    if (beginsWith(head, "GGUF")) return "a GGUF file (llama.cpp's format)";
    if (beginsWith(head, "\x1F\x8B")) return "a gzip archive";
    if (beginsWith(head, "\x89HDF")) return "an HDF5 file (Keras/TensorFlow's .h5 format)";
    if (beginsWith(head, "\x93NUMPY")) return "a NumPy array";
    if (beginsWith(head, "SQLite format 3")) return "an SQLite database";
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == '\0'; }))
        return "all zero bytes (a download that reserved its space and broke off?)";
    if (beginsWith(text, "{") || beginsWith(text, "[")) return "JSON text";
    if (head.size() > 9 && head[8] == '{') return "a safetensors file";
    return isPlainText(head) ? "plain text" : "unknown data";
}

std::string describeFile(const std::filesystem::path& file)
{
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) return "a folder";
    const auto size = std::filesystem::file_size(file, error);
    if (error) return "absent";
    std::array<char, 512> head{};
    std::ifstream in(file, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (!in.is_open()) return fmt::format("not readable, {}", formatBytes(size));
    return fmt::format("{}, {}", describeContent({head.data(), static_cast<std::size_t>(in.gcount())}),
                       formatBytes(size));
}

std::string formatBytes(std::uint64_t bytes)
{
    const std::string exact = withSeparators(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (bytes < 10'000) return exact;
    static constexpr std::array<const char*, 6> k_units{"kB", "MB", "GB", "TB", "PB", "EB"};
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; value >= 999.95 && unit + 1 < k_units.size(); ++unit)
        value /= 1000;
    return fmt::format("{:.1f} {} ({})", value, k_units[unit], exact);
}

} // namespace batchscope::engine
