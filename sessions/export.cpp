// SPDX-License-Identifier: GPL-3.0-or-later
// Exports of one run: whole as JSON, its requests as CSV, its events as JSON lines.
#include "sessions/csv_field.h"
#include "sessions/event_json.h"
#include "sessions/record_json.h"
#include "sessions/report.h"

#include <fmt/format.h>
#include <unordered_map>

namespace batchscope::sessions {

namespace {

using Ordered = nlohmann::ordered_json;

// Nanoseconds as seconds, exactly: "2.5", "0", "0.000000001".
std::string secondsText(Nanos ns)
{
    const auto magnitude = ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
    std::string text =
        fmt::format("{}{}.{:09}", ns < 0 ? "-" : "", magnitude / 1'000'000'000, magnitude % 1'000'000'000);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

template <class T>
std::string optionalText(const std::optional<T>& value)
{
    return value ? fmt::format("{}", *value) : std::string();
}

std::string optionalSeconds(const std::optional<Nanos>& value)
{
    return value ? secondsText(*value) : std::string();
}

std::optional<Nanos> between(const std::optional<Nanos>& from, const std::optional<Nanos>& to)
{
    return from && to ? std::optional(*to - *from) : std::nullopt;
}

// Mean gap between tokens (TPOT of metrics.md): undefined for fewer than two.
std::string tpotText(const RequestFigures& figures)
{
    const auto span = between(figures.first_token_ns, figures.last_token_ns);
    if (!span || figures.output_tokens < 2) return {};
    return jsonNumber(toSeconds(*span) / (figures.output_tokens - 1));
}

template <class T>
Ordered optionalJson(const std::optional<T>& value)
{
    return value ? Ordered(*value) : Ordered(nullptr);
}

std::map<RequestIndex, RequestFigures> figuresByRequest(const StoredRun& run)
{
    std::map<RequestIndex, RequestFigures> figures;
    for (auto& one : requestFigures(run.log))
        figures[one.request] = one;
    for (const auto& request : run.requests) // one that never arrived still has its line
        if (!figures.contains(request.index)) {
            RequestFigures absent;
            absent.request = request.index;
            absent.prompt_tokens = static_cast<int>(request.prompt_ids.size());
            figures[request.index] = absent;
        }
    return figures;
}

std::map<RequestIndex, const StoredRequest*> requestsByIndex(const StoredRun& run)
{
    std::map<RequestIndex, const StoredRequest*> requests;
    for (const auto& request : run.requests)
        requests[request.index] = &request;
    return requests;
}

Ordered requestJson(const RequestFigures& figures, const StoredRequest* stored, const StoredRun& run)
{
    Ordered json;
    json["request"] = figures.request;
    json["id"] = stored ? Ordered(stored->id) : Ordered(nullptr);
    json["client"] = stored ? Ordered(stored->client) : Ordered(nullptr);
    json["priority"] = stored ? Ordered(stored->priority) : Ordered(nullptr);
    json["prompt"] = stored ? Ordered(stored->prompt) : Ordered(nullptr);
    json["prompt_tokens"] = figures.prompt_tokens;
    json["recorded_output_tokens"] = stored ? optionalJson(stored->recorded_output_tokens) : Ordered(nullptr);
    json["predicted_tokens"] = optionalJson(figures.predicted_tokens);
    json["output_tokens"] = figures.completed_ns ? Ordered(figures.output_tokens) : Ordered(nullptr);
    json["end"] = figures.end ? Ordered(rowEndName(*figures.end)) : Ordered(nullptr);
    json["arrival_ns"] = figures.arrival_ns;
    json["scheduled_ns"] = optionalJson(figures.scheduled_ns);
    json["first_token_ns"] = optionalJson(figures.first_token_ns);
    json["last_token_ns"] = optionalJson(figures.last_token_ns);
    json["completed_ns"] = optionalJson(figures.completed_ns);
    json["attempts"] = figures.attempts;
    json["delivered_steps"] = figures.delivered_steps;
    json["abandoned_steps"] = figures.abandoned_steps;
    json["abandoned_tokens"] = figures.abandoned_tokens;
    json["attempt_ids"] = Ordered::array();
    for (int attempt = 0; attempt < figures.attempts; ++attempt) {
        const auto ids = run.tokens.find({figures.request, static_cast<std::uint16_t>(attempt)});
        json["attempt_ids"].push_back(ids == run.tokens.end() ? Ordered(nullptr) : Ordered(ids->second));
    }
    return json;
}

std::string dumped(const auto& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::string exportJson(const StoredRun& run)
{
    const auto requests = requestsByIndex(run);
    std::string text = "{\"schema\":\"batchscope.run/1\",\n\"result\":" + dumped(resultJson(run.record)) +
                       ",\n\"record\":" + dumped(recordToJson(run.record)) + ",\n\"requests\":[";
    bool first = true;
    for (const auto& [index, figures] : figuresByRequest(run)) {
        const auto stored = requests.find(index);
        text += first ? "\n" : ",\n";
        text += dumped(requestJson(figures, stored == requests.end() ? nullptr : stored->second, run));
        first = false;
    }
    text += "],\n\"events\":[";
    for (std::size_t i = 0; i < run.log.size(); ++i)
        text += (i > 0 ? ",\n" : "\n") + eventJson(run.log[i]);
    return text + "]}\n";
}

std::string exportCsv(const StoredRun& run)
{
    // Durations are of one unit throughout; the unit ends the column's name. An empty field: no data.
    std::string text =
        "run,strategy,repetition,request,id,client,priority,prompt_tokens,recorded_output_tokens,predicted_"
        "tokens,"
        "output_tokens,end,arrival_s,dispatched_s,scheduled_s,first_token_s,last_token_s,completed_s,"
        "queueing_delay_s,ttft_s,tpot_s,e2el_s,attempts,delivered_steps,abandoned_steps,"
        "abandoned_tokens,prompt\r\n";
    const auto requests = requestsByIndex(run);
    for (const auto& [index, figures] : figuresByRequest(run)) {
        const auto found = requests.find(index);
        const StoredRequest stored = found == requests.end() ? StoredRequest{} : *found->second;
        const std::optional<Nanos> arrival(figures.arrival_ns);
        const std::vector<std::string> fields{run.record.uuid,
                                              run.record.name,
                                              std::to_string(run.record.repetition),
                                              std::to_string(index),
                                              stored.id,
                                              stored.client,
                                              std::to_string(stored.priority),
                                              std::to_string(figures.prompt_tokens),
                                              optionalText(stored.recorded_output_tokens),
                                              optionalText(figures.predicted_tokens),
                                              figures.completed_ns ? std::to_string(figures.output_tokens)
                                                                   : std::string(),
                                              figures.end ? rowEndName(*figures.end) : std::string(),
                                              secondsText(figures.arrival_ns),
                                              secondsText(figures.dispatched_ns),
                                              optionalSeconds(figures.scheduled_ns),
                                              optionalSeconds(figures.first_token_ns),
                                              optionalSeconds(figures.last_token_ns),
                                              optionalSeconds(figures.completed_ns),
                                              optionalSeconds(between(arrival, figures.scheduled_ns)),
                                              optionalSeconds(between(arrival, figures.first_token_ns)),
                                              tpotText(figures),
                                              optionalSeconds(between(arrival, figures.completed_ns)),
                                              std::to_string(figures.attempts),
                                              std::to_string(figures.delivered_steps),
                                              std::to_string(figures.abandoned_steps),
                                              std::to_string(figures.abandoned_tokens),
                                              stored.prompt};
        for (std::size_t i = 0; i < fields.size(); ++i)
            text += (i > 0 ? "," : "") + csvField(fields[i]);
        text += "\r\n";
    }
    return text;
}

std::string exportEventsJsonl(const EventLog& log)
{
    std::string text;
    for (const auto& event : log)
        text += eventJson(event) + '\n';
    return text;
}

} // namespace batchscope::sessions
