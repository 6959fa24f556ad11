// SPDX-License-Identifier: GPL-3.0-or-later
#include "scheduler/loop/event_writer.h"

#include <utility>

namespace batchscope {
namespace {

constexpr auto k_oldest = std::chrono::milliseconds(33); // the frame clock of the views

} // namespace

void EventSink::appendTokens(RequestIndex, std::uint16_t, const std::vector<TokenId>&) {}

EventWriter::EventWriter(EventSink& sink) : m_sink(sink), m_flushed(std::chrono::steady_clock::now()) {}

void EventWriter::flush()
{
    m_flushed = std::chrono::steady_clock::now();
    if (m_pending.empty()) return;
    const std::size_t as_many_again = m_pending.size();
    m_sink.append(std::exchange(m_pending, {}));
    m_pending.reserve(as_many_again);
}

void EventWriter::flushIfDue()
{
    if (std::chrono::steady_clock::now() - m_flushed >= k_oldest) flush();
}

} // namespace batchscope
