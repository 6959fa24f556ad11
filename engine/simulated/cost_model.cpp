// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/cost_model.h"

#include "engine/simulated/wide.h"
#include "scheduler/backend.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace batchscope::engine {

namespace {

constexpr std::int64_t k_endless = std::numeric_limits<std::int32_t>::max(); // passes, more than any run has

Wide resourceTime(const ResourceTerms& terms, const PassWork& work)
{
    const std::int64_t tokens = work.prefill_tokens + work.rows - work.reading_rows;
    return Wide(terms.pass) + Wide(terms.row) * work.rows + Wide(terms.token) * tokens +
           Wide(terms.context_token) * work.context_tokens +
           Wide(terms.attended_token) * work.attended_tokens;
}

Wide linearTime(const CostModel& model, const PassWork& work)
{
    Wide sum = Wide(model.pass_ps) + Wide(model.row_ps) * work.rows +
               Wide(model.context_token_ps) * work.context_tokens +
               Wide(model.prefill_token_ps) * work.prefill_tokens +
               Wide(model.attended_token_ps) * work.attended_tokens;
    if (work.reads_prompts)
        sum += Wide(model.reading_pass_ps) + Wide(model.mixed_row_ps) * (work.rows - work.reading_rows);
    return sum;
}

Wide exactPassTime(const CostModel& model, const PassWork& work)
{
    const Wide linear = linearTime(model, work);
    if (!model.roofline) return linear;
    const Wide arithmetic = resourceTime(model.roofline->arithmetic, work);
    const Wide traffic = resourceTime(model.roofline->traffic, work);
    return linear + (model.roofline->overlaps ? std::max(arithmetic, traffic) : arithmetic + traffic);
}

// Passes until the other resource becomes the longer one, the first included.
std::int64_t passesToBend(const CostModel& model, const PassWork& work)
{
    if (!model.roofline || !model.roofline->overlaps) return k_endless;
    const auto lead = [&](const PassWork& at) {
        return resourceTime(model.roofline->arithmetic, at) - resourceTime(model.roofline->traffic, at);
    };
    Wide ahead = lead(work);
    Wide growth = lead(work.later()) - ahead;
    if (ahead < 0 || (ahead == 0 && growth < 0)) {
        ahead = -ahead;
        growth = -growth;
    }
    if (growth >= 0) return k_endless;
    const Wide passes = ahead / -growth + 1;
    return passes < k_endless ? static_cast<std::int64_t>(passes) : k_endless;
}

bool isTooLong(Wide sum_ps)
{
    return sum_ps > Wide(std::numeric_limits<Picos>::max());
}

[[noreturn]] void refuseTime(const CostModel& model, const std::string& what)
{
    throw BackendError(
        fmt::format("cost model '{}': {} takes more than the 106 days that fit; check its coefficients",
                    model.name, what));
}

} // namespace

PassWork PassWork::later(std::int64_t passes) const
{
    PassWork work = *this;
    work.context_tokens += rows * passes;
    work.attended_tokens += rows * passes;
    return work;
}

Picos passTime(const CostModel& model, const PassWork& work)
{
    const Wide sum = exactPassTime(model, work);
    if (isTooLong(sum))
        refuseTime(model,
                   fmt::format("a pass of {} rows and {} context tokens", work.rows, work.context_tokens));
    return static_cast<Picos>(sum);
}

StraightSpan straightSpan(const CostModel& model, const PassWork& work)
{
    StraightSpan span;
    span.first_ps = passTime(model, work);
    span.count = work.reads_prompts ? 1 : passesToBend(model, work);
    if (span.count > 1) span.growth_ps = passTime(model, work.later()) - span.first_ps;
    return span;
}

Nanos serviceAlone(const CostModel& model, std::int64_t prompt_tokens, std::int64_t passes)
{
    if (passes < 1) return 0;
    const PassWork reading{
        1, prompt_tokens, prompt_tokens, true, 1, attendedWhileReading(prompt_tokens, prompt_tokens)};
    PassWork decoding{1, prompt_tokens + 1, 0, false, 0, prompt_tokens + 1};
    Wide sum = exactPassTime(model, reading);
    for (std::int64_t left = passes - 1; left > 0;) {
        const std::int64_t count = std::min(left, passesToBend(model, decoding));
        const Wide first = exactPassTime(model, decoding);
        const Wide growth = count > 1 ? exactPassTime(model, decoding.later()) - first : 0;
        sum += first * count + growth * (Wide(count) * (count - 1) / 2);
        if (isTooLong(sum)) break;
        decoding = decoding.later(count);
        left -= count;
    }
    if (isTooLong(sum))
        refuseTime(model, fmt::format("a request of {} prompt tokens in {} passes", prompt_tokens, passes));
    return static_cast<Nanos>(sum / k_picos_per_nano);
}

} // namespace batchscope::engine
