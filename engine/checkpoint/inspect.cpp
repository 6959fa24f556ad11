// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/inspect.h"

#include "engine/checkpoint/model_folder.h"
#include "engine/error.h"
#include "engine/tokenizer/model_tokenizer.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>

namespace batchscope::engine {
namespace {

constexpr std::array<int, 5> k_batch_rows{1, 8, 16, 32, 64};

void inspectTokenizer(const ModelFolder& folder, ModelReport& report)
{
    std::error_code error;
    if (std::filesystem::exists(folder.path() / "tokenizer.model", error))
        report.tokenizer.file = "tokenizer.model";
    try {
        const auto tokenizer = openModelTokenizer(folder.path(), folder.config());
        report.tokenizer.pieces = tokenizer->vocabularySize();
        report.tokenizer.bos = tokenizer->bos();
        report.tokenizer.eos = tokenizer->eos();
        const auto& eos = folder.config().eos;
        if (tokenizer->bos() != folder.config().bos ||
            std::find(eos.begin(), eos.end(), tokenizer->eos()) == eos.end())
            report.warnings.push_back(
                fmt::format("The tokenizer's <s> and </s> are {} and {}, config.json says {} "
                            "and {}: is it the model's own tokenizer?",
                            tokenizer->bos(), tokenizer->eos(), folder.config().bos, eos.front()));
    } catch (const EngineError& failure) {
        report.tokenizer.problem = failure.what();
        report.warnings.push_back(report.tokenizer.problem);
    }
}

void inspectPredictors(const ModelFolder& folder, ModelReport& report)
{
    for (const auto& path : predictorFolders(folder.path())) {
        PredictorFacts facts;
        facts.name = path.filename().string();
        try {
            facts.manifest = readPredictorManifest(path);
            const SafetensorsFile weights(path / "model.safetensors");
            facts.fits = facts.manifest->model_hash == report.hash;
            if (!facts.fits)
                facts.problem = fmt::format("was trained for the model {}, this one is {}; train it again",
                                            facts.manifest->model_hash, report.hash);
        } catch (const EngineError& failure) {
            facts.problem = failure.what();
        }
        if (!facts.problem.empty())
            report.warnings.push_back(fmt::format("Predictor {}: {}.", facts.name, facts.problem));
        report.predictors.push_back(std::move(facts));
    }
}

DTypeMemory memoryFor(const ModelFolder& folder, DType dtype)
{
    DTypeMemory memory;
    memory.dtype = dtype;
    memory.weight_bytes = folder.parameters() * dtypeBytes(dtype);
    memory.kv_bytes_per_token = folder.config().kvBytesPerToken(dtype);
    for (const int rows : k_batch_rows) {
        const std::int64_t kv = memory.kv_bytes_per_token * folder.config().max_positions * rows;
        memory.batches.push_back({rows, kv, memory.weight_bytes + kv});
    }
    return memory;
}

// Vicuna v0 and the deltas were tuned with another format ("### Human:"), which gives poor answers here.
void warnOfOldVicuna(const ModelFolder& folder, ModelReport& report)
{
    const std::string name = std::filesystem::absolute(folder.path()).lexically_normal().string();
    if (name.find("-v0") != std::string::npos || name.find("delta") != std::string::npos)
        report.warnings.push_back(
            "The folder's name tells of version 0 or of a delta: Vicuna v0 expects another "
            "template than v1.1, and a delta is no whole model.");
}

// "12.2 MB": sizes in decimal units, as disks and downloads count.
std::string shortBytes(std::int64_t bytes)
{
    static constexpr std::array<const char*, 6> k_units{"bytes", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < k_units.size(); ++unit)
        value /= 1000;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, k_units[unit]);
}

std::string shapeLines(const ModelReport& report)
{
    const ModelConfig& config = report.config;
    std::string text = fmt::format("Model       {}\n", report.path.string());
    text += fmt::format(
        "  shape     {} layers, hidden {}, {} heads of {} ({} key/value), inner {}, vocabulary {}\n",
        config.layers, config.hidden, config.heads, config.head_dim, config.kv_heads, config.intermediate,
        config.vocabulary);
    text += fmt::format("  context   {} tokens (prompt and answer), rotary base {:g}, {} embeddings\n",
                        config.max_positions, config.rope_theta, config.tied_embeddings ? "tied" : "untied");
    text += fmt::format("  weights   {} parameters, {}, {}\n", report.parameters,
                        dtypeName(config.stored_dtype), shortBytes(report.weight_bytes));
    for (const auto& file : report.files)
        text += fmt::format("            {}: {} tensors, {}\n", file.name, file.tensors,
                            shortBytes(static_cast<std::int64_t>(file.bytes)));
    return text + fmt::format("  hash      {}\n", report.hash);
}

std::string textLines(const ModelReport& report)
{
    const TokenizerFacts& tokenizer = report.tokenizer;
    std::string text = "Tokenizer   ";
    if (tokenizer.pieces)
        text += fmt::format("{}: {} pieces, <s> = {}, </s> = {}\n", tokenizer.file, *tokenizer.pieces,
                            tokenizer.bos, tokenizer.eos);
    else
        text += tokenizer.file.empty() ? "absent\n" : tokenizer.file + ": cannot be opened\n";
    text += fmt::format("Template    {}{}\n", report.config.template_name,
                        report.template_stated ? "" : " (assumed: the folder has no template.json)");
    if (!report.config.system.empty()) text += fmt::format("  system    {}\n", report.config.system);
    return text;
}

std::string predictorLines(const ModelReport& report)
{
    if (report.predictors.empty()) return "Predictors  none (a folder predictors/NAME with predictor.json)\n";
    std::string text = "Predictors\n";
    for (const PredictorFacts& predictor : report.predictors) {
        text += "  " + predictor.name + ": ";
        if (predictor.manifest) {
            const PredictorScores& scores = predictor.manifest->scores;
            text += fmt::format(
                "{}, pooling {}, MAE {:.1f} tokens (constant {:.1f}), tau-b {:.2f}, within 50 / 100 "
                "tokens {:.0f} % / {:.0f} %, n = {}",
                predictor.manifest->type, predictor.manifest->pooling, scores.mae, scores.constant_mae,
                scores.kendall_tau_b, 100 * scores.acc50, 100 * scores.acc100, scores.n);
        }
        if (!predictor.problem.empty())
            text += (predictor.manifest ? "; not usable: " : "") + predictor.problem;
        text += "\n";
    }
    return text;
}

std::string memoryLines(const ModelReport& report)
{
    std::string text =
        fmt::format("Memory      weights + keys and values of a batch at the full context\n  {:<6}{:>12}"
                    "{:>14}",
                    "dtype", "weights", "KV a token");
    for (const int rows : k_batch_rows)
        text += fmt::format("{:>12}", fmt::format("{} rows", rows));
    text += "\n";
    for (const DTypeMemory& memory : report.memory) {
        text += fmt::format("  {:<6}{:>12}{:>14}", dtypeName(memory.dtype), shortBytes(memory.weight_bytes),
                            shortBytes(memory.kv_bytes_per_token));
        for (const MemoryNeed& need : memory.batches)
            text += fmt::format("{:>12}", shortBytes(need.total_bytes));
        text += "\n";
    }
    return text;
}

} // namespace

ModelReport inspectModel(const std::filesystem::path& model_dir)
{
    const ModelFolder folder(model_dir);
    ModelReport report;
    report.path = model_dir;
    report.config = folder.config();
    report.hash = folder.hash();
    report.parameters = folder.parameters();
    report.weight_bytes = folder.weightBytes();
    for (const auto& file : folder.files())
        report.files.push_back({file.file().filename().string(), file.fileBytes(), file.tensors().size()});
    std::error_code error;
    report.template_stated = std::filesystem::exists(model_dir / "template.json", error);
    inspectTokenizer(folder, report);
    inspectPredictors(folder, report);
    for (const DType dtype : {DType::F32, DType::BF16})
        report.memory.push_back(memoryFor(folder, dtype));
    warnOfOldVicuna(folder, report);
    return report;
}

std::string inspectText(const ModelReport& report)
{
    std::string text = shapeLines(report) + textLines(report) + predictorLines(report) + memoryLines(report);
    for (const std::string& warning : report.warnings)
        text += "Warning: " + warning + "\n";
    return text;
}

} // namespace batchscope::engine
