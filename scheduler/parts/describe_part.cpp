// SPDX-License-Identifier: GPL-3.0-or-later
// A chip's one line.
#include "scheduler/registry.h"

#include <fmt/core.h>

namespace batchscope {
namespace {

std::string brief(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
    if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return "automatic";
}

const ParamValue& valueOf(const PartSpec& spec, const ParamDescriptor& param)
{
    const auto given = spec.params.find(param.name);
    return given == spec.params.end() ? param.default_value : given->second;
}

// How a parameter reads on a chip; empty where its value goes without saying.
std::string phrase(const PartSpec& spec, const ParamDescriptor& param)
{
    const ParamValue& value = valueOf(spec, param);
    const bool is_default = value == param.default_value;
    const std::string shown = brief(value);
    if (param.name == "rows") return "rows " + shown;
    if (param.name == "bin_width") return shown == "1" ? "no bins" : "bins of " + shown;
    if (param.name == "vbs") return shown == "off" ? "" : "VBS by " + shown;
    if (is_default || param.name == "group") return "";
    if (param.name == "delivery") return shown; // "batch-end" says what it is of
    const std::string unit = param.unit.empty() ? "" : " " + param.unit;
    return param.title.empty() ? param.name + " " + shown + unit : param.title + " " + shown + unit;
}

} // namespace

std::string describePart(const PartSpec& spec, PartKind kind, const Registry& registry)
{
    const PartDescriptor* part = registry.find(kind, spec.type);
    std::string line = spec.type;
    if (part == nullptr) return line;
    for (const ParamDescriptor& param : part->params)
        if (param.name == "group") line += " " + brief(valueOf(spec, param));
    for (const ParamDescriptor& param : part->params) {
        const std::string text = phrase(spec, param);
        if (!text.empty()) line += " · " + text;
    }
    return line;
}

} // namespace batchscope
