// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/experiment.h"
#include "app/experiment/source_rows.h"
#include "engine/data/trace_time.h"
#include "engine/prompt/chat_template.h"
#include "engine/tokenizer/tokenizer.h"
#include "scheduler/parts/compat.h"
#include "scheduler/random.h"
#include "scheduler/workload/arrivals.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace batchscope::app {
namespace {

using engine::SourceRow;
using sessions::DocumentError;
using sessions::SessionDocument;

// Streams of the workload's seed; the arrivals (scheduler/workload/arrivals.cpp) and what a source draws
// (source_rows.cpp) have theirs.
constexpr std::uint64_t k_prompt_ids_stream = 3;
constexpr std::uint64_t k_lengths_stream = 4;
constexpr std::uint64_t k_think_stream = 9;

constexpr double k_longest_span_s = 9e6; // 104 days: simulated time is kept in int64 picoseconds

// Without a tokenizer a text's tokens are estimated as one for every four bytes, the usual rule of thumb for
// English.
constexpr std::size_t k_bytes_per_token = 4;

int estimatedTokens(const std::string& text)
{
    return static_cast<int>((text.size() + k_bytes_per_token - 1) / k_bytes_per_token);
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
            request.prompt_ids = engine::encodePrompt(*m_tokenizer, text(row), true);
        } else if (!row.prompt.empty()) {
            request.prompt_tokens = row.prompt_tokens.value_or(estimatedTokens(text(row)));
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
    // What was said before in the conversation is read again with each of its questions.
    std::string text(const SourceRow& row) const
    {
        std::vector<engine::Turn> turns = row.earlier;
        turns.push_back({row.prompt, {}});
        return m_template.render(turns);
    }

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

void drawLengths(Workload& workload, const sessions::LengthsSpec& spec)
{
    if (!spec.output_tokens)
        throw DocumentError("workload.lengths: mode \"drawn\" needs output_tokens, a distribution such as "
                            "{\"distribution\": \"uniform\", \"min\": 75, \"max\": 125}");
    const Draws draws(*spec.output_tokens, "workload.lengths.output_tokens");
    Random random(workload.seed, k_lengths_stream);
    for (Request& request : workload.requests)
        request.output_tokens = draws.tokens(random);
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
    if (workload.lengths == LengthMode::Drawn) return drawLengths(workload, document.workload.lengths);
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

// The recorded times of a trace, `speed` times as fast.
void setTraceTimes(Workload& workload, const std::vector<SourceRow>& rows, double speed)
{
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].time_ns)
            throw DocumentError(
                fmt::format("workload.arrivals: process \"trace\" needs a time for every request, but "
                            "request {} (\"{}\") of {} has none; choose another process",
                            i, rows[i].id, workload.source));
        const double seconds = toSeconds(*rows[i].time_ns) / speed;
        if (seconds > k_longest_span_s)
            throw DocumentError(fmt::format("workload.arrivals: request {} (\"{}\") of {} arrives {} after "
                                            "the first, more than the {} days that a "
                                            "run may span; check workload.source.time_unit, raise "
                                            "workload.source.speed or take fewer requests",
                                            i, rows[i].id, workload.source,
                                            engine::hoursMinutesSeconds(*rows[i].time_ns),
                                            static_cast<int>(k_longest_span_s / 86400)));
        workload.requests[i].arrival_ns =
            speed == 1 ? *rows[i].time_ns : static_cast<Nanos>(std::floor(seconds * 1e9 + 0.5));
    }
}

// "trace, 2 times as fast, 11.06/s over 0:29:11": what a trace brings is not in its name.
std::string traceText(const ArrivalSpec& spec, const Workload& workload)
{
    const Nanos span = workload.requests.back().arrival_ns;
    const std::string text = describeArrivals(spec);
    if (span <= 0) return text;
    return fmt::format("{}, {:.4g}/s over {}", text,
                       static_cast<double>(workload.requests.size() - 1) / toSeconds(span),
                       engine::hoursMinutesSeconds(span));
}

// A quirk of published arrivals (scheduler/parts/compat.h) is one of the workload that all strategies are
// given.
bool wantsQuirk(const SessionDocument& document, const char* name, const char* what)
{
    const auto& strategies = document.strategies;
    const auto count = std::count_if(strategies.begin(), strategies.end(), [name](const Strategy& strategy) {
        return repeatsQuirk(strategy, name);
    });
    if (count > 0 && static_cast<std::size_t>(count) < strategies.size())
        throw DocumentError(
            fmt::format("strategies: compat {} {} of the one workload that all strategies share; "
                        "give it to all of them or to none",
                        name, what));
    return count > 0;
}

// First turns arrive by the process; a conversation's later turns follow the answer before them.
void setArrivals(Workload& workload, const std::vector<SourceRow>& rows, const SessionDocument& document)
{
    ArrivalSpec spec = document.workload.arrivals;
    spec.speed = document.workload.source.speed;
    const bool gapped = spec.process == "gamma" || spec.process == "uniform";
    spec.sorted_gaps = gapped && wantsQuirk(document, "J-2", "sorts the gaps");
    spec.whole_seconds = spec.process == "poisson" && wantsQuirk(document, "J-3", "moves the arrivals");
    const auto first_turns = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const SourceRow& row) { return !row.follows_previous; }));
    const auto arrivals = makeArrivals(spec, first_turns, workload.seed);
    std::optional<Draws> think;
    if (spec.think_s) think.emplace(*spec.think_s, "workload.arrivals.think_s");
    Random random(workload.seed, k_think_stream);
    const bool closed = spec.process == "closed-loop";
    if (!closed && first_turns == rows.size()) spec.think_s.reset(); // nobody would think
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Request& request = workload.requests[i];
        if (rows[i].follows_previous)
            request.follows = static_cast<RequestIndex>(i - 1);
        else
            request.arrival_ns = arrivals[next++];
        if (think && (closed || request.follows))
            request.think_ns = static_cast<Nanos>(std::floor(think->real(random) * 1e9 + 0.5));
    }
    if (closed) workload.closed_loop_clients = spec.clients;
    if (spec.process == "trace") setTraceTimes(workload, rows, spec.speed);
    workload.arrivals = spec.process == "trace" ? traceText(spec, workload) : describeArrivals(spec);
}

} // namespace

BuiltWorkload buildWorkload(const SessionDocument& document, const Registry&,
                            const engine::Tokenizer* tokenizer, const std::string& template_name,
                            const std::string& system)
{
    const sessions::WorkloadSpec& spec = document.workload;
    SourceRows source = readSource(document);
    BuiltWorkload built;
    built.skipped = std::move(source.skipped);
    built.notes = std::move(source.notes);
    built.import = std::move(source.import);
    Workload& workload = built.workload;
    workload.source = source.label;
    workload.seed = spec.seed;
    workload.sampling = spec.sampling;
    workload.sampling.seed = spec.seed;

    const std::vector<SourceRow>& rows = source.rows;
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
        request.prefix_group = rows[i].prefix_group;
        prompts.fill(request, rows[i]);
        if (request.prompt_tokens < 1)
            throw DocumentError(
                fmt::format("request {} (\"{}\") of {} has an empty prompt; give it at least one token "
                            "or remove it",
                            i, request.id, workload.source));
    }
    setArrivals(workload, rows, document);
    setLengths(workload, rows, document, tokenizer);
    if (prompts.estimated() > 0)
        built.notes.push_back(
            fmt::format("{} prompts are texts and a simulated run has no tokenizer: their tokens are "
                        "estimated as one for every {} bytes (prompt_tokens in the file overrides)",
                        prompts.estimated(), k_bytes_per_token));
    return built;
}

} // namespace batchscope::app
