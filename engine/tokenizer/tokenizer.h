// SPDX-License-Identifier: GPL-3.0-or-later
// A tokenizer as the programs see it, and the door to the plug-in that holds sentencepiece (platform.md, trap
// 1).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace batchscope::engine {

using TokenId = std::int32_t;

// Immutable after loading: every method may be called from any thread.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    // Ids of plain text: no BOS, no EOS added, and text such as "</s>" stays text.
    virtual std::vector<TokenId> encode(std::string_view text) const = 0;
    // Text of ids; control ids (BOS, EOS) give nothing, byte pieces are joined to UTF-8.
    virtual std::string decode(std::span<const TokenId> ids) const = 0;
    virtual std::string piece(TokenId id) const = 0;
    virtual int vocabularySize() const = 0;
    virtual TokenId bos() const = 0;
    virtual TokenId eos() const = 0;
};

// Ids of text in which "<s>" and "</s>" mean the control ids (Vicuna's multi-turn prompts), BOS in front if
// asked. A piece after a control id is encoded as at the start of a text (a leading space piece is added: the
// "legacy" behaviour of LLaMA tokenizers, with which Vicuna was trained).
std::vector<TokenId> encodePrompt(const Tokenizer& tokenizer, std::string_view text, bool add_bos);

struct TokenizerTraining
{
    int vocabulary_size = 1024;
    int threads = 2;
    std::filesystem::path model_file; // written: a sentencepiece model (BPE, byte fallback, split digits)
};

class TokenizerPlugin
{
public:
    virtual ~TokenizerPlugin() = default;
    // Throws EngineError(InvalidFile) naming the file where it is absent or no sentencepiece model.
    virtual std::unique_ptr<Tokenizer> load(const std::filesystem::path& model_file) const = 0;
    // Trains on the sentences that `next` gives until it returns nullopt.
    virtual void train(const TokenizerTraining& training,
                       const std::function<std::optional<std::string>()>& next) const = 0;
};

// Opens the plug-in on first use (dlopen, RTLD_NOW | RTLD_LOCAL); it stays open until the process ends.
// Throws EngineError(Model) naming the file and the remedy where it is absent or was built apart.
TokenizerPlugin& tokenizerPlugin();

} // namespace batchscope::engine
