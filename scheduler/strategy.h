// SPDX-License-Identifier: GPL-3.0-or-later
// A strategy is composed: predictor + ordering + batching mode + correction + limits (scheduling.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace batchscope {

// null, boolean, integer, real or text
using ParamValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// One chosen part: its registered name and the parameters that differ from (or repeat) its defaults. A nested object
// of the session file has dotted names here ("ageing.absolute_s").
struct PartSpec
{
    std::string type;
    std::map<std::string, ParamValue> params;
    bool operator==(const PartSpec&) const = default;
};

struct Limits
{
    int max_new_tokens = 512;
    std::optional<std::int64_t> kv_bytes;
    bool operator==(const Limits&) const = default;
};

struct Slo // seconds; absent bounds always pass
{
    std::optional<double> ttft_s;
    std::optional<double> tpot_s;
    std::optional<double> e2el_s;
    bool operator==(const Slo&) const = default;
};

struct Strategy
{
    std::string name;
    PartSpec predictor{"none", {}};
    PartSpec ordering{"fcfs", {}};
    PartSpec batching{"static", {}};
    PartSpec correction{"none", {}};
    Limits limits;
    std::optional<Slo> slo;
    std::vector<std::string> compat; // names of reference/papers.md, section 5
    bool operator==(const Strategy&) const = default;
};

} // namespace batchscope
