// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"
#include "app/experiment/source_rows.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/tokenizer.h"
#include "scheduler/random.h"
#include "scheduler/workload/arrivals.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace batchscope::app {
namespace {

using sessions::DocumentError;
using sessions::SessionDocument;

// Streams of the workload's seed; the arrivals have one of their own (scheduler/workload/arrivals.cpp).
constexpr std::uint64_t k_choice_stream = 2;
constexpr std::uint64_t k_prompt_ids_stream = 3;

// Without a tokenizer a text's tokens are estimated as one for every four bytes, the usual rule of thumb for
// English.
constexpr std::size_t k_bytes_per_token = 4;

int estimatedTokens(const std::string& text)
{
    return static_cast<int>((text.size() + k_bytes_per_token - 1) / k_bytes_per_token);
}

// `count` different numbers out of 0...size-1, in drawn order: the beginning of a Fisher-Yates shuffle.
std::vector<std::size_t> drawWithoutRepeat(std::size_t size, std::size_t count, std::uint64_t seed)
{
    std::vector<std::size_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    Random random(seed, k_choice_stream);
    for (std::size_t i = 0; i < count; ++i)
        std::swap(numbers[i], numbers[i + random.below(static_cast<std::uint32_t>(size - i))]);
    numbers.resize(count);
    return numbers;
}

// The rows asked for. All: in file order. Fewer: a draw by the seed, which a request file keeps in file
// order.
std::vector<SourceRow> chooseRows(SourceRows source, const sessions::WorkloadSpec& spec)
{
    const std::size_t there = source.rows.size();
    if (there == 0)
        throw DocumentError(fmt::format(
            "workload: {} holds no usable request ({} {} skipped{}{}); a run needs at "
            "least one",
            source.label, source.skipped.size(), source.skipped.size() == 1 ? "row" : "rows",
            source.skipped.empty() ? "" : ", first: ", source.skipped.empty() ? "" : source.skipped.front()));
    if (!spec.requests) return std::move(source.rows);
    const auto asked = static_cast<std::size_t>(std::max(0, *spec.requests));
    if (asked == 0)
        throw DocumentError("workload.requests is 0, expected at least 1; leave it out to take all");
    if (asked > there)
        throw DocumentError(
            fmt::format("workload.requests is {}, but {} holds {}; ask for at most {} or leave it out "
                        "to take all",
                        asked, source.label, there, there));
    if (asked == there) return std::move(source.rows);
    auto chosen = drawWithoutRepeat(there, asked, spec.seed);
    if (source.keeps_order) std::sort(chosen.begin(), chosen.end());
    std::vector<SourceRow> rows;
    rows.reserve(asked);
    for (const std::size_t row : chosen)
        rows.push_back(std::move(source.rows[row]));
    return rows;
}

// Sets what the model reads of each request: ids as they are, templated text, or a bare count.
class PromptFiller
{
public:
    PromptFiller(const engine::Tokenizer* tokenizer, engine::ChatTemplate chat_template, std::uint64_t seed)
        : m_tokenizer(tokenizer), m_template(std::move(chat_template)), m_random(seed, k_prompt_ids_stream)
    {}

    void fill(Request& request, const SourceRow& row)
    {
        if (!row.prompt_ids.empty()) {
            checkIds(row);
            request.prompt_ids = row.prompt_ids;
        } else if (!row.prompt.empty() && m_tokenizer) {
            request.prompt_ids = engine::encodePrompt(*m_tokenizer, m_template.render(row.prompt), true);
        } else if (!row.prompt.empty()) {
            request.prompt_tokens =
                row.prompt_tokens.value_or(estimatedTokens(m_template.render(row.prompt)));
            m_estimated += row.prompt_tokens ? 0 : 1;
            return;
        } else {
            request.prompt_tokens = row.prompt_tokens.value_or(0);
            if (!m_tokenizer) return;
            request.prompt_ids = randomIds(request.prompt_tokens);
        }
        request.prompt_tokens = static_cast<int>(request.prompt_ids.size());
    }

    std::size_t estimated() const { return m_estimated; }

private:
    void checkIds(const SourceRow& row) const
    {
        if (!m_tokenizer) return;
        for (const TokenId id : row.prompt_ids)
            if (id < 0 || id >= m_tokenizer->vocabularySize())
                throw DocumentError(
                    fmt::format("request {}: prompt_token_ids holds {}, but the model's ids are 0 to "
                                "{}; the ids belong to another tokenizer",
                                row.id, id, m_tokenizer->vocabularySize() - 1));
    }

    // BOS, then ids of the vocabulary's upper part: control and byte pieces come first in it.
    std::vector<TokenId> randomIds(int count)
    {
        std::vector<TokenId> ids;
        const int vocabulary = m_tokenizer->vocabularySize();
        const int first = std::min(259, vocabulary / 2); // 3 control pieces and 256 bytes
        if (count > 0) ids.push_back(m_tokenizer->bos());
        while (static_cast<int>(ids.size()) < count)
            ids.push_back(
                first + static_cast<TokenId>(m_random.below(static_cast<std::uint32_t>(vocabulary - first))));
        return ids;
    }

    const engine::Tokenizer* m_tokenizer;
    engine::ChatTemplate m_template;
    Random m_random;
    std::size_t m_estimated = 0;
};

LengthMode chosenMode(const SessionDocument& document, const std::vector<SourceRow>& rows)
{
    if (document.workload.lengths.mode) return *document.workload.lengths.mode;
    const bool recorded = std::all_of(rows.begin(), rows.end(),
                                      [](const SourceRow& row) { return row.output_tokens.has_value(); });
    return recorded ? LengthMode::Replayed : LengthMode::Free;
}

// Output lengths that every strategy is given. A data set's answer counts as recorded where it is asked to be
// replayed.
void setLengths(Workload& workload, const std::vector<SourceRow>& rows, const SessionDocument& document,
                const engine::Tokenizer* tokenizer)
{
    const bool simulated = document.backend.type == sessions::BackendSpec::Type::Simulated;
    workload.lengths = chosenMode(document, rows);
    if (workload.lengths == LengthMode::Free && simulated)
        throw DocumentError(
            "workload.lengths: a simulated run has no model that could decide where an answer ends; "
            "choose {\"mode\": \"fixed\", \"tokens\": 128}, or \"replayed\" with output_tokens in the "
            "request file, or the torch backend");
    if (workload.lengths == LengthMode::Drawn)
        throw DocumentError(
            "workload.lengths.mode is \"drawn\", which this version cannot run; choose \"replayed\", "
            "\"fixed\" or \"free\"");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Request& request = workload.requests[i];
        if (workload.lengths == LengthMode::Fixed) {
            if (!document.workload.lengths.tokens || *document.workload.lengths.tokens < 1)
                throw DocumentError(
                    "workload.lengths: mode \"fixed\" needs tokens, a whole number of at least 1");
            request.output_tokens = document.workload.lengths.tokens;
            continue;
        }
        request.output_tokens = rows[i].output_tokens;
        if (workload.lengths != LengthMode::Replayed || request.output_tokens) continue;
        if (rows[i].answer.empty())
            throw DocumentError(
                fmt::format("workload.lengths: request {} (\"{}\") of {} has no output_tokens to "
                            "replay; add them, or choose the mode \"fixed\" or \"free\"",
                            i, rows[i].id, workload.source));
        request.output_tokens = tokenizer ? static_cast<int>(tokenizer->encode(rows[i].answer).size())
                                          : estimatedTokens(rows[i].answer);
    }
}

} // namespace

BuiltWorkload buildWorkload(const SessionDocument& document, const Registry&,
                            const engine::Tokenizer* tokenizer, const std::string& template_name,
                            const std::string& system)
{
    const sessions::WorkloadSpec& spec = document.workload;
    SourceRows source = readSource(document);
    BuiltWorkload built;
    built.skipped = source.skipped;
    Workload& workload = built.workload;
    workload.source = source.label;
    workload.seed = spec.seed;
    workload.sampling = spec.sampling;
    workload.sampling.seed = spec.seed;
    workload.arrivals = describeArrivals(spec.arrivals.process, spec.arrivals.rate);

    const std::vector<SourceRow> rows = chooseRows(std::move(source), spec);
    const auto arrivals = makeArrivals(spec.arrivals.process, spec.arrivals.rate, rows.size(), spec.seed);
    PromptFiller prompts(tokenizer, engine::chatTemplate(template_name, system), spec.seed);
    workload.requests.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Request& request = workload.requests[i];
        request.index = static_cast<RequestIndex>(i);
        request.id = rows[i].id;
        request.prompt = rows[i].prompt;
        request.predicted_tokens = rows[i].predicted_tokens;
        request.priority = rows[i].priority;
        request.client = rows[i].client;
        request.arrival_ns = arrivals[i];
        prompts.fill(request, rows[i]);
        if (request.prompt_tokens < 1)
            throw DocumentError(
                fmt::format("request {} (\"{}\") of {} has an empty prompt; give it at least one token "
                            "or remove it",
                            i, request.id, workload.source));
    }
    setLengths(workload, rows, document, tokenizer);
    if (prompts.estimated() > 0)
        built.notes.push_back(
            fmt::format("{} prompts are texts and a simulated run has no tokenizer: their tokens are "
                        "estimated as one for every {} bytes (prompt_tokens in the file overrides)",
                        prompts.estimated(), k_bytes_per_token));
    return built;
}

} // namespace batchscope::app
