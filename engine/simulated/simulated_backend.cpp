// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/simulated/simulated_backend.h"

#include "engine/simulated/wide.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace batchscope::engine {

namespace {

// Picoseconds that `steps` passes take when the first takes `first` and each later one `growth` more.
Wide spanPs(Picos first, Picos growth, std::uint32_t steps)
{
    return Wide(first) * steps + Wide(growth) * steps * (Wide(steps) - 1) / 2;
}

// Smallest number of passes (at least 1, at most `steps`) after which the clock stands at or beyond `bound`.
std::uint32_t stepsUntil(Wide start, Picos first, Picos growth, std::uint32_t steps, Wide bound)
{
    if (start + spanPs(first, growth, steps) < bound) return steps;
    std::uint32_t low = 1, high = steps;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (start + spanPs(first, growth, middle) >= bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

} // namespace

SimulatedBackend::SimulatedBackend(CostModel model, const Clock& clock)
    : m_model(std::move(model)), m_clock(clock)
{}

SlotHandle SimulatedBackend::admit(const Admission& admission, std::optional<SlotHandle> held)
{
    const Request& request = *admission.request;
    if (held)
        throw BackendError(fmt::format(
            "request {}: the simulator keeps no prefill from a prediction (slot {})", request.index, *held));
    if (!admission.forced_length)
        throw BackendError(
            fmt::format("request {} has no output length: the simulator cannot choose one; set lengths "
                        "to replayed, fixed or drawn",
                        request.index));
    if (*admission.forced_length < 0 || admission.max_new_tokens < 1 || request.prompt_tokens < 1)
        throw BackendError(fmt::format(
            "request {}: {} prompt tokens, output length {}, at most {} new tokens; expected "
            "at least 1, 0 and 1",
            request.index, request.prompt_tokens, *admission.forced_length, admission.max_new_tokens));
    SlotHandle handle = static_cast<SlotHandle>(m_slots.size());
    if (m_free.empty()) {
        m_slots.emplace_back();
    } else {
        handle = m_free.back();
        m_free.pop_back();
    }
    Slot& slot = m_slots[static_cast<std::size_t>(handle)];
    slot = {};
    slot.used = true;
    slot.request = request.index;
    slot.prompt_tokens = request.prompt_tokens;
    slot.max_new_tokens = admission.max_new_tokens;
    slot.length = *admission.forced_length;
    slot.unread = request.prompt_tokens;
    ++m_static_slots;
    return handle;
}

void SimulatedBackend::refuseSlot(SlotHandle handle, const char* caller)
{
    throw BackendError(fmt::format("{}: slot {} holds no request", caller, handle));
}

void SimulatedBackend::open(const Plan& plan)
{
    m_batch = {static_cast<std::int64_t>(plan.rows.size()), plan.padded_prompt_tokens, plan.limit_steps, 0};
    for (const PlanRow& row : plan.rows) {
        Slot& slot = slotAt(row.slot, "run");
        slot.in_batch = true;
        // Rows of a static batch share one width: a batch that says nothing of padding is as wide as its
        // longest.
        m_batch.padded_prompt_tokens = std::max(m_batch.padded_prompt_tokens, slot.prompt_tokens);
    }
}

PassWork SimulatedBackend::firstPass(const Plan& plan)
{
    PassWork work;
    work.rows = static_cast<std::int64_t>(plan.rows.size());
    work.context_tokens = work.rows * (m_batch.padded_prompt_tokens + m_batch.passes);
    for (const PlanRow& row : plan.rows) {
        if (row.role == RowRole::Held || row.role == RowRole::Stall)
            throw BackendError(
                fmt::format("slot {}: the simulator's static batches hold and stall no row", row.slot));
        if (row.role != RowRole::Read) continue;
        const Slot& slot = slotAt(row.slot, "run");
        if (row.prompt_tokens != slot.prompt_tokens)
            throw BackendError(
                fmt::format("request {}: {} of its {} prompt tokens are to be read; a static batch reads "
                            "prompts whole",
                            slot.request, row.prompt_tokens, slot.prompt_tokens));
        work.reads_prompts = true;
        ++work.reading_rows;
        work.prefill_tokens += m_batch.padded_prompt_tokens;
    }
    const std::int64_t width = m_batch.padded_prompt_tokens;
    work.attended_tokens = work.reading_rows * attendedWhileReading(width, width) +
                           (work.rows - work.reading_rows) * (width + m_batch.passes);
    return work;
}

std::uint32_t SimulatedBackend::stepsUntilEnd(const Plan& plan, std::uint32_t at_most_steps)
{
    std::uint32_t steps = at_most_steps;
    for (const PlanRow& row : plan.rows)
        if (row.role != RowRole::Burn)
            steps = std::min(steps, static_cast<std::uint32_t>(slotAt(row.slot, "run").stepsLeft()));
    return steps;
}

void SimulatedBackend::advance(const Plan& plan, PassResult& result)
{
    m_batch.passes += result.steps;
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        if (plan.rows[i].role == RowRole::Burn) continue;
        Slot& slot = slotAt(plan.rows[i].slot, "run");
        const bool ends = static_cast<std::uint32_t>(slot.stepsLeft()) == result.steps;
        slot.generated += static_cast<int>(result.steps);
        if (!ends) continue;
        if (!slot.ends_at_cap()) slot.generated = slot.length; // its last pass yielded the end of sequence
        result.ended.push_back({i, slot.ends_at_cap() ? RowEnd::Cap : RowEnd::Length, slot.generated});
    }
}

// At most `steps` passes from `work` on that lie on one line; the first waits `waits_ps` before it begins.
PassResult SimulatedBackend::straightPasses(const PassWork& work, std::uint32_t steps, Picos waits_ps,
                                            Nanos not_beyond_ns) const
{
    const StraightSpan span = straightSpan(m_model, work);
    if (waits_ps != 0) steps = 1; // what follows does not lie on its line
    steps = static_cast<std::uint32_t>(std::min<std::int64_t>(steps, span.count));
    PassResult result;
    result.first_ps = span.first_ps + waits_ps;
    result.steps = stepsUntil(m_clock.nowPs(), result.first_ps, span.growth_ps, steps,
                              Wide(not_beyond_ns) * k_picos_per_nano);
    result.growth_ps = result.steps > 1 ? span.growth_ps : 0;
    return result;
}

PassResult SimulatedBackend::run(const Plan& plan, std::uint32_t at_most_steps, Nanos /*now_ns*/,
                                 Nanos not_beyond_ns)
{
    if (plan.rows.empty() || at_most_steps == 0)
        throw BackendError(
            fmt::format("a plan of {} rows and {} passes was given; expected at least 1 of each",
                        plan.rows.size(), at_most_steps));
    if (!plan.static_batch) return runContinuous(plan, at_most_steps, not_beyond_ns);
    if (plan.first) open(plan);
    const PassWork work = firstPass(plan);
    PassResult result =
        straightPasses(work, work.reads_prompts ? 1 : stepsUntilEnd(plan, at_most_steps), 0, not_beyond_ns);
    advance(plan, result);
    return result;
}

// Work of the next pass; `steps` becomes what the first row to end leaves of it. Rows that are brought back
// are brought back first.
PassWork SimulatedBackend::continuousPass(const Plan& plan, std::uint32_t& steps)
{
    PassWork work;
    for (const PlanRow& row : plan.rows) {
        Slot& slot = slotAt(row.slot, "run");
        if (slot.is_aside) swap(slot);
        const bool reads = row.role == RowRole::Read;
        if ((!reads && row.role != RowRole::Decode && row.role != RowRole::Stall) ||
            reads != (slot.unread > 0 && row.role != RowRole::Stall) ||
            (reads && (row.prompt_tokens < 1 || row.prompt_tokens > slot.unread)))
            throw BackendError(fmt::format("request {}: role {} with {} tokens to read in a continuous "
                                           "batch, {} of its prompt are unread",
                                           slot.request, static_cast<int>(row.role), row.prompt_tokens,
                                           slot.unread));
        if (row.role == RowRole::Stall) continue;
        const int fed = reads ? row.prompt_tokens : 1;
        ++work.rows;
        work.context_tokens += slot.cached + fed;
        work.prefill_tokens += reads ? fed : 0;
        work.reads_prompts |= reads;
        work.reading_rows += reads ? 1 : 0;
        work.attended_tokens += attendedWhileReading(fed, slot.cached + fed);
        if (!reads) steps = std::min(steps, static_cast<std::uint32_t>(slot.stepsLeft()));
    }
    return work;
}

PassResult SimulatedBackend::runContinuous(const Plan& plan, std::uint32_t at_most_steps, Nanos not_beyond_ns)
{
    std::uint32_t steps = at_most_steps;
    const PassWork work = continuousPass(plan, steps);
    PassResult result = straightPasses(work, steps, std::exchange(m_swap_ps, 0), not_beyond_ns);
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        const PlanRow& row = plan.rows[i];
        if (row.role == RowRole::Stall) continue;
        Slot& slot = slotAt(row.slot, "run");
        m_static_slots -= slot.is_continuous ? 0 : 1;
        slot.is_continuous = true;
        const bool reads = row.role == RowRole::Read;
        const int fed = reads ? row.prompt_tokens : static_cast<int>(result.steps);
        slot.cached += fed;
        m_cached_tokens += fed;
        if (reads) slot.unread -= row.prompt_tokens;
        if (slot.unread > 0) continue;
        const bool ends = static_cast<std::uint32_t>(slot.stepsLeft()) == result.steps;
        slot.generated += static_cast<int>(result.steps);
        if (!ends) continue;
        if (!slot.ends_at_cap()) slot.generated = slot.length;
        result.ended.push_back({i, slot.ends_at_cap() ? RowEnd::Cap : RowEnd::Length, slot.generated});
    }
    return result;
}

void SimulatedBackend::swap(Slot& slot)
{
    slot.is_aside = !slot.is_aside;
    m_cached_tokens += slot.is_aside ? -slot.cached : slot.cached;
    m_swap_ps += m_model.swap_token_ps * slot.cached;
}

void SimulatedBackend::hold(SlotHandle handle)
{
    Slot& slot = slotAt(handle, "hold");
    slot.in_batch = false;
    swap(slot);
}

void SimulatedBackend::evict(SlotHandle handle)
{
    Slot& slot = slotAt(handle, "evict");
    if (!slot.is_aside) m_cached_tokens -= slot.cached;
    slot.cached = 0;
    slot.unread = slot.prompt_tokens + slot.generated;
}

void SimulatedBackend::release(SlotHandle handle)
{
    Slot& slot = slotAt(handle, "release");
    if (!slot.is_aside) m_cached_tokens -= slot.cached;
    m_static_slots -= slot.is_continuous ? 0 : 1;
    slot = {};
    m_free.push_back(handle);
}

void SimulatedBackend::reset()
{
    m_slots.clear();
    m_free.clear();
    m_batch = {};
    m_swap_ps = 0;
    m_cached_tokens = 0;
    m_static_slots = 0;
}

MemoryUse SimulatedBackend::memory() const
{
    std::int64_t used_tokens = m_cached_tokens, allocated_tokens = m_cached_tokens;
    bool batch_stands = false; // a static one
    for (std::size_t i = 0; m_static_slots > 0 && i < m_slots.size(); ++i) {
        const Slot& slot = m_slots[i];
        if (!slot.used || slot.is_continuous) continue;
        const std::int64_t tokens = slot.prompt_tokens + slot.generated;
        if (slot.generated > 0) used_tokens += tokens;
        if (slot.in_batch)
            batch_stands = true;
        else if (slot.generated > 0)
            allocated_tokens += tokens;
    }
    if (batch_stands) allocated_tokens += m_batch.rows * (m_batch.padded_prompt_tokens + m_batch.limit_steps);
    return {m_model.weights_bytes, allocated_tokens * m_model.kv_bytes_per_token,
            used_tokens * m_model.kv_bytes_per_token};
}

Capabilities SimulatedBackend::capabilities() const
{
    Capabilities capabilities;
    capabilities.measured = false;
    capabilities.continuous = true;
    capabilities.free_lengths = false;
    capabilities.context = m_model.context;
    capabilities.kv_bytes_per_token = m_model.kv_bytes_per_token;
    capabilities.kv_bytes = m_model.kv_bytes;
    return capabilities;
}

std::optional<Nanos> SimulatedBackend::serviceAlone(int prompt_tokens, int passes) const
{
    return engine::serviceAlone(m_model, prompt_tokens, passes);
}

} // namespace batchscope::engine
