// SPDX-License-Identifier: GPL-3.0-or-later
// The tokenizer plug-in: nothing of sentencepiece (types, statuses, exceptions, log lines) leaves this file.
#include "engine/checkpoint/atomic_file.h"
#include "engine/checkpoint/file_kind.h"
#include "engine/error.h"
#include "engine/model/plugin_loader.h"
#include "engine/tokenizer/tokenizer.h"

#include <exception>
#include <fmt/core.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>

namespace batchscope::engine {
namespace {

namespace spm = sentencepiece;

// Runs `work`; whatever it throws that is not ours leaves as EngineError naming `what`.
template <class Work>
auto guarded(const std::string& what, const Work& work)
{
    try {
        return work();
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", what, error.what()));
    } catch (...) {
        throw EngineError(ErrorKind::InvalidFile,
                          fmt::format("{}: sentencepiece failed without a reason", what));
    }
}

class SentencepieceTokenizer final : public Tokenizer
{
public:
    SentencepieceTokenizer(std::unique_ptr<spm::SentencePieceProcessor> processor, std::string file)
        : m_processor(std::move(processor)), m_file(std::move(file))
    {}

    std::vector<TokenId> encode(std::string_view text) const override
    {
        return guarded(m_file, [&] {
            std::vector<TokenId> ids;
            check(m_processor->Encode({text.data(), text.size()}, &ids));
            return ids;
        });
    }

    std::string decode(std::span<const TokenId> ids) const override
    {
        return guarded(m_file, [&] {
            for (const TokenId id : ids)
                checkRange(id);
            std::string text;
            check(m_processor->Decode(std::vector<int>(ids.begin(), ids.end()), &text));
            return text;
        });
    }

    std::string piece(TokenId id) const override
    {
        return guarded(m_file, [&] {
            checkRange(id);
            return m_processor->IdToPiece(id);
        });
    }

    int vocabularySize() const override { return m_processor->GetPieceSize(); }
    TokenId bos() const override { return m_processor->bos_id(); }
    TokenId eos() const override { return m_processor->eos_id(); }

private:
    void check(const spm::util::Status& status) const
    {
        if (!status.ok())
            throw EngineError(ErrorKind::InvalidFile, fmt::format("{}: {}", m_file, status.ToString()));
    }

    void checkRange(TokenId id) const
    {
        if (id < 0 || id >= vocabularySize())
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("{}: there is no token {}; its ids go from 0 to {}. Is it another model's "
                            "tokenizer?",
                            m_file, id, vocabularySize() - 1));
    }

    std::unique_ptr<spm::SentencePieceProcessor> m_processor;
    std::string m_file;
};

// Hands the caller's sentences to the trainer. An exception of `next` ends the iteration and is kept, so that
// it does not cross frames of sentencepiece.
class Sentences final : public spm::SentenceIterator
{
public:
    explicit Sentences(const std::function<std::optional<std::string>()>& next) : m_next(next) { Next(); }

    bool done() const override { return !m_current; }
    void Next() override
    {
        try {
            m_current = m_next();
        } catch (...) {
            m_failure = std::current_exception();
            m_current.reset();
        }
        if (m_current) ++m_count;
    }
    const std::string& value() const override { return *m_current; }
    spm::util::Status status() const override { return {}; }
    std::exception_ptr failure() const { return m_failure; }
    std::int64_t count() const { return m_count; }

private:
    const std::function<std::optional<std::string>()>& m_next;
    std::optional<std::string> m_current;
    std::exception_ptr m_failure;
    std::int64_t m_count = 0;
};

// LLaMA's conventions: BPE, byte fallback, each digit alone, text left as it is, runs of spaces kept.
std::unordered_map<std::string, std::string> trainerOptions(const TokenizerTraining& training)
{
    return {{"model_type", "bpe"},
            {"vocab_size", std::to_string(training.vocabulary_size)},
            {"byte_fallback", "true"},
            {"split_digits", "true"},
            {"allow_whitespace_only_pieces", "true"},
            {"normalization_rule_name", "identity"},
            {"remove_extra_whitespaces", "false"},
            {"add_dummy_prefix", "true"},
            {"character_coverage", "1.0"},
            {"max_sentence_length", "1048576"}, // longer ones would be left out silently
            {"unk_id", "0"},
            {"bos_id", "1"},
            {"eos_id", "2"},
            {"pad_id", "-1"},
            {"num_threads", std::to_string(std::max(training.threads, 1))},
            {"minloglevel", "2"}};
}

// A status says "Internal: ./src/file.cc(660) [condition] Reason.": the reason alone is for people.
std::string reason(const spm::util::Status& status)
{
    const std::string text = status.ToString();
    const auto end = text.rfind("] ");
    const std::string rest = end == std::string::npos ? text : text.substr(end + 2);
    return rest.find_first_not_of(". ") == std::string::npos ? text : rest;
}

class SentencepiecePlugin final : public TokenizerPlugin
{
public:
    std::unique_ptr<Tokenizer> load(const std::filesystem::path& model_file) const override
    {
        const std::string name = model_file.string();
        return guarded(name, [&]() -> std::unique_ptr<Tokenizer> {
            const std::string bytes = readWholeFile(model_file);
            auto processor = std::make_unique<spm::SentencePieceProcessor>();
            const auto status = processor->LoadFromSerializedProto({bytes.data(), bytes.size()});
            if (!status.ok() || processor->GetPieceSize() <= 0)
                throw EngineError(ErrorKind::InvalidFile,
                                  fmt::format("{}: no sentencepiece model; the file seems to be {}. Download "
                                              "tokenizer.model again from where the model comes from.",
                                              name, describeFile(model_file)));
            if (processor->bos_id() < 0 || processor->eos_id() < 0)
                throw EngineError(
                    ErrorKind::InvalidFile,
                    fmt::format("{}: has no <s> or no </s> piece (ids {} and {}); the tokenizer of a "
                                "LLaMA-family model has both.",
                                name, processor->bos_id(), processor->eos_id()));
            return std::make_unique<SentencepieceTokenizer>(std::move(processor), name);
        });
    }

    void train(const TokenizerTraining& training,
               const std::function<std::optional<std::string>()>& next) const override
    {
        // 256 byte pieces, <unk>, <s>, </s> and at least the space: below, sentencepiece cannot begin.
        if (training.vocabulary_size < 260)
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("A tokenizer with byte fallback needs a vocabulary of at least 260 pieces, "
                            "{} were asked for.",
                            training.vocabulary_size));
        const std::string model = guarded("Training a tokenizer", [&] { return trained(training, next); });
        writeWholeFile(training.model_file, model);
    }

private:
    static std::string trained(const TokenizerTraining& training,
                               const std::function<std::optional<std::string>()>& next)
    {
        Sentences sentences(next);
        std::string model;
        spm::util::Status status;
        if (!sentences.done())
            status = spm::SentencePieceTrainer::Train(trainerOptions(training), &sentences, &model);
        if (sentences.failure()) std::rethrow_exception(sentences.failure());
        if (sentences.count() == 0)
            throw EngineError(ErrorKind::InvalidFile,
                              "Training a tokenizer: there is no sentence to train on.");
        if (!status.ok() || model.empty())
            throw EngineError(
                ErrorKind::InvalidFile,
                fmt::format("Training a tokenizer of {} pieces on {} sentences failed: {} Give more "
                            "text or ask for another vocabulary size.",
                            training.vocabulary_size, sentences.count(), reason(status)));
        return model;
    }
};

} // namespace
} // namespace batchscope::engine

extern "C" const batchscope::engine::PluginRecord* batchscope_plugin_entry()
{
    using namespace batchscope::engine;
    static SentencepiecePlugin plugin;
    // The loader casts `root` back to the interface, so the interface's address must be stored.
    static const PluginRecord record{k_plugin_abi, BATCHSCOPE_BUILD_ID, "tokenizer",
                                     static_cast<TokenizerPlugin*>(&plugin)};
    return &record;
}
