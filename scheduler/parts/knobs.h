// SPDX-License-Identifier: GPL-3.0-or-later
// Short forms in which a part states its parameters: nothing may be left out (range, unit, help, source of
// the default).
#pragma once

#include "scheduler/registry.h"

namespace batchscope {

struct KnobText
{
    const char* name;
    const char* title;
    const char* unit;
    const char* help;
    const char* source; // where the default comes from
};

ParamDescriptor integerKnob(const KnobText& text, std::int64_t default_value, std::int64_t minimum,
                            std::int64_t maximum);
// Null by default, and null is a meaning of its own (said in the help).
ParamDescriptor nullableIntegerKnob(const KnobText& text, std::int64_t minimum, std::int64_t maximum);
ParamDescriptor realKnob(const KnobText& text, double default_value, double minimum, double maximum);
ParamDescriptor nullableRealKnob(const KnobText& text, double minimum, double maximum);
ParamDescriptor booleanKnob(const KnobText& text, bool default_value);
ParamDescriptor choiceKnob(const KnobText& text,
                           std::vector<std::string> choices); // the first is the default

} // namespace batchscope
