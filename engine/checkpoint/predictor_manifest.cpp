// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoint/predictor_manifest.h"

#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/json_fields.h"
#include "engine/error.h"

#include <algorithm>
#include <limits>

namespace batchscope::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* k_schema = "batchscope.predictor/1";
constexpr const char* k_kind = "tokens";  // what a pooled-mlp predicts
constexpr const char* k_label = "single"; // label rule: the one recorded (greedy) length of each prompt
constexpr double k_largest = std::numeric_limits<double>::infinity();
constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();

std::vector<int> readWidths(const JsonFields& fields)
{
    const json& list = fields.at("hidden");
    if (!list.is_array()) fields.refuse("hidden", "an array of layer widths");
    std::vector<int> widths;
    for (const json& entry : list) {
        const auto width = wholeNumber(entry);
        if (!width || *width < 1 || *width > 65536) fields.refuse("hidden", "layer widths from 1 to 65536");
        widths.push_back(static_cast<int>(*width));
    }
    return widths;
}

PredictorScores readScores(const json& value, const std::string& where)
{
    const JsonFields fields(value, where);
    PredictorScores scores;
    scores.mae = fields.real("mae", 0, k_largest);
    scores.constant_mae = fields.real("constant_mae", 0, k_largest);
    scores.kendall_tau_b = fields.real("kendall_tau_b", -1, 1);
    scores.acc50 = fields.real("acc50", 0, 1);
    scores.acc100 = fields.real("acc100", 0, 1);
    scores.n = fields.integer("n", 0, k_most);
    return scores;
}

} // namespace

PredictorManifest readPredictorManifest(const fs::path& folder)
{
    const std::string where = (folder / "predictor.json").string();
    const json document = parseJson(readWholeFile(where), where);
    const JsonFields fields(document, where);
    if (fields.text("schema") != k_schema) fields.refuse("schema", std::string("\"") + k_schema + "\"");
    PredictorManifest manifest;
    manifest.type = fields.text("type");
    if (manifest.type != "pooled-mlp") fields.refuse("type", "\"pooled-mlp\"");
    if (fields.has("kind") && fields.text("kind") != k_kind)
        fields.refuse("kind", std::string("\"") + k_kind + "\"");
    if (fields.has("label") && fields.text("label") != k_label)
        fields.refuse("label", std::string("\"") + k_label + "\"");
    manifest.model_hash = fields.text("model_hash");
    manifest.pooling = fields.text("pooling");
    if (manifest.pooling != "last" && manifest.pooling != "mean" && manifest.pooling != "max")
        fields.refuse("pooling", "\"last\", \"mean\" or \"max\"");
    manifest.input = static_cast<int>(fields.integer("input", 1, 1 << 20));
    manifest.hidden = readWidths(fields);
    manifest.target_mean = fields.real("target_mean", -1e6, 1e6);
    manifest.target_sd = fields.real("target_sd", 1e-9, 1e6);
    manifest.cap = static_cast<int>(fields.integer("cap", 1, 1 << 24));
    manifest.trained_on = fields.integer("trained_on", 0, k_most);
    manifest.seed = static_cast<std::uint64_t>(fields.integer("seed", 0, k_most));
    manifest.scores = readScores(fields.at("scores"), where + ": scores");
    return manifest;
}

void writePredictorManifest(const fs::path& folder, const PredictorManifest& manifest)
{
    const PredictorScores& scores = manifest.scores;
    const json document = {{"schema", k_schema},
                           {"type", manifest.type},
                           {"kind", k_kind},
                           {"label", k_label},
                           {"model_hash", manifest.model_hash},
                           {"pooling", manifest.pooling},
                           {"input", manifest.input},
                           {"hidden", manifest.hidden},
                           {"target_mean", manifest.target_mean},
                           {"target_sd", manifest.target_sd},
                           {"cap", manifest.cap},
                           {"trained_on", manifest.trained_on},
                           {"seed", manifest.seed},
                           {"scores",
                            {{"mae", scores.mae},
                             {"constant_mae", scores.constant_mae},
                             {"kendall_tau_b", scores.kendall_tau_b},
                             {"acc50", scores.acc50},
                             {"acc100", scores.acc100},
                             {"n", scores.n}}}};
    writeWholeFile(folder / "predictor.json", document.dump(2) + "\n");
}

std::vector<fs::path> predictorFolders(const fs::path& model_dir)
{
    std::vector<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(model_dir / "predictors", error))
        if (fs::exists(entry.path() / "predictor.json", error)) folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

} // namespace batchscope::engine
