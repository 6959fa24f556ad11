// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/source_rows.h"

#include "app/experiment/experiment.h"
#include "engine/data/trace_time.h"
#include "scheduler/random.h"
#include "scheduler/workload/distributions.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

namespace batchscope::app {
namespace {

using engine::SourceRow;
using sessions::DocumentError;
using sessions::SessionDocument;
using sessions::SourceSpec;

// Streams of the workload's seed; the arrivals have one of their own (scheduler/workload/arrivals.cpp).
constexpr std::uint64_t k_choice_stream = 2;
constexpr std::uint64_t k_synthetic_stream = 5;

constexpr std::size_t k_skipped_told = 20; // row by row; the others as a number

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

struct FileSource
{
    std::filesystem::path file;
    engine::ImportOptions options;
    bool needs_answers = false; // a recorded answer's length is to be replayed
    bool is_ours = false;       // the box's own prompts: that they name their task is no news
};

// Reads the file's rows; one whose answer is needed and absent counts as skipped.
template <class Take> // bool(SourceRow&&)
engine::ImportReport readRows(const FileSource& source, const Take& take)
{
    std::int64_t unanswered = 0;
    auto report = engine::importRows(source.file, source.options, [&](SourceRow&& row) {
        if (source.needs_answers && row.answer.empty() && !row.output_tokens) {
            ++unanswered;
            return true;
        }
        return take(std::move(row));
    });
    if (unanswered > 0)
        report.notes.push_back(fmt::format(
            "questions without a recorded answer whose length could be replayed, left out: {}", unanswered));
    report.requests -= unanswered;
    return report;
}

void tell(SourceRows& source, const engine::ImportReport& report, const FileSource& from)
{
    const std::filesystem::path& file = from.file;
    const std::size_t told = std::min(report.skipped_rows.size(), k_skipped_told);
    for (std::size_t i = 0; i < told; ++i)
        source.skipped.push_back("skipped " + report.skipped_rows[i].text());
    if (report.skipped > static_cast<std::int64_t>(told))
        source.skipped.push_back(
            fmt::format("skipped {} more rows of {}; batchscope-cli import {} --describe tells more",
                        report.skipped - static_cast<std::int64_t>(told), file.string(), file.string()));
    if (!report.unknown_columns.empty() && !from.is_ours)
        source.notes.push_back(fmt::format("{}: these names mean nothing here and were not read: {}",
                                           file.string(), fmt::join(report.unknown_columns, ", ")));
    if (report.format != "requests") source.label = report.format + " " + file.filename().string();
    source.notes.insert(source.notes.end(), report.notes.begin(), report.notes.end());
    if (report.clipped > 0)
        source.notes.push_back(
            fmt::format("rows that said 0 tokens, taken as 1 (zero_tokens \"clip\"): {}", report.clipped));
    source.import = report;
}

[[noreturn]] void refuseTooFew(const SourceRows& source, std::size_t asked, std::size_t there)
{
    if (there == 0)
        throw DocumentError(fmt::format(
            "workload: {} holds no usable request ({} {} skipped{}{}); a run needs at least one",
            source.label, source.skipped.size(), source.skipped.size() == 1 ? "row" : "rows",
            source.skipped.empty() ? "" : ", first: ", source.skipped.empty() ? "" : source.skipped.front()));
    throw DocumentError(
        fmt::format("workload.requests is {}, but {} holds {}; ask for at most {} or leave it out to "
                    "take all",
                    asked, source.label, there, there));
}

void takeAll(SourceRows& source, const FileSource& from)
{
    tell(source,
         readRows(from,
                  [&](SourceRow&& row) {
                      source.rows.push_back(std::move(row));
                      return true;
                  }),
         from);
    if (source.rows.empty()) refuseTooFew(source, 0, 0);
}

void takeFirst(SourceRows& source, const FileSource& from, std::size_t asked)
{
    tell(source,
         readRows(from,
                  [&](SourceRow&& row) {
                      source.rows.push_back(std::move(row));
                      return source.rows.size() < asked;
                  }),
         from);
    if (source.rows.size() < asked) refuseTooFew(source, asked, source.rows.size());
    source.notes.push_back(fmt::format("workload.requests takes the first {} requests of the trace", asked));
}

// Which rows a draw takes: conversations are drawn, each comes with its turns, and the last is cut short
// where enough are there. The place of each row in the workload, or -1.
std::vector<std::int64_t> drawnPlaces(const std::vector<std::size_t>& first_rows, std::size_t rows,
                                      std::size_t asked, std::uint64_t seed, bool keeps_order)
{
    const std::size_t conversations = first_rows.size();
    auto chosen = drawWithoutRepeat(conversations, std::min(asked, conversations), seed);
    std::vector<std::int64_t> places(rows, -1);
    std::size_t taken = 0;
    const auto turnsOf = [&](std::size_t conversation) {
        const std::size_t next = conversation + 1 < conversations ? first_rows[conversation + 1] : rows;
        return next - first_rows[conversation];
    };
    std::size_t used = 0, left = asked;
    while (used < chosen.size() && left > 0)
        left -= std::min(left, turnsOf(chosen[used++]));
    chosen.resize(used);
    if (keeps_order) std::sort(chosen.begin(), chosen.end());
    for (const std::size_t conversation : chosen)
        for (std::size_t turn = 0; turn < turnsOf(conversation) && taken < asked; ++turn)
            places[first_rows[conversation] + turn] = static_cast<std::int64_t>(taken++);
    return places;
}

void takeDrawn(SourceRows& source, const FileSource& from, std::size_t asked, std::uint64_t seed,
               bool keeps_order)
{
    std::vector<std::size_t> first_rows; // of conversations
    std::size_t there = 0;
    tell(source,
         readRows(from,
                  [&](SourceRow&& row) {
                      if (!row.follows_previous) first_rows.push_back(there);
                      ++there;
                      return true;
                  }),
         from);
    if (asked > there || there == 0) refuseTooFew(source, asked, there);
    std::vector<std::int64_t> places(there);
    if (asked == there)
        std::iota(places.begin(), places.end(), std::int64_t{0});
    else
        places = drawnPlaces(first_rows, there, asked, seed, keeps_order);
    source.rows.resize(asked);
    std::size_t row_number = 0;
    readRows(from, [&](SourceRow&& row) {
        const std::int64_t place = row_number < places.size() ? places[row_number] : -1;
        ++row_number;
        if (place >= 0) source.rows[static_cast<std::size_t>(place)] = std::move(row);
        return row_number < places.size();
    });
}

// By time, rows of one time in file order; the first at 0.
void sortByTime(SourceRows& source)
{
    auto& rows = source.rows;
    if (!std::all_of(rows.begin(), rows.end(), [](const SourceRow& row) { return row.time_ns.has_value(); }))
        return;
    std::int64_t moved = 0;
    Nanos latest = std::numeric_limits<Nanos>::min();
    for (const SourceRow& row : rows) {
        if (*row.time_ns < latest) ++moved;
        latest = std::max(latest, *row.time_ns);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const SourceRow& a, const SourceRow& b) { return *a.time_ns < *b.time_ns; });
    const Nanos first = rows.empty() ? 0 : *rows.front().time_ns;
    for (SourceRow& row : rows)
        row.time_ns = *row.time_ns - first;
    if (moved > 0)
        source.notes.push_back(
            fmt::format("rows of {} that came earlier in time than a row before them, sorted by "
                        "time: {}",
                        source.label, moved));
}

SourceRows readSynthetic(const SessionDocument& document)
{
    const SourceSpec& spec = document.workload.source;
    if (!document.workload.requests)
        throw DocumentError(
            "workload.requests: a synthetic source has no end; say how many requests to make");
    SourceRows source;
    source.label = "synthetic prompts (" + describeDistribution(*spec.prompt_tokens) + ")";
    if (spec.output_tokens) source.label += ", outputs (" + describeDistribution(*spec.output_tokens) + ")";
    const auto draws = [](const std::optional<Distribution>& of, const char* key) {
        return of ? std::optional<Draws>(std::in_place, *of, std::string("workload.source.") + key)
                  : std::nullopt;
    };
    const auto prompts = draws(spec.prompt_tokens, "prompt_tokens");
    const auto outputs = draws(spec.output_tokens, "output_tokens");
    const auto clients = draws(spec.clients, "clients"), priorities = draws(spec.priorities, "priorities");
    // One stream a quantity: another distribution of the one does not move the others.
    const std::uint64_t seed = document.workload.seed;
    Random prompt(seed, k_synthetic_stream), output(seed, k_synthetic_stream + 1),
        client(seed, k_synthetic_stream + 2), priority(seed, k_synthetic_stream + 3);
    source.rows.resize(static_cast<std::size_t>(*document.workload.requests));
    for (std::size_t i = 0; i < source.rows.size(); ++i) {
        SourceRow& row = source.rows[i];
        row.id = fmt::format("{}", i);
        row.prompt_tokens = prompts->tokens(prompt);
        if (outputs) row.output_tokens = outputs->tokens(output);
        if (clients) row.client = fmt::format("client {}", clients->tokens(client));
        if (priorities) row.priority = static_cast<int>(priorities->real(priority) + 0.5);
    }
    return source;
}

FileSource fileSource(const SessionDocument& document)
{
    const SourceSpec& spec = document.workload.source;
    FileSource from;
    from.file = spec.type == "demo" ? demoModelDir() / "demo_prompts.jsonl" : document.resolvePath(spec.path);
    from.options.format = spec.type == "file" || spec.type == "demo" ? "requests" : spec.format;
    from.options.time_unit = spec.time_unit;
    from.options.clip_zero_tokens = spec.zero_tokens == "clip";
    from.options.all_turns = spec.turns == "all";
    from.is_ours = spec.type == "demo";
    from.needs_answers = spec.type == "dataset" && document.workload.lengths.mode == LengthMode::Replayed;
    return from;
}

std::string labelOf(const SourceSpec& spec, const FileSource& from)
{
    if (spec.type == "demo") return "demo prompts";
    const std::string name = from.file.filename().string();
    return spec.type == "file" ? "file " + name : spec.type + " " + name;
}

} // namespace

SourceRows readSource(const SessionDocument& document)
{
    const sessions::WorkloadSpec& workload = document.workload;
    if (workload.requests && *workload.requests < 1)
        throw DocumentError("workload.requests is 0, expected at least 1; leave it out to take all");
    const SourceSpec& spec = workload.source;
    if (spec.type == "synthetic") return readSynthetic(document);
    const FileSource from = fileSource(document);
    SourceRows source;
    source.label = labelOf(spec, from);
    const auto asked = workload.requests ? static_cast<std::size_t>(*workload.requests) : 0;
    if (!workload.requests)
        takeAll(source, from);
    else if (spec.type == "trace")
        takeFirst(source, from, asked);
    else
        takeDrawn(source, from, asked, workload.seed, spec.type == "file");
    if (spec.type == "trace" || workload.arrivals.process == "trace") sortByTime(source);
    return source;
}

} // namespace batchscope::app
