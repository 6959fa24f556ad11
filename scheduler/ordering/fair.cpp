// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual token counters (arXiv 2401.00588): the client that has been given least goes first.
#include "scheduler/ordering/fair.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace batchscope {
namespace {

class ClientCounters final : public WaitingOrder
{
public:
    void enter(const Standing& standing, Nanos) override
    {
        const std::size_t index = indexOf(standing.client);
        Client& client = m_clients[index];
        if (client.waiting.empty()) // back from idle: what it did not ask for meanwhile is no credit
            client.counter =
                std::max(client.counter, m_order.empty() ? m_last_served : std::get<0>(*m_order.begin()));
        else
            m_order.erase(place(index));
        client.waiting.insert({standing.arrival_ns, standing.request});
        m_order.insert(place(index));
        if (standing.request >= m_of.size())
            m_of.resize(std::max<std::size_t>(standing.request + std::size_t{1}, 2 * m_of.size()));
        m_of[standing.request] = {standing.arrival_ns, index};
    }
    void leave(RequestIndex request) override
    {
        const auto [arrival_ns, index] = m_of[request];
        Client& client = m_clients[index];
        m_order.erase(place(index));
        client.waiting.erase({arrival_ns, request});
        if (client.waiting.empty())
            m_last_served = client.counter;
        else
            m_order.insert(place(index));
    }
    std::optional<OrderKey> first(Nanos) override
    {
        if (m_order.empty()) return std::nullopt;
        const auto& [counter, arrival_ns, request, index] = *m_order.begin();
        return OrderKey{counter, arrival_ns, request};
    }
    void charge(std::string_view name, double tokens)
    {
        const std::size_t index = indexOf(name);
        Client& client = m_clients[index];
        if (!client.waiting.empty()) m_order.erase(place(index));
        client.counter += tokens;
        if (!client.waiting.empty()) m_order.insert(place(index));
    }
    double counter(std::string_view name) const
    {
        const auto found = m_index.find(std::string(name));
        return found == m_index.end() ? 0.0 : m_clients[found->second].counter;
    }

private:
    using Place = std::tuple<double, Nanos, RequestIndex, std::size_t>; // counter, who came first, client
    struct Client
    {
        double counter = 0.0;
        std::set<std::pair<Nanos, RequestIndex>> waiting;
    };
    std::size_t indexOf(std::string_view name)
    {
        const auto [found, is_new] = m_index.try_emplace(std::string(name), m_clients.size());
        if (is_new) m_clients.emplace_back();
        return found->second;
    }
    Place place(std::size_t index) const
    {
        const Client& client = m_clients[index];
        return {client.counter, client.waiting.begin()->first, client.waiting.begin()->second, index};
    }

    std::unordered_map<std::string, std::size_t> m_index;
    std::vector<Client> m_clients;
    std::set<Place> m_order;                         // clients of whom somebody waits
    std::vector<std::pair<Nanos, std::size_t>> m_of; // arrival and client, by request
    double m_last_served = 0.0;                      // counter of the client that left the queue last
};

class Fair final : public Ordering
{
public:
    Fair(double input_weight, double output_weight) : m_input(input_weight), m_output(output_weight) {}
    double key(const Standing& standing, Nanos) const override
    {
        return m_counters != nullptr ? m_counters->counter(standing.client) : 0.0;
    }
    std::unique_ptr<WaitingOrder> makeOrder() override
    {
        auto counters = std::make_unique<ClientCounters>();
        m_counters = counters.get();
        return counters;
    }
    bool followsService() const override { return true; }
    void served(const Standing& standing, int read_tokens, int generated_tokens) override
    {
        if (m_counters != nullptr)
            m_counters->charge(standing.client, m_input * read_tokens + m_output * generated_tokens);
    }

private:
    double m_input, m_output;
    ClientCounters* m_counters = nullptr; // the run's queue
};

} // namespace

void registerFair(Registry& registry)
{
    PartDescriptor part;
    part.kind = PartKind::Ordering;
    part.type = "fair";
    part.title = "Fair among clients";
    part.help =
        "Every client has a counter of the tokens it was given; the smallest goes first, and a client that "
        "comes back from idle starts level with the others (virtual token counter).";
    part.params = {
        realKnob({"input_weight", "Weight of a prompt token", "", "What reading a prompt token adds.",
                  "1: as in the paper on virtual token counters"},
                 1.0, 0.0, 100.0),
        realKnob({"output_weight", "Weight of an output token", "", "What an output token adds.",
                  "2: as in the paper on virtual token counters"},
                 2.0, 0.0, 100.0)};
    for (ParamDescriptor& knob : ageingKnobs())
        part.params.push_back(std::move(knob));
    registry.addOrdering(std::move(part),
                         [](const PartSpec& spec, const PartDescriptor& own) -> std::unique_ptr<Ordering> {
                             return std::make_unique<Fair>(realParam(spec, own, "input_weight"),
                                                           realParam(spec, own, "output_weight"));
                         });
}

} // namespace batchscope
