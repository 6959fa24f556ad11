// SPDX-License-Identifier: GPL-3.0-or-later
// The session file ("batchscope.session/1", cli.md) as values. Unknown keys are kept and warned about.
#pragma once

#include "scheduler/metrics/measured_part.h"
#include "scheduler/parts/roofline_knobs.h"
#include "scheduler/registry.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"
#include "scheduler/workload/arrivals.h"
#include "scheduler/workload/distributions.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace batchscope::sessions {

struct BackendSpec
{
    enum class Type { Torch, Simulated } type = Type::Torch;
    std::string model; // torch: folder, "demo" = the model in the box
    std::string dtype = "f32";
    std::string device = "cpu";
    int threads = 0;                              // 0: all
    std::string preset = "vicuna-7b-a100";        // simulated: preset name or file
    std::optional<RooflineFigures> roofline = {}; // simulated: stands in the place of the preset
    struct PredictorCost                          // seconds; where a strategy's own figures say nothing
    {
        double per_call_s = 0, per_request_s = 0;
        bool operator==(const PredictorCost&) const = default;
    };
    std::optional<PredictorCost> predictor_cost = {}; // simulated; absent: the cost model's
    bool operator==(const BackendSpec&) const = default;
};

struct SourceSpec
{
    std::string type = "demo";        // demo, file, dataset, trace, synthetic
    std::string path = {};            // as written in the file; resolvePath() makes it absolute
    std::string format = {};          // dataset, trace; empty: recognised
    double speed = 1;                 // trace: 2 is twice as fast
    std::string time_unit = {};       // "s", "ms", "us", "ns"; empty: proposed from column and magnitude
    std::string turns = "first";      // dataset: "first" question alone, or "all" of a conversation
    std::string zero_tokens = "skip"; // rows that say 0 tokens: "skip" them, or "clip" to 1
    std::optional<Distribution> prompt_tokens = {}, output_tokens = {}; // synthetic
    std::optional<Distribution> clients = {}, priorities = {}; // synthetic: numbers drawn for each request
    bool operator==(const SourceSpec&) const = default;
};

using ArrivalsSpec = ArrivalSpec; // its speed is the source's

struct LengthsSpec
{
    std::optional<LengthMode>
        mode; // absent: replayed where the source has output lengths and the run is simulated, ...
    std::optional<int> tokens;                      // fixed
    std::optional<Distribution> output_tokens = {}; // drawn
    bool operator==(const LengthsSpec&) const = default;
};

struct WorkloadSpec
{
    SourceSpec source;
    std::optional<int> requests; // default: all
    std::uint64_t seed = 42;
    ArrivalsSpec arrivals;
    LengthsSpec lengths;
    Sampling sampling; // "sampling": {"temperature", "top_p"}; its seed is the workload's
    bool operator==(const WorkloadSpec&) const = default;
};

// "measure": the part of each run that has figures of its own beside the whole.
struct MeasureSpec
{
    std::optional<double> warm_up_s = {};
    std::optional<std::int64_t> warm_up_requests = {};
    std::optional<double> from_s = {}, to_s = {}; // "window_s": [from, to], either null
    bool operator==(const MeasureSpec&) const = default;
    MeasuredPart part() const;
};
nlohmann::json measureToJson(const MeasureSpec& measure); // null where nothing is asked for

struct SessionDocument
{
    std::string name = "Untitled";
    std::string notes;
    int repetitions = 1;
    // Whether repetition k draws its workload with the seed + k. Absent: a simulated run does, for repeated
    // exactly it would say the same each time, and a measured one does not: it measures the same work again.
    std::optional<bool> vary_seed;
    MeasureSpec measure;
    BackendSpec backend;
    WorkloadSpec workload;
    std::vector<Strategy> strategies;
    std::filesystem::path file;        // where it was read from; empty: never saved
    nlohmann::json raw;                // the whole document as read: unknown keys survive a save
    std::vector<std::string> kept;     // JSON pointers into raw of the keys that the values above do not hold
    std::vector<std::string> warnings; // unknown keys, with their JSON paths

    bool variesSeed() const { return vary_seed.value_or(backend.type == BackendSpec::Type::Simulated); }
    std::filesystem::path resolvePath(const std::string& path) const; // relative to the file
};

// Throw DocumentError naming file, JSON path, value found and expected. The registry tells which parameters
// exist.
SessionDocument readSession(const std::filesystem::path& file, const Registry& registry);
SessionDocument parseSession(const nlohmann::json& json, const Registry& registry,
                             const std::filesystem::path& file);
nlohmann::json sessionToJson(const SessionDocument& document);
void writeSession(const SessionDocument& document, const std::filesystem::path& file); // temporary + rename

// What a simulated session's cost model is called: its preset's name, or "roofline: " and its figures.
std::string costModelName(const BackendSpec& backend);
// The backend alone, as in the file.
nlohmann::json backendToJson(const BackendSpec& backend);

// The four parts of a strategy, by kind.
PartSpec& partOf(Strategy& strategy, PartKind kind);
const PartSpec& partOf(const Strategy& strategy, PartKind kind);
inline constexpr PartKind k_part_kinds[] = {PartKind::Predictor, PartKind::Ordering, PartKind::Batching,
                                            PartKind::Correction};

nlohmann::json strategyToJson(const Strategy& strategy);
Strategy strategyFromJson(const nlohmann::json& json, const std::string& json_path, const Registry& registry,
                          std::vector<std::string>* warnings);

// Why this version cannot run the document, one sentence each with JSON path and remedy; empty: nothing
// stands against it. Strategies are checkStrategy()'s business.
std::vector<std::string> whyNotRunnable(const SessionDocument& document, const Registry& registry);

// The strategy with every parameter of its parts written out, so that a stored run says what it was.
Strategy completeStrategy(const Strategy& strategy, const Registry& registry);

// "--set workload.seed=7" sets the document, "--set batching.rows=8" every strategy. The value is JSON or
// else text. Throws DocumentError naming the key and the nearest ones that exist.
void setValue(SessionDocument& document, const std::string& assignment, const Registry& registry);

} // namespace batchscope::sessions
