// SPDX-License-Identifier: GPL-3.0-or-later
// Which files of a folder hold the weights.
#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/checkpoint/model_folder.h"
#include "engine/error.h"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>

namespace batchscope::engine {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& message)
{
    throw EngineError(ErrorKind::InvalidFile, message);
}

void refuseAbsent(const fs::path& dir, const std::vector<std::string>& absent, std::size_t all,
                  const std::string& told_by)
{
    if (absent.empty()) return;
    fail(fmt::format(
        "{}: {} of {} weight files that {} names are absent: {}. Incomplete download? Fetch them into the "
        "same folder.",
        dir.string(), absent.size(), all, told_by, fmt::join(absent, ", ")));
}

std::vector<fs::path> indexedShards(const fs::path& index)
{
    const auto document = parseJson(readWholeFile(index), index.string());
    const JsonFields fields(document, index.string());
    const auto& weight_map = fields.at("weight_map");
    const JsonFields files(weight_map, index.string() + ": weight_map");
    std::set<std::string> names;
    for (const auto& [tensor, file] : weight_map.items()) {
        const std::string name = files.text(tensor.c_str());
        if (name.empty() || fs::path(name).filename() != name)
            files.refuse(tensor.c_str(), "the name of a file in the same folder");
        names.insert(name);
    }
    if (names.empty()) fields.refuse("weight_map", "at least one tensor");
    std::vector<fs::path> shards;
    std::vector<std::string> absent;
    for (const std::string& name : names) {
        shards.push_back(index.parent_path() / name);
        if (!fs::exists(shards.back())) absent.push_back(name);
    }
    refuseAbsent(index.parent_path(), absent, names.size(), index.filename().string());
    return shards;
}

struct ShardName // "<front>-00001-of-00002<back>"
{
    std::string front, back;
    int number = 0, all = 0;
};

std::optional<int> fiveDigits(const std::string& text, std::size_t at)
{
    int number = 0;
    if (at + 5 > text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 5, number);
    return error == std::errc{} && end == text.data() + at + 5 ? std::optional(number) : std::nullopt;
}

std::optional<ShardName> shardName(const std::string& name)
{
    const auto of = name.find("-of-");
    if (of == std::string::npos || of < 6 || name[of - 6] != '-') return std::nullopt;
    const auto number = fiveDigits(name, of - 5);
    const auto all = fiveDigits(name, of + 4);
    if (!number || !all) return std::nullopt;
    return ShardName{name.substr(0, of - 6), name.substr(of + 9), *number, *all};
}

// Shards without an index must be complete by their own numbering.
void checkNumbering(const fs::path& dir, const std::vector<fs::path>& files)
{
    std::set<std::string> present;
    for (const fs::path& file : files)
        present.insert(file.filename().string());
    for (const std::string& name : present) {
        const auto shard = shardName(name);
        if (!shard) continue;
        if (shard->all > 10'000) fail(fmt::format("{}: {} counts {} shards", dir.string(), name, shard->all));
        std::vector<std::string> absent;
        for (int i = 1; i <= shard->all; ++i) {
            std::string other = fmt::format("{}-{:05}-of-{:05}{}", shard->front, i, shard->all, shard->back);
            if (!present.contains(other)) absent.push_back(std::move(other));
        }
        refuseAbsent(dir, absent, static_cast<std::size_t>(shard->all), name);
    }
}

// A shard's extension may stand before its number (model.safetensors-00001-of-00002.safetensors has both).
std::vector<fs::path> allSafetensors(const fs::path& dir)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(dir)) {
        const std::string name = entry.path().filename().string();
        const bool is_weights =
            name.ends_with(".safetensors") && !name.starts_with("adapter_") && !name.starts_with(".");
        if (is_weights && !entry.is_directory()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

[[noreturn]] void failWithoutWeights(const fs::path& dir)
{
    for (const auto& entry : fs::directory_iterator(dir)) {
        const std::string name = entry.path().filename().string();
        const std::string extension = entry.path().extension().string();
        if (extension == ".bin" || extension == ".pt" || extension == ".pth" || extension == ".ckpt")
            fail(fmt::format(
                "{}: the weights are in PyTorch's format ({}), which is not supported yet. Convert them "
                "once with Hugging Face transformers: AutoModelForCausalLM.from_pretrained(FOLDER)"
                ".save_pretrained(OUT, safe_serialization=True).",
                dir.string(), name));
        if (extension == ".gguf")
            fail(fmt::format(
                "{}: the weights are in llama.cpp's format ({}), which is not supported. Take the "
                "model's Hugging Face folder with .safetensors files.",
                dir.string(), name));
        if (name.starts_with("adapter_"))
            fail(fmt::format("{}: holds an adapter ({}), not a whole model. Give the base model's folder.",
                             dir.string(), name));
    }
    fail(
        fmt::format("{}: no weights: expected model.safetensors or shards with model.safetensors.index.json. "
                    "Incomplete download?",
                    dir.string()));
}

} // namespace

std::vector<fs::path> findWeightFiles(const fs::path& model_dir)
{
    try {
        if (const fs::path single = model_dir / "model.safetensors"; fs::exists(single)) return {single};
        if (const fs::path index = model_dir / "model.safetensors.index.json"; fs::exists(index))
            return indexedShards(index);
        std::vector<fs::path> files = allSafetensors(model_dir);
        if (files.empty()) failWithoutWeights(model_dir);
        checkNumbering(model_dir, files);
        if (files.size() > 1 && !shardName(files.front().filename().string()))
            fail(fmt::format(
                "{}: {} safetensors files and no index; it cannot be told which belong together: {}",
                model_dir.string(), files.size(), files.front().filename().string()));
        return files;
    } catch (const fs::filesystem_error& error) {
        fail(fmt::format("{}: cannot be read ({})", model_dir.string(), error.code().message()));
    }
}

} // namespace batchscope::engine
