// SPDX-License-Identifier: GPL-3.0-or-later
// Our names of number types and libtorch's.
#pragma once

#include "engine/checkpoint/model_config.h"

#include <c10/core/ScalarType.h>

namespace batchscope::engine {

inline at::ScalarType toScalarType(DType dtype)
{
    switch (dtype) {
    case DType::F32:
        return at::kFloat;
    case DType::BF16:
        return at::kBFloat16;
    case DType::F16:
        return at::kHalf;
    }
    return at::kFloat;
}

inline DType fromScalarType(at::ScalarType type)
{
    if (type == at::kBFloat16) return DType::BF16;
    return type == at::kHalf ? DType::F16 : DType::F32;
}

} // namespace batchscope::engine
