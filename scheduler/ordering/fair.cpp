// SPDX-License-Identifier: GPL-3.0-or-later
// Virtual token counters (arXiv 2401.00588): the client that has been given least goes first.
#include "scheduler/ordering/fair.h"

#include "scheduler/ordering/ageing.h"
#include "scheduler/ordering/ordering.h"
#include "scheduler/parts/knobs.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace batchscope {
namespace {

// Counters of the clients, and a heap of those of whom somebody waits, in which a client moves when its
// counter or its first request does: a pass charges every row that runs.
class ClientCounters final : public WaitingOrder
{
public:
    void enter(const Standing& standing, Nanos) override
    {
        Asked& asked = askedBy(standing);
        Client& client = m_clients[asked.client];
        if (client.waiting == 0) // back from idle: what it did not ask for meanwhile is no credit
            client.counter =
                std::max(client.counter, m_heap.empty() ? m_last_served : m_clients[m_heap.front()].counter);
        ++client.waiting;
        asked.waits = true;
        client.queue.push({standing.arrival_ns, standing.request});
        dropWhoLeft(client);
        if (client.place == k_nowhere) {
            client.place = m_heap.size();
            m_heap.push_back(asked.client);
        }
        settle(asked.client);
    }
    void leave(RequestIndex request) override
    {
        Asked& asked = m_asked[request];
        Client& client = m_clients[asked.client];
        asked.waits = false;
        --client.waiting;
        dropWhoLeft(client);
        if (client.waiting > 0) return settle(asked.client);
        m_last_served = client.counter;
        const std::uint32_t last = m_heap.back();
        m_heap.pop_back();
        if (last != asked.client) {
            m_clients[last].place = client.place;
            m_heap[client.place] = last;
            settle(last);
        }
        client.place = k_nowhere;
    }
    std::optional<OrderKey> first(Nanos) override
    {
        if (m_heap.empty()) return std::nullopt;
        const Client& client = m_clients[m_heap.front()];
        return OrderKey{client.counter, client.queue.top().first, client.queue.top().second};
    }
    void charge(const Standing& standing, double tokens)
    {
        const std::uint32_t index = askedBy(standing).client;
        m_clients[index].counter += tokens;
        if (m_clients[index].place != k_nowhere) settle(index);
    }
    double counter(const Standing& standing) const
    {
        if (standing.request < m_asked.size() && m_asked[standing.request].client != k_unknown)
            return m_clients[m_asked[standing.request].client].counter;
        const auto found = m_index.find(std::string(standing.client));
        return found == m_index.end() ? 0.0 : m_clients[found->second].counter;
    }

private:
    static constexpr std::uint32_t k_unknown = 0xFFFFFFFF;
    static constexpr std::size_t k_nowhere = static_cast<std::size_t>(-1);
    using Turn = std::pair<Nanos, RequestIndex>; // by arrival
    struct Client
    {
        double counter = 0.0;
        std::size_t waiting = 0;
        std::size_t place = k_nowhere; // in the heap
        // Its waiting requests; those that left are dropped when they come up.
        std::priority_queue<Turn, std::vector<Turn>, std::greater<>> queue;
    };
    struct Asked
    {
        std::uint32_t client = k_unknown;
        bool waits = false;
    };

    Asked& askedBy(const Standing& standing)
    {
        if (standing.request >= m_asked.size())
            m_asked.resize(std::max<std::size_t>(standing.request + std::size_t{1}, 2 * m_asked.size()));
        Asked& asked = m_asked[standing.request];
        if (asked.client != k_unknown) return asked;
        const auto [found, is_new] = m_index.try_emplace(std::string(standing.client), m_clients.size());
        if (is_new) m_clients.emplace_back();
        asked.client = static_cast<std::uint32_t>(found->second);
        return asked;
    }
    void dropWhoLeft(Client& client)
    {
        while (!client.queue.empty() && !m_asked[client.queue.top().second].waits)
            client.queue.pop();
    }
    bool isBefore(std::uint32_t a, std::uint32_t b) const
    {
        const Client &one = m_clients[a], &other = m_clients[b];
        if (one.counter != other.counter) return one.counter < other.counter;
        return one.queue.top() < other.queue.top();
    }
    void put(std::size_t place, std::uint32_t client)
    {
        m_heap[place] = client;
        m_clients[client].place = place;
    }
    // To where it belongs now.
    void settle(std::uint32_t client)
    {
        std::size_t place = m_clients[client].place;
        for (; place > 0 && isBefore(client, m_heap[(place - 1) / 2]); place = (place - 1) / 2)
            put(place, m_heap[(place - 1) / 2]);
        for (std::size_t child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1) {
            if (child + 1 < m_heap.size() && isBefore(m_heap[child + 1], m_heap[child])) ++child;
            if (!isBefore(m_heap[child], client)) break;
            put(place, m_heap[child]);
            place = child;
        }
        put(place, client);
    }

    std::unordered_map<std::string, std::size_t> m_index; // of the clients
    std::vector<Client> m_clients;
    std::vector<std::uint32_t> m_heap; // clients of whom somebody waits: least counter, then who came first
    std::vector<Asked> m_asked;        // by request
    double m_last_served = 0.0;        // counter of the client that left the queue last
};

class Fair final : public Ordering
{
public:
    Fair(double input_weight, double output_weight) : m_input(input_weight), m_output(output_weight) {}
    double key(const Standing& standing, Nanos) const override
    {
        return m_counters != nullptr ? m_counters->counter(standing) : 0.0;
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
            m_counters->charge(standing, m_input * read_tokens + m_output * generated_tokens);
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
