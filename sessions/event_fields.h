// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of every event, named once: the chunk codec and the JSON export both walk this list. The order
// is the format of the stored chunks: append at the end of an event and raise k_chunk_version
// (event_codec.h), never reorder.
#pragma once

#include "scheduler/event.h"
#include "sessions/field_visitor.h"

namespace batchscope::sessions {

template <class V, Is<RunStarted> T>
void visitFields(V& visit, T& e)
{
    visit("requests", e.requests);
    visit("slots", e.slot_count);
    visit("max_new_tokens", e.max_new_tokens);
    visit("kv_bytes", e.kv_bytes);
    visit("delivery", e.delivery);
    visit("measured", e.measured);
}
template <class V, Is<Arrived> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("arrival_ns", e.arrival_ns);
    visit("prompt_tokens", e.prompt_tokens);
}
template <class V, Is<Predicted> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("kind", e.kind);
    visit("tokens", e.tokens);
    visit("upper_bound", e.upper_bound);
    visit("score", e.score);
    visit("elapsed_ns", e.elapsed_ns);
    visit("held_prefill", e.held_prefill);
    visit("failed", e.failed);
}
template <class V, Is<Picked> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("batch", e.batch);
    visit("rule", e.rule);
    visit("key", e.key);
    visit("waited_ns", e.waited_ns);
    visit("passed_over", e.passed_over);
    visit("runner_up", e.runner_up);
    visit("runner_up_key", e.runner_up_key);
    visit("first_passed", e.first_passed);
    visit("first_passed_key", e.first_passed_key);
}
template <class V, Is<RowStart> T>
void visitFields(V& visit, T& e)
{
    visit("slot", e.slot);
    visit("request", e.request);
    visit("attempt", e.attempt);
    visit("prompt_tokens", e.prompt_tokens);
    visit("limit_steps", e.limit_steps);
    visit("limit_is_cap", e.limit_is_cap);
    visit("held_prefill", e.held_prefill);
    visit("resumed_tokens", e.resumed_tokens);
}
template <class V, Is<BatchFormed> T>
void visitFields(V& visit, T& e)
{
    visit("batch", e.batch);
    visit("kind", e.kind);
    visit("group", e.group);
    visit("bin", e.bin);
    visit("padded_prompt_tokens", e.padded_prompt_tokens);
    visit("rows", e.rows);
}
template <class V, Is<PromptRead> T>
void visitFields(V& visit, T& e)
{
    visit("slot", e.slot);
    visit("tokens", e.tokens);
    visit("completes", e.completes);
}
template <class V, Is<Steps> T>
void visitFields(V& visit, T& e)
{
    visit("batch", e.batch);
    visit("first_step", e.first_step);
    visit("count", e.count);
    visit("start_ns", e.start_ns);
    visit("durations_ns", e.durations_ns);
    visit("start_ps", e.start_ps);
    visit("first_ps", e.first_ps);
    visit("growth_ps", e.growth_ps);
    visit("reads", e.reads);
    visit("stalled", e.stalled);
}
template <class V, Is<RowEnded> T>
void visitFields(V& visit, T& e)
{
    visit("batch", e.batch);
    visit("slot", e.slot);
    visit("request", e.request);
    visit("attempt", e.attempt);
    visit("cause", e.cause);
    visit("output_tokens", e.output_tokens);
    visit("step", e.step);
}
template <class V, Is<AttemptAbandoned> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("attempt", e.attempt);
    visit("batch", e.batch);
    visit("tokens", e.tokens);
}
template <class V, Is<BatchEnded> T>
void visitFields(V& visit, T& e)
{
    visit("batch", e.batch);
    visit("steps", e.steps);
}
template <class V, Is<Promoted> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("waited_ns", e.waited_ns);
    visit("bound_ns", e.bound_ns);
}
template <class V, Is<Preempted> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("batch", e.batch);
    visit("slot", e.slot);
    visit("key", e.key);
    visit("in_favour_of", e.in_favour_of);
    visit("favoured_key", e.favoured_key);
    visit("keeps_kv", e.keeps_kv);
}
template <class V, Is<Resumed> T>
void visitFields(V& visit, T& e)
{
    visit("request", e.request);
    visit("batch", e.batch);
    visit("slot", e.slot);
    visit("kept_tokens", e.kept_tokens);
}
template <class V, Is<MemorySample> T>
void visitFields(V& visit, T& e)
{
    visit("weights_bytes", e.weights_bytes);
    visit("kv_allocated_bytes", e.kv_allocated_bytes);
    visit("kv_used_bytes", e.kv_used_bytes);
}
template <class V, Is<RunPaused> T>
void visitFields(V&, T&)
{}
template <class V, Is<RunContinued> T>
void visitFields(V&, T&)
{}
template <class V, Is<RunEnded> T>
void visitFields(V& visit, T& e)
{
    visit("status", e.status);
    visit("message", e.message);
}

// The largest value that each enumeration has: a stored byte beyond it is damage.
template <class E>
inline constexpr E k_last_value = E{};
template <>
inline constexpr PredictionKind k_last_value<PredictionKind> = PredictionKind::Rank;
template <>
inline constexpr Delivery k_last_value<Delivery> = Delivery::BatchEnd;
template <>
inline constexpr RunStatus k_last_value<RunStatus> = RunStatus::Interrupted;
template <>
inline constexpr RowEnd k_last_value<RowEnd> = RowEnd::Cancelled;
template <>
inline constexpr PickRule k_last_value<PickRule> = PickRule::Recompute;
template <>
inline constexpr BatchKind k_last_value<BatchKind> = BatchKind::Continuous;

} // namespace batchscope::sessions
