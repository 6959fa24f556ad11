// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/parts/knobs.h"

namespace batchscope {
namespace {

ParamDescriptor named(const KnobText& text, ParamType type, ParamValue default_value)
{
    ParamDescriptor param;
    param.name = text.name;
    param.title = text.title;
    param.type = type;
    param.default_value = std::move(default_value);
    param.unit = text.unit;
    param.help = text.help;
    param.source = text.source;
    return param;
}

} // namespace

ParamDescriptor integerKnob(const KnobText& text, std::int64_t default_value, std::int64_t minimum,
                            std::int64_t maximum)
{
    ParamDescriptor param = named(text, ParamType::Integer, default_value);
    param.minimum = static_cast<double>(minimum);
    param.maximum = static_cast<double>(maximum);
    return param;
}

ParamDescriptor nullableIntegerKnob(const KnobText& text, std::int64_t minimum, std::int64_t maximum)
{
    ParamDescriptor param = integerKnob(text, minimum, minimum, maximum);
    param.default_value = std::monostate{};
    param.nullable = true;
    return param;
}

ParamDescriptor realKnob(const KnobText& text, double default_value, double minimum, double maximum)
{
    ParamDescriptor param = named(text, ParamType::Real, default_value);
    param.minimum = minimum;
    param.maximum = maximum;
    return param;
}

ParamDescriptor nullableRealKnob(const KnobText& text, double minimum, double maximum)
{
    ParamDescriptor param = realKnob(text, minimum, minimum, maximum);
    param.default_value = std::monostate{};
    param.nullable = true;
    return param;
}

ParamDescriptor booleanKnob(const KnobText& text, bool default_value)
{
    return named(text, ParamType::Boolean, default_value);
}

ParamDescriptor choiceKnob(const KnobText& text, std::vector<std::string> choices)
{
    ParamDescriptor param = named(text, ParamType::Choice, choices.front());
    param.choices = std::move(choices);
    return param;
}

} // namespace batchscope
