// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/event_writer.h"

#include <algorithm>
#include <utility>

namespace batchscope {
namespace {

constexpr std::size_t k_most_events = 2048;
constexpr auto k_oldest = std::chrono::milliseconds(33); // the frame clock of the views

} // namespace

void EventSink::appendTokens(RequestIndex, std::uint16_t, const std::vector<TokenId>&) {}

EventWriter::EventWriter(EventSink& sink) : m_sink(sink), m_flushed(std::chrono::steady_clock::now()) {}

void EventWriter::write(Nanos at_ns, EventBody body)
{
    m_last_ns = std::max(m_last_ns, at_ns);
    m_pending.push_back({m_last_ns, std::move(body)});
    if (m_pending.size() >= k_most_events) flush();
}

void EventWriter::flush()
{
    m_flushed = std::chrono::steady_clock::now();
    if (m_pending.empty()) return;
    m_sink.append(std::exchange(m_pending, {}));
}

void EventWriter::flushIfDue()
{
    if (std::chrono::steady_clock::now() - m_flushed >= k_oldest) flush();
}

} // namespace batchscope
