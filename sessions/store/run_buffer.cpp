// SPDX-License-Identifier: GPL-3.0-or-later
#include "sessions/store/run_buffer.h"

#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <iterator>

namespace batchscope::sessions {

namespace {

template <class T>
void moveTo(std::vector<T>& to, std::vector<T>& from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    from.clear();
}

} // namespace

void RunBuffer::append(const std::vector<Event>& events)
{
    const std::lock_guard lock(m_mutex);
    m_events.insert(m_events.end(), events.begin(), events.end());
}

void RunBuffer::appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids)
{
    if (ids.empty()) return;
    const std::lock_guard lock(m_mutex);
    if (!m_tokens.empty() && m_tokens.back().request == request && m_tokens.back().attempt == attempt)
        m_tokens.back().ids.insert(m_tokens.back().ids.end(), ids.begin(), ids.end());
    else
        m_tokens.push_back({request, attempt, ids});
}

bool RunBuffer::isEmpty() const
{
    const std::lock_guard lock(m_mutex);
    return m_events.empty() && m_tokens.empty();
}

void RunBuffer::write(SQLite::Database& database)
{
    {
        const std::lock_guard lock(m_mutex);
        m_taken_events.swap(m_events);
        m_taken_tokens.swap(m_tokens);
    }
    writeEvents(database);
    writeTokens(database);
}

void RunBuffer::writeEvents(SQLite::Database& database)
{
    if (m_taken_events.empty()) return;
    SQLite::Statement insert(database,
                             "INSERT OR REPLACE INTO event_chunks (run, number, events, t0_ns, t1_ns, data) "
                             "VALUES (?, ?, ?, ?, ?, ?)");
    std::vector<Event> chunk = m_tail;
    std::int64_t number = m_chunk;
    for (std::size_t at = 0; at < m_taken_events.size(); ++number) {
        const std::size_t count = std::min(k_events_per_chunk - chunk.size(), m_taken_events.size() - at);
        const auto from = m_taken_events.begin() + static_cast<std::ptrdiff_t>(at);
        chunk.insert(chunk.end(), from, from + static_cast<std::ptrdiff_t>(count));
        at += count;
        const std::string blob = encodeEvents(chunk);
        insert.reset();
        insert.bind(1, m_run);
        insert.bind(2, number);
        insert.bind(3, static_cast<std::int64_t>(chunk.size()));
        insert.bind(4, chunk.front().at_ns);
        insert.bind(5, chunk.back().at_ns);
        insert.bindNoCopy(6, blob.data(), static_cast<int>(blob.size()));
        insert.exec();
        chunk.clear();
    }
}

void RunBuffer::writeTokens(SQLite::Database& database)
{
    if (m_taken_tokens.empty()) return;
    SQLite::Statement insert(database,
                             "INSERT OR REPLACE INTO token_spans (run, number, data) VALUES (?, ?, ?)");
    const std::string blob = encodeTokens(m_taken_tokens);
    insert.bind(1, m_run);
    insert.bind(2, m_span);
    insert.bindNoCopy(3, blob.data(), static_cast<int>(blob.size()));
    insert.exec();
}

void RunBuffer::keepWritten()
{
    if (!m_taken_tokens.empty()) ++m_span;
    m_taken_tokens.clear();
    moveTo(m_tail, m_taken_events);
    const auto full = m_tail.size() / k_events_per_chunk;
    m_chunk += static_cast<std::int64_t>(full);
    m_tail.erase(m_tail.begin(), m_tail.begin() + static_cast<std::ptrdiff_t>(full * k_events_per_chunk));
}

void RunBuffer::restore()
{
    const std::lock_guard lock(m_mutex);
    moveTo(m_taken_events, m_events);
    m_events.swap(m_taken_events);
    moveTo(m_taken_tokens, m_tokens);
    m_tokens.swap(m_taken_tokens);
}

void RunBuffer::setError(const std::string& error)
{
    const std::lock_guard lock(m_mutex);
    if (m_error.empty()) m_error = error;
}

std::string RunBuffer::error() const
{
    const std::lock_guard lock(m_mutex);
    return m_error;
}

} // namespace batchscope::sessions
