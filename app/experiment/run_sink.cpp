// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/experiment/run_sink.h"

#include <fmt/format.h>
#include <iterator>

namespace batchscope::app {

RunSink::RunSink(ExperimentListener& listener, std::unique_ptr<sessions::RunWriter> writer)
    : m_listener(listener), m_writer(std::move(writer))
{}

void RunSink::append(std::vector<Event> events)
{
    if (m_writer) {
        m_writer->append(events);
        tellOnce(m_writer->error());
    }
    m_listener.eventsAppended(events);
    m_log.insert(m_log.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
}

void RunSink::appendTokens(RequestIndex request, std::uint16_t attempt, const std::vector<TokenId>& ids)
{
    if (m_writer) m_writer->appendTokens(request, attempt, ids);
    m_listener.tokensAppended(request, attempt, ids);
    auto& kept = m_tokens[{request, attempt}];
    kept.insert(kept.end(), ids.begin(), ids.end());
}

void RunSink::finish(const sessions::RunRecord& record)
{
    if (!m_writer) return;
    try {
        m_writer->finish(record);
        tellOnce(m_writer->error());
    } catch (const sessions::StoreError& error) {
        tellOnce(error.what());
    }
}

void RunSink::tellOnce(const std::string& error)
{
    if (error.empty() || !m_store_error.empty()) return;
    m_store_error = error;
    m_listener.warned(fmt::format("{}\nThe run goes on and is kept in memory.", error));
}

} // namespace batchscope::app
