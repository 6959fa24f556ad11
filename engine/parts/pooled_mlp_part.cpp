// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/parts/pooled_mlp_part.h"

#include "engine/checkpoint/predictor_manifest.h"
#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace batchscope::engine {

PartDescriptor pooledMlpPart()
{
    ParamDescriptor folder;
    folder.name = "folder";
    folder.title = "Predictor folder";
    folder.type = ParamType::File;
    folder.default_value = std::monostate{};
    folder.nullable = true;
    folder.help = "Holds predictor.json and model.safetensors. Empty: the one under the model's predictors/.";
    folder.source = "the model folder";

    PartDescriptor part;
    part.kind = PartKind::Predictor;
    part.type = "pooled-mlp";
    part.title = "Pooled hidden state + MLP";
    part.help = "Reads the prompt with the served model and estimates the answer's length from the pooled "
                "hidden state "
                "with a small trained network. The prompt's prefill is kept for generation.";
    part.params = {folder};
    part.produces = PredictionKind::Tokens;
    part.model_bound = true;
    return part;
}

std::filesystem::path pooledMlpFolder(const PartSpec& spec, const std::filesystem::path& base,
                                      const std::filesystem::path& model_dir)
{
    const PartDescriptor part = pooledMlpPart();
    if (!isNullParam(spec, part, "folder")) {
        const std::string named = textParam(spec, part, "folder");
        if (!named.empty()) return base / named; // an absolute path stays as it is
    }
    const auto folders = predictorFolders(model_dir);
    const auto usual = std::find(folders.begin(), folders.end(), model_dir / "predictors" / part.type);
    if (usual != folders.end()) return *usual;
    for (const auto& folder : folders)
        if (readPredictorManifest(folder).type == part.type) return folder;
    throw EngineError(
        ErrorKind::InvalidFile,
        fmt::format("no length predictor of type {} lies under {}; train one with: batchscope-cli train "
                    "--type {} --model {} --lengths FILE, or choose the predictor oracle, constant or none",
                    part.type, (model_dir / "predictors").string(), part.type, model_dir.string()));
}

} // namespace batchscope::engine
