// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/torch/torch_backend.h"

#include "engine/torch/sampler.h"

#include <algorithm>
#include <c10/util/Exception.h>
#include <chrono>
#include <fmt/core.h>
#include <new>
#include <utility>

namespace batchscope::engine {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Runs `work`; whatever a device or the memory answers leaves as a BackendError.
template <typename Work>
auto guarded(const char* doing, const Work& work)
{
    try {
        return work();
    } catch (const c10::Error& error) {
        throw BackendError(fmt::format("{} failed: {}", doing, error.what_without_backtrace()));
    } catch (const std::bad_alloc&) {
        throw BackendError(
            fmt::format("{} failed: out of memory. Use fewer rows, a smaller cap or bf16.", doing));
    }
}

std::span<const float> rowOfLogits(const at::Tensor& logits, std::size_t row)
{
    const auto width = static_cast<std::size_t>(logits.size(1));
    return {logits.data_ptr<float>() + row * width, width};
}

} // namespace

TorchBackend::TorchBackend(TorchModel& model)
    : m_model(model), m_batch(model.llama()), m_continuous(model.llama())
{}

SlotHandle TorchBackend::keep(HeldSequence sequence)
{
    const SlotHandle handle = m_next_slot++;
    m_slots[handle].held = std::move(sequence);
    return handle;
}

TorchBackend::Slot& TorchBackend::slotOf(SlotHandle handle, const char* purpose)
{
    const auto found = m_slots.find(handle);
    if (found == m_slots.end())
        throw BackendError(
            fmt::format("Slot {} cannot be {}: it was released or never given out.", handle, purpose));
    return found->second;
}

TorchBackend::Row* TorchBackend::rowOf(SlotHandle slot)
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [slot](const Row& row) { return row.slot == slot && !row.released; });
    return found == m_rows.end() ? nullptr : &*found;
}

SlotHandle TorchBackend::admit(const Admission& admission, std::optional<SlotHandle> held)
{
    const Request& request = *admission.request;
    if (const std::string problem = m_model.promptProblem(request.prompt_ids); !problem.empty())
        throw BackendError(fmt::format("Request '{}' cannot be admitted: {}.", request.id, problem));
    if (const std::string problem = samplingProblem(admission.sampling); !problem.empty())
        throw BackendError(fmt::format("Request '{}' cannot be admitted: {}.", request.id, problem));
    const auto room = m_model.config().max_positions - static_cast<int>(request.prompt_ids.size());
    if (admission.max_new_tokens < 1 || admission.max_new_tokens > room)
        throw BackendError(
            fmt::format("Request '{}' asks for {} new tokens; after its {} prompt tokens the model's "
                        "context of {} leaves 1 to {}.",
                        request.id, admission.max_new_tokens, request.prompt_ids.size(),
                        m_model.config().max_positions, room));
    const SlotHandle handle = held ? *held : m_next_slot++;
    Slot& slot = held ? slotOf(handle, "admitted") : m_slots[handle];
    slot.prompt = request.prompt_ids;
    if (slot.progress)
        slot.progress->raiseCap(admission.max_new_tokens); // goes on where it was held
    else
        slot.progress.emplace(admission, m_model.config().eos);
    return handle;
}

void TorchBackend::checkRoom(const Plan& plan) const
{
    const auto rows = static_cast<std::int64_t>(plan.rows.size());
    const std::int64_t columns = plan.padded_prompt_tokens + std::max(plan.limit_steps - 1, 0);
    const std::int64_t needed = rows * columns * m_batch.bytesPerToken();
    const std::int64_t grows = needed - m_batch.allocatedBytes();
    if (grows > 0 && needed > m_model.freeKvBytes() + m_batch.allocatedBytes())
        throw BackendError(
            fmt::format("The batch needs {} bytes of keys and values ({} rows x {} tokens); {} are free. "
                        "Use fewer rows, a smaller cap or bf16.",
                        needed, rows, columns, m_model.freeKvBytes()));
}

void TorchBackend::form(const Plan& plan)
{
    checkRoom(plan);
    m_rows.clear();
    for (const PlanRow& row : plan.rows) {
        Slot& slot = slotOf(row.slot, "batched");
        if (!slot.progress)
            throw BackendError(fmt::format("Slot {} cannot be batched: it was not admitted.", row.slot));
        const auto tokens = slot.held
                                ? static_cast<int>(slot.held->tokens) + (row.role == RowRole::Decode ? 1 : 0)
                                : static_cast<int>(slot.prompt.size());
        if (tokens > plan.padded_prompt_tokens)
            throw BackendError(fmt::format("Slot {} brings {} tokens, the batch's prompts are padded to {}.",
                                           row.slot, tokens, plan.padded_prompt_tokens));
        m_rows.push_back({row.slot, *slot.progress});
    }
    m_batch.begin(static_cast<std::int64_t>(m_rows.size()), plan.padded_prompt_tokens, plan.limit_steps);
    m_first_pass_due = true;
}

void TorchBackend::firstPass()
{
    const c10::InferenceMode no_autograd;
    std::vector<std::int64_t> read, resumed;
    std::vector<std::span<const TokenId>> prompts;
    std::vector<TokenId> inputs;
    m_logits = at::empty({static_cast<std::int64_t>(m_rows.size()), m_model.config().vocabulary}, at::kFloat);
    const std::int64_t last = m_batch.column();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        Slot& slot = slotOf(m_rows[i].slot, "read");
        if (!slot.held) {
            read.push_back(row);
            prompts.push_back(slot.prompt);
        } else if (slot.held->next_logits.empty()) {
            resumed.push_back(row);
            inputs.push_back(m_rows[i].progress.nextInput());
            m_batch.place(row, *slot.held, last - 1);
        } else {
            m_batch.place(row, *slot.held, last);
            std::copy(slot.held->next_logits.begin(), slot.held->next_logits.end(),
                      m_logits.data_ptr<float>() + row * m_logits.size(1));
        }
        slot.held.reset();
    }
    const auto put = [&](const std::vector<std::int64_t>& rows, const at::Tensor& logits) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            m_logits.select(0, rows[i]).copy_(logits.select(0, static_cast<std::int64_t>(i)));
    };
    if (!read.empty()) put(read, m_batch.readPrompts(read, prompts));
    if (!resumed.empty()) put(resumed, m_batch.decode(resumed, inputs));
    m_first_pass_due = false;
}

void TorchBackend::nextPass()
{
    std::vector<std::int64_t> rows;
    std::vector<TokenId> inputs;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        rows.push_back(static_cast<std::int64_t>(i));
        inputs.push_back(m_rows[i].progress.nextInput());
    }
    m_logits = m_batch.decode(rows, inputs);
}

void TorchBackend::finishPass(const Plan& plan, PassResult& result)
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (plan.rows[i].role == RowRole::Burn || m_rows[i].progress.ended()) continue;
        RowProgress& progress = m_rows[i].progress;
        if (const auto id = progress.advance(rowOfLogits(m_logits, i))) result.new_ids[i].push_back(*id);
        if (progress.ended()) result.ended.push_back({i, *progress.ended(), progress.outputTokens()});
    }
    m_batch.passDone();
}

template <typename Pass>
PassResult TorchBackend::timed(std::size_t rows, std::uint32_t at_most_steps, Nanos now_ns,
                               Nanos not_beyond_ns, const Pass& pass)
{
    PassResult result;
    result.new_ids.resize(rows);
    SteadyClock::time_point start = SteadyClock::now();
    Nanos elapsed = 0;
    do {
        pass(result);
        ++result.steps;
        const auto end = SteadyClock::now();
        result.durations_ns.push_back(
            std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
        elapsed += result.durations_ns.back();
        start = end;
    } while (result.ended.empty() && result.steps < at_most_steps && now_ns + elapsed < not_beyond_ns);
    return result;
}

// Who is admitted belongs to the continuous batch from its first pass on.
void TorchBackend::joinNewcomers(const Plan& plan)
{
    for (const PlanRow& row : plan.rows) {
        if (m_continuous.holds(row.slot)) continue;
        Slot& slot = slotOf(row.slot, "batched");
        if (!slot.progress)
            throw BackendError(fmt::format("Slot {} cannot be batched: it was not admitted.", row.slot));
        m_continuous.admit(row.slot, *slot.progress, slot.prompt, std::exchange(slot.held, std::nullopt));
    }
}

PassResult TorchBackend::run(const Plan& plan, std::uint32_t at_most_steps, Nanos now_ns, Nanos not_beyond_ns)
{
    return guarded("A pass", [&] {
        m_model.useThreads();
        if (!plan.static_batch) {
            joinNewcomers(plan);
            return timed(plan.rows.size(), at_most_steps, now_ns, not_beyond_ns,
                         [&](PassResult& result) { m_continuous.pass(plan, result.steps == 0, result); });
        }
        if (plan.first) form(plan);
        if (plan.rows.size() != m_rows.size())
            throw BackendError(
                fmt::format("The plan has {} rows, the standing batch {}.", plan.rows.size(), m_rows.size()));
        return timed(m_rows.size(), at_most_steps, now_ns, not_beyond_ns, [&](PassResult& result) {
            if (m_first_pass_due)
                firstPass();
            else
                nextPass();
            finishPass(plan, result);
        });
    });
}

void TorchBackend::hold(SlotHandle handle)
{
    guarded("Keeping a row's keys and values", [&] {
        if (m_continuous.holds(handle)) return m_continuous.keepAside(handle);
        Slot& slot = slotOf(handle, "held");
        if (slot.held) return;
        Row* row = rowOf(handle);
        if (row == nullptr)
            throw BackendError(fmt::format("Slot {} cannot be held: it is in no batch.", handle));
        slot.held = m_batch.copyOut(row - m_rows.data());
        slot.progress = row->progress;
        row->released = true;
    });
}

void TorchBackend::evict(SlotHandle handle)
{
    m_continuous.forget(handle);
}

void TorchBackend::release(SlotHandle slot)
{
    m_continuous.release(slot);
    if (Row* row = rowOf(slot)) row->released = true;
    m_slots.erase(slot);
}

void TorchBackend::reset()
{
    m_slots.clear();
    m_rows.clear();
    m_logits.reset();
    m_batch.end();
    m_continuous.clear();
    m_first_pass_due = false;
}

MemoryUse TorchBackend::memory() const
{
    MemoryUse use{m_model.weightBytes(), m_batch.allocatedBytes() + m_continuous.allocatedBytes(),
                  m_continuous.usedBytes()};
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (!m_rows[i].released)
            use.kv_used_bytes += m_batch.tokensOf(static_cast<std::int64_t>(i)) * m_batch.bytesPerToken();
    for (const auto& [handle, slot] : m_slots) {
        if (!slot.held) continue;
        use.kv_allocated_bytes += slot.held->tokens * m_batch.bytesPerToken();
        use.kv_used_bytes += slot.held->tokens * m_batch.bytesPerToken();
    }
    return use;
}

Capabilities TorchBackend::capabilities() const
{
    Capabilities capabilities;
    capabilities.measured = true;
    capabilities.continuous = true;
    capabilities.free_lengths = true;
    capabilities.context = m_model.config().max_positions;
    capabilities.kv_bytes_per_token = m_batch.bytesPerToken();
    capabilities.kv_bytes = m_model.freeKvBytes();
    return capabilities;
}

} // namespace batchscope::engine
