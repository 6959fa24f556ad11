// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that exist, with typed parameters. The composer, the session file, the command line and the docs
// are made from it. A value that the app fills: no globals. A new policy = one file + one registry line.
#pragma once

#include "scheduler/predictor.h"
#include "scheduler/request.h"
#include "scheduler/strategy.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace batchscope {

enum class PartKind { Predictor, Ordering, Batching, Correction };
enum class ParamType { Boolean, Integer, Real, Choice, Text, File };

struct ParamDescriptor
{
    std::string name;  // as in the session file, dotted where nested
    std::string title; // for people
    ParamType type = ParamType::Integer;
    ParamValue default_value;
    std::optional<double> minimum;
    std::optional<double> maximum;
    std::string unit; // "tokens", "s", "bytes", ""
    std::string help;
    std::string source; // where the default comes from
    std::vector<std::string> choices;
    bool nullable = false;
};

struct PartDescriptor
{
    PartKind kind = PartKind::Ordering;
    std::string type;  // "sjf"
    std::string title; // "Shortest job first"
    std::string help;
    std::vector<ParamDescriptor> params;
    PredictionKind produces = PredictionKind::None; // predictors
    bool model_bound = false;                       // predictors that need the loaded model
    bool by_length = false;                         // orderings whose key is a predicted length
};

// What a predictor's factory may use. The app fills it; model-bound factories capture what else they need.
struct PredictorContext
{
    const Workload* workload = nullptr;
    const Strategy* strategy = nullptr;
    bool simulated = false;
};
using PredictorFactory = std::function<std::unique_ptr<LengthPredictor>(const PredictorContext&)>;

class Ordering;     // scheduler/ordering/ordering.h
class BatchingMode; // scheduler/batching/batching_mode.h
class Registry;
using OrderingFactory = std::function<std::unique_ptr<Ordering>(const PartSpec&, const PartDescriptor&)>;
using BatchingFactory = std::function<std::unique_ptr<BatchingMode>(const Strategy&, const Registry&)>;

class Registry
{
public:
    // Every part of this room: fcfs, sjf; none, static, grouped; none, fcr; none, constant, oracle,
    // noisy-oracle, recorded.
    static Registry withBuiltinParts();

    // A part that is already there (same kind and type) is replaced.
    void add(PartDescriptor descriptor);
    void addPredictor(PartDescriptor descriptor, PredictorFactory factory);
    void addOrdering(PartDescriptor descriptor, OrderingFactory factory);
    void addBatching(PartDescriptor descriptor, BatchingFactory factory);
    const PartDescriptor* find(PartKind kind, const std::string& type) const;
    std::vector<const PartDescriptor*> parts(PartKind kind) const;
    // As find, but throws SchedulerError naming the types that exist.
    const PartDescriptor& require(PartKind kind, const std::string& type) const;
    // All throw SchedulerError where the type is unknown or has no factory here, naming the ones that exist.
    // The predictor of `none` is a null pointer. On the simulator a model-bound predictor is stood for by the
    // predictions that the request file brings. `context.workload` must outlive what is made.
    std::unique_ptr<LengthPredictor> makePredictor(const PartSpec& spec,
                                                   const PredictorContext& context) const;
    std::unique_ptr<Ordering> makeOrdering(const PartSpec& spec) const;
    std::unique_ptr<BatchingMode> makeBatching(const Strategy& strategy) const;

private:
    struct Entry
    {
        PartDescriptor descriptor;
        PredictorFactory predictor; // at most one of the three is set
        OrderingFactory ordering;
        BatchingFactory batching;
    };
    void put(Entry entry);
    const Entry& entry(PartKind kind, const std::string& type) const;
    std::vector<std::shared_ptr<const Entry>>
        m_entries; // shared by copies of the registry: never changed once made
};

std::string partKindName(PartKind kind); // "predictor", ...

// Parameters with defaults filled in. Throw SchedulerError naming part, parameter, value found and range
// expected.
std::int64_t integerParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name);
double realParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name);
bool booleanParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name);
std::string textParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name);
bool isNullParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name);

// Why a value cannot stand for a parameter ("rows is 0, expected 1 to 4,096 requests"); empty when it can.
std::string paramFault(const ParamDescriptor& param, const ParamValue& value);

// One line for a chip: "grouped 256 · rows 16 · bins of 50 · VBS by memory".
std::string describePart(const PartSpec& spec, PartKind kind, const Registry& registry);

enum class Severity { Refused, Warned };
struct Problem
{
    Severity severity = Severity::Refused;
    PartKind part = PartKind::Batching;
    std::string message; // what and why, and what to choose instead
    bool operator==(const Problem&) const = default;
};

struct CheckContext
{
    bool simulated = false;
    bool workload_has_predictions = false; // the request file brings predicted_tokens
    bool workload_has_lengths = false;
};

// Unknown parts or parameters, values out of range, and the combinations that scheduling.md refuses or warns
// about.
std::vector<Problem> checkStrategy(const Strategy& strategy, const Registry& registry,
                                   const CheckContext& context);

} // namespace batchscope
