// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a part's parameters: defaults filled in, types and ranges checked.
#include "scheduler/error.h"
#include "scheduler/registry.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace batchscope {
namespace {

std::string shown(const ParamValue& value)
{
    struct Show
    {
        std::string operator()(std::monostate) const { return "null"; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return fmt::format("{}", number); }
        std::string operator()(const std::string& text) const { return fmt::format("\"{}\"", text); }
    };
    return std::visit(Show{}, value);
}

std::string range(const ParamDescriptor& param)
{
    const std::string unit = param.unit.empty() ? "" : " " + param.unit;
    if (param.minimum && param.maximum)
        return fmt::format("{} to {}{}", *param.minimum, *param.maximum, unit);
    if (param.minimum) return fmt::format("at least {}{}", *param.minimum, unit);
    if (param.maximum) return fmt::format("at most {}{}", *param.maximum, unit);
    return "any number" + unit;
}

std::string expected(const ParamDescriptor& param)
{
    const std::string null = param.nullable ? ", or null" : "";
    switch (param.type) {
    case ParamType::Boolean:
        return "true or false" + null;
    case ParamType::Integer:
        return "a whole number, " + range(param) + null;
    case ParamType::Real:
        return "a number, " + range(param) + null;
    case ParamType::Choice:
        return fmt::format("one of {}{}", fmt::join(param.choices, ", "), null);
    case ParamType::Text:
        return "text" + null;
    case ParamType::File:
        return "a path" + null;
    }
    return "another value";
}

bool inRange(const ParamDescriptor& param, double number)
{
    if (!std::isfinite(number)) return false;
    return (!param.minimum || number >= *param.minimum) && (!param.maximum || number <= *param.maximum);
}

std::optional<double> asReal(const ParamValue& value)
{
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
}

bool fits(const ParamDescriptor& param, const ParamValue& value)
{
    if (std::holds_alternative<std::monostate>(value)) return param.nullable;
    const auto* text = std::get_if<std::string>(&value);
    switch (param.type) {
    case ParamType::Boolean:
        return std::holds_alternative<bool>(value);
    case ParamType::Integer:
        return std::holds_alternative<std::int64_t>(value) && inRange(param, *asReal(value));
    case ParamType::Real:
        return asReal(value) && inRange(param, *asReal(value));
    case ParamType::Choice:
        return text != nullptr &&
               std::find(param.choices.begin(), param.choices.end(), *text) != param.choices.end();
    case ParamType::Text:
    case ParamType::File:
        return text != nullptr;
    }
    return false;
}

// The value given, or the default, once it has been checked.
const ParamValue& checked(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    const auto& params = descriptor.params;
    const auto param =
        std::find_if(params.begin(), params.end(), [&name](const auto& each) { return each.name == name; });
    if (param == params.end())
        throw SchedulerError(fmt::format("{} '{}' has no parameter '{}'", partKindName(descriptor.kind),
                                         descriptor.type, name));
    const auto given = spec.params.find(name);
    if (given == spec.params.end()) return param->default_value;
    const std::string fault = paramFault(*param, given->second);
    if (!fault.empty())
        throw SchedulerError(
            fmt::format("{} '{}': {}", partKindName(descriptor.kind), descriptor.type, fault));
    return given->second;
}

[[noreturn]] void throwNull(const PartDescriptor& descriptor, const std::string& name)
{
    throw SchedulerError(fmt::format("{} '{}': {} is null where a value is needed",
                                     partKindName(descriptor.kind), descriptor.type, name));
}

} // namespace

std::string paramFault(const ParamDescriptor& param, const ParamValue& value)
{
    if (fits(param, value)) return {};
    return fmt::format("{} is {}, expected {}", param.name, shown(value), expected(param));
}

std::int64_t integerParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    const auto* number = std::get_if<std::int64_t>(&checked(spec, descriptor, name));
    if (number == nullptr) throwNull(descriptor, name);
    return *number;
}

double realParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    const auto number = asReal(checked(spec, descriptor, name));
    if (!number) throwNull(descriptor, name);
    return *number;
}

bool booleanParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    const auto* flag = std::get_if<bool>(&checked(spec, descriptor, name));
    if (flag == nullptr) throwNull(descriptor, name);
    return *flag;
}

std::string textParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    const auto* text = std::get_if<std::string>(&checked(spec, descriptor, name));
    if (text == nullptr) throwNull(descriptor, name);
    return *text;
}

bool isNullParam(const PartSpec& spec, const PartDescriptor& descriptor, const std::string& name)
{
    return std::holds_alternative<std::monostate>(checked(spec, descriptor, name));
}

} // namespace batchscope
