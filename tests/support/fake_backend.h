// SPDX-License-Identifier: GPL-3.0-or-later
// A backend with scripted lengths and pass times. It counts its KV cache and notes every use against the
// contract of scheduler/backend.h.
#pragma once

#include "scheduler/backend.h"
#include "scheduler/clock.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace batchscope::tests {

struct FakeOptions
{
    Capabilities capabilities;
    Picos read_ps = 10'000'000'000;           // a pass that reads prompts: 10 ms
    Picos pass_ps = 1'000'000'000;            // any other: 1 ms
    Picos growth_ps = 0;                      // what each later pass of a span takes more
    std::map<RequestIndex, int> free_lengths; // what the model decides (length mode free)
    std::map<RequestIndex, int> row_fails_at; // ends as failed at this token
    std::optional<int> throws_at_run;         // call of run(), from 1, that throws
    std::function<void()> before_run;         // e.g. asks for a stop
};

class FakeBackend : public Backend
{
public:
    explicit FakeBackend(FakeOptions options = {}) : m_options(std::move(options)) {}

    SlotHandle admit(const Admission& admission, std::optional<SlotHandle> held) override
    {
        if (held) {
            expect(m_slots.count(*held) > 0 && m_slots[*held].held, "admit: the held slot is unknown");
            expect(m_slots[*held].request == admission.request->index,
                   "admit: the held slot is another request's");
            m_slots.erase(*held);
            ++m_helds_used;
        }
        const SlotHandle handle = m_next_slot++;
        Slot slot;
        slot.request = admission.request->index;
        slot.prompt_tokens = admission.request->prompt_tokens;
        slot.most = admission.max_new_tokens;
        slot.from_held = held.has_value();
        const auto free = m_options.free_lengths.find(slot.request);
        slot.forced = admission.forced_length.has_value();
        expect(slot.forced || free != m_options.free_lengths.end(), "admit: no length is known");
        slot.length = slot.forced ? *admission.forced_length : free->second;
        m_slots[handle] = slot;
        return handle;
    }

    // What a predictor does that keeps the prefill.
    SlotHandle holdPrompt(const Request& request)
    {
        Slot slot;
        slot.request = request.index;
        slot.prompt_tokens = request.prompt_tokens;
        slot.held = true;
        m_slots[m_next_slot] = slot;
        return m_next_slot++;
    }

    PassResult run(const Plan& plan, std::uint32_t at_most_steps, Nanos, Nanos not_beyond_ns) override
    {
        ++m_runs;
        if (m_options.before_run) m_options.before_run();
        if (m_options.throws_at_run == m_runs) throw BackendError("the device was lost");
        checkPlan(plan, at_most_steps);
        const std::uint32_t steps = stepsUntilEnd(plan, at_most_steps);
        PassResult result;
        result.steps = steps;
        if (m_options.capabilities.measured) {
            takeTime(result, not_beyond_ns);
        } else {
            result.first_ps = plan.first ? m_options.read_ps : m_options.pass_ps;
            result.growth_ps = result.steps > 1 ? m_options.growth_ps : 0;
        }
        advance(plan, result);
        return result;
    }

    void hold(SlotHandle slot) override
    {
        expect(m_slots.count(slot) > 0 && m_slots[slot].tokens > 0, "hold: unknown slot");
        m_slots[slot].suspended = true;
    }
    void release(SlotHandle slot) override
    {
        if (m_slots.count(slot) > 0 && m_slots[slot].held) ++m_helds_released;
        expect(m_slots.erase(slot) == 1, "release: unknown slot");
    }
    void reset() override
    {
        ++m_resets;
        m_slots.clear();
    }
    MemoryUse memory() const override
    {
        MemoryUse use;
        const std::int64_t token = m_options.capabilities.kv_bytes_per_token;
        for (const auto& [handle, slot] : m_slots)
            use.kv_used_bytes += (slot.prompt_tokens + slot.tokens) * token;
        use.kv_allocated_bytes = std::max(m_slots.empty() ? 0 : m_batch_bytes, use.kv_used_bytes);
        return use;
    }
    Capabilities capabilities() const override { return m_options.capabilities; }

    std::vector<std::string> faults() const { return m_faults; }
    std::size_t slotsInUse() const { return m_slots.size(); }
    int runs() const { return m_runs; }
    int resets() const { return m_resets; }
    int heldsUsed() const { return m_helds_used; }
    int heldsReleased() const { return m_helds_released; }
    std::int64_t mostKvBytes() const { return m_most_kv_bytes; }

private:
    struct Slot
    {
        RequestIndex request = 0;
        int prompt_tokens = 0, most = 0, length = 0, tokens = 0;
        bool forced = false, from_held = false, held = false, ended = false;
        bool suspended = false; // its batch is over, its cache is kept
    };

    void expect(bool holds, const std::string& text)
    {
        if (!holds) m_faults.push_back(text);
    }

    void checkPlan(const Plan& plan, std::uint32_t at_most_steps)
    {
        expect(plan.static_batch && !plan.rows.empty() && at_most_steps >= 1, "run: an empty plan");
        if (plan.first) m_passes = 0;
        std::vector<SlotHandle> order;
        int longest = 0;
        for (const PlanRow& row : plan.rows) {
            order.push_back(row.slot);
            expect(m_slots.count(row.slot) > 0, "run: unknown slot");
            Slot& slot = m_slots[row.slot];
            longest = std::max(longest, slot.prompt_tokens + (slot.suspended ? slot.tokens : 0));
            if (plan.first && slot.suspended) m_goes_on.insert(row.slot);
            slot.suspended = false;
            const bool goes_on = m_goes_on.count(row.slot) > 0;
            const RowRole first = goes_on ? RowRole::Decode : slot.from_held ? RowRole::Held : RowRole::Read;
            const RowRole role = plan.first ? first : slot.ended ? RowRole::Burn : RowRole::Decode;
            expect(row.role == role, fmt::format("run: request {} has a wrong role", slot.request));
            expect(role != RowRole::Read || row.prompt_tokens == slot.prompt_tokens,
                   "run: a prompt is read in part");
        }
        expect(plan.first || order == m_order, "run: the rows of a static batch changed their order");
        m_order = order;
        if (plan.first) m_width = longest;
        expect(plan.padded_prompt_tokens == m_width, "run: padded to another width than the longest prompt");
        expect(m_passes + at_most_steps == static_cast<std::uint32_t>(plan.limit_steps),
               "run: passes asked for and passes run do not make the limit");
        countKv(plan);
    }

    void countKv(const Plan& plan)
    {
        const std::int64_t token = m_options.capabilities.kv_bytes_per_token;
        m_batch_bytes = static_cast<std::int64_t>(plan.rows.size()) *
                        (plan.padded_prompt_tokens + plan.limit_steps - 1) *
                        token; // the last pass stores nothing
        std::int64_t held = 0;
        for (const auto& [handle, slot] : m_slots)
            if (slot.held || slot.suspended) held += (slot.prompt_tokens + slot.tokens) * token;
        m_most_kv_bytes = std::max(m_most_kv_bytes, m_batch_bytes + held);
    }

    std::uint32_t stepsUntilEnd(const Plan& plan, std::uint32_t at_most_steps) const
    {
        const bool reads = plan.first && m_options.read_ps != m_options.pass_ps;
        std::uint32_t steps = reads ? 1 : at_most_steps;
        for (const PlanRow& row : plan.rows) {
            const Slot& slot = m_slots.at(row.slot);
            if (!slot.ended) steps = std::min(steps, static_cast<std::uint32_t>(passesLeft(slot)));
        }
        return steps;
    }

    int passesLeft(const Slot& slot) const
    {
        const int to_end = slot.length < slot.most ? slot.length - slot.tokens + 1 : slot.most - slot.tokens;
        const auto fails = m_options.row_fails_at.find(slot.request);
        return fails == m_options.row_fails_at.end() ? to_end : std::min(to_end, fails->second - slot.tokens);
    }

    void takeTime(PassResult& result, Nanos not_beyond_ns)
    {
        const Nanos pass_ns = m_options.pass_ps / k_picos_per_nano;
        const Nanos room =
            std::max<Nanos>(1, not_beyond_ns > 0 ? 50'000'000 / std::max<Nanos>(1, pass_ns) : 1);
        result.steps = static_cast<std::uint32_t>(std::min<Nanos>(result.steps, room));
        for (std::uint32_t i = 0; i < result.steps; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            std::this_thread::sleep_for(std::chrono::nanoseconds(pass_ns));
            result.durations_ns.push_back((std::chrono::steady_clock::now() - begin).count());
        }
    }

    // Every id says whose it is: 1000 * request + position.
    void advance(const Plan& plan, PassResult& result)
    {
        m_passes += result.steps;
        result.new_ids.resize(plan.rows.size());
        for (std::size_t i = 0; i < plan.rows.size(); ++i) {
            Slot& slot = m_slots[plan.rows[i].slot];
            if (slot.ended) continue;
            const auto fails = m_options.row_fails_at.find(slot.request);
            const int left = passesLeft(slot);
            const bool ends = static_cast<std::uint32_t>(left) == result.steps;
            const bool at_cap = slot.length >= slot.most;
            const int before = slot.tokens;
            slot.tokens += static_cast<int>(result.steps);
            const bool failed = fails != m_options.row_fails_at.end() && slot.tokens == fails->second;
            if (ends && !at_cap && !failed) slot.tokens = slot.length;
            for (int k = before; k < slot.tokens; ++k)
                result.new_ids[i].push_back(static_cast<TokenId>(1000 * slot.request) + k);
            if (!ends) continue;
            slot.ended = true;
            const RowEnd by_itself = slot.forced ? RowEnd::Length : RowEnd::Eos;
            result.ended.push_back({i,
                                    failed   ? RowEnd::Failed
                                    : at_cap ? RowEnd::Cap
                                             : by_itself,
                                    slot.tokens});
        }
    }

    FakeOptions m_options;
    std::map<SlotHandle, Slot> m_slots;
    SlotHandle m_next_slot = 0;
    std::vector<SlotHandle> m_order;
    std::set<SlotHandle> m_goes_on; // suspended once, in a later batch now
    int m_width = 0;                // of the batch that runs
    std::uint32_t m_passes = 0;     // of the batch that runs
    std::int64_t m_batch_bytes = 0, m_most_kv_bytes = 0;
    int m_runs = 0, m_resets = 0, m_helds_used = 0, m_helds_released = 0;
    std::vector<std::string> m_faults;
};

} // namespace batchscope::tests
