// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizer/model_tokenizer.h"

#include "engine/error.h"

#include <fmt/core.h>

namespace batchscope::engine {
namespace {

// Embeddings are often padded to a round number of rows; a wider gap is another model's tokenizer.
constexpr int k_most_padding = 256;

} // namespace

std::unique_ptr<Tokenizer> openModelTokenizer(const std::filesystem::path& model_dir,
                                              const ModelConfig& config)
{
    const auto file = model_dir / "tokenizer.model";
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        const bool other = std::filesystem::exists(model_dir / "tokenizer.json", error);
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{}: the tokenizer is absent. {}Put the sentencepiece file tokenizer.model that "
                        "belongs to the model there.",
                        file.string(), other ? "The folder's tokenizer.json is not supported yet. " : ""));
    }
    auto tokenizer = tokenizerPlugin().load(file);
    const int missing = config.vocabulary - tokenizer->vocabularySize();
    if (missing < 0 || missing > k_most_padding)
        throw EngineError(
            ErrorKind::InvalidFile,
            fmt::format("{}: has {} pieces, but the model knows {} tokens (vocab_size in config.json): "
                        "it is another model's tokenizer. Put the one that belongs to the model there.",
                        file.string(), tokenizer->vocabularySize(), config.vocabulary));
    return tokenizer;
}

} // namespace batchscope::engine
