// SPDX-License-Identifier: GPL-3.0-or-later
// Grouped mode's settings and what follows from them alone: rows of a bin, limit of a batch, how a group is
// cut.
#pragma once

#include "scheduler/batching/batching_mode.h"
#include "scheduler/batching/bins.h"
#include "scheduler/strategy.h"

#include <cstddef>
#include <vector>

namespace batchscope {

enum class Vbs { Off, Table, Memory };

struct GroupRules
{
    std::size_t group = 256;
    int rows = 16;
    int bin_width = 50;
    Vbs vbs = Vbs::Off;
    int max_rows = 64;
    std::int64_t reserve_bytes = 0;
    bool limits = false;            // correction fcr or extend: batches have a predicted limit
    bool extends = false;           // correction extend: who is stopped by it goes on with its KV cache
    bool recomputes_at_cap = false; // compat S-5: rows that used the whole cap count as failures
    bool limit_is_bin = false;      // compat S-4: the bin's top, the cap and the end of sequence forgotten
    bool mixes_prompts = false;     // compat S-1: what is computed again is another request's prompt

    int binOfPrediction(int predicted_tokens, int cap) const
    {
        return binOf(predicted_tokens, bin_width, cap);
    }
    int limitOf(int bin, int cap) const
    {
        if (!limits) return cap;
        return limit_is_bin ? bin : limitOfBin(bin, cap);
    }
    // r(bin) under VBS, else `rows`. `packing` is used by memory alone; there the cap stands in place of the
    // bin when nothing limits a batch, since it may then run to the cap. At least 1: one row at the cap has
    // been seen to fit.
    int rowsOf(int bin, int cap, const MemoryPacking& packing) const;
    int rowsOfRecomputation(int cap, const MemoryPacking& packing) const; // batches run to the cap
    std::vector<MicroBatch> cut(const std::vector<BinnedRequest>& ordered, int cap,
                                const MemoryPacking& packing) const;
    std::uint32_t slots() const;
    BatchNeed heaviest(const WorkExtent& extent) const;
};

} // namespace batchscope
