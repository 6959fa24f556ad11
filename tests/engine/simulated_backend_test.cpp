// SPDX-License-Identifier: GPL-3.0-or-later
// The simulator pass by pass: times worked by hand, row ends, bounds, memory and refusals.
#include "engine/simulated/simulated_backend.h"
#include "scheduler/random.h"
#include "tests/support/test_main.h"

#include <limits>

using namespace batchscope;
using namespace batchscope::engine;

namespace {

constexpr Nanos k_no_bound = std::numeric_limits<Nanos>::max();

CostModel modelOf(Picos pass, Picos row, Picos context_token, Picos prefill_token, Picos reading_pass)
{
    CostModel model;
    model.name = "by hand";
    model.pass_ps = pass;
    model.row_ps = row;
    model.context_token_ps = context_token;
    model.prefill_token_ps = prefill_token;
    model.reading_pass_ps = reading_pass;
    return model;
}

struct Job
{
    int prompt_tokens = 4;
    int output_tokens = 1;
    int cap = 512;
};

// Drives one static batch as the loop does and keeps every result.
class Drive
{
public:
    Drive(const CostModel& model, const std::vector<Job>& jobs) : m_backend(model, m_clock)
    {
        m_plan.first = true;
        m_requests.resize(jobs.size());
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            m_requests[i].index = static_cast<RequestIndex>(i);
            m_requests[i].prompt_tokens = jobs[i].prompt_tokens;
            const SlotHandle slot =
                m_backend.admit({&m_requests[i], jobs[i].cap, jobs[i].output_tokens, {}}, std::nullopt);
            m_plan.rows.push_back({slot, RowRole::Read, jobs[i].prompt_tokens});
            m_plan.padded_prompt_tokens = std::max(m_plan.padded_prompt_tokens, jobs[i].prompt_tokens);
            m_plan.limit_steps = std::max(m_plan.limit_steps, jobs[i].cap);
        }
    }

    PassResult step(std::uint32_t at_most = 1'000'000'000, Nanos not_beyond_ns = k_no_bound)
    {
        const PassResult result = m_backend.run(m_plan, at_most, m_clock.now(), not_beyond_ns);
        m_clock.advancePs(spanPs(result.first_ps, result.growth_ps, result.steps));
        m_plan.first = false;
        for (PlanRow& row : m_plan.rows)
            if (row.role == RowRole::Read) row.role = RowRole::Decode;
        for (const RowOutcome& outcome : result.ended) {
            m_plan.rows[outcome.row].role = RowRole::Burn;
            ++m_ended;
        }
        ++m_calls;
        return result;
    }

    void finish(std::uint32_t at_most = 1'000'000'000)
    {
        while (m_ended < m_plan.rows.size())
            step(at_most);
    }

    VirtualClock m_clock;
    SimulatedBackend m_backend;
    Plan m_plan;
    std::vector<Request> m_requests;
    std::size_t m_ended = 0;
    int m_calls = 0;
};

bool is(const PassResult& result, std::uint32_t steps, Picos first_ps, Picos growth_ps)
{
    if (result.steps == steps && result.first_ps == first_ps && result.growth_ps == growth_ps) return true;
    qWarning("%u passes, first %lld ps, growth %lld ps", result.steps,
             static_cast<long long>(result.first_ps), static_cast<long long>(result.growth_ps));
    return false;
}

std::string refusal(const std::function<void()>& act)
{
    try {
        act();
    } catch (const BackendError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

class SimulatedBackendTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // a = 1000, b = 10, c = 3, d = 5, e = 7 ps; prompts of 4 and 6 tokens padded to 6; 2 and 4 output tokens.
    // Pass 1 reads: 1000 + 10 * 2 + 3 * (2 * 6) + 5 * (2 * 6) + 7 = 1123.
    // Pass 2: 1000 + 20 + 3 * (2 * 7) = 1062, and each later one 3 * 2 = 6 more, ended rows included.
    void passTimesByHand()
    {
        Drive drive(modelOf(1000, 10, 3, 5, 7), {{4, 2}, {6, 4}});
        const PassResult read = drive.step();
        QVERIFY(is(read, 1, 1123, 0));
        QVERIFY(read.ended.empty());
        const PassResult until_first =
            drive.step(); // passes 2 and 3: row 0 yields its second token, then its end
        QVERIFY(is(until_first, 2, 1062, 6));
        QCOMPARE(until_first.ended.size(), std::size_t{1});
        QCOMPARE(until_first.ended[0].row, std::size_t{0});
        QVERIFY(until_first.ended[0].cause == RowEnd::Length);
        QCOMPARE(until_first.ended[0].output_tokens, 2);
        const PassResult rest = drive.step(); // passes 4 and 5: row 0 burns on
        QVERIFY(is(rest, 2, 1074, 6));
        QCOMPARE(rest.ended.size(), std::size_t{1});
        QCOMPARE(rest.ended[0].output_tokens, 4);
        // 1123 + 1062 + 1068 + 1074 + 1080
        QCOMPARE(drive.m_clock.nowPs(), Picos{5407});
        QCOMPARE(drive.m_clock.now(), Nanos{5});
    }

    // The request of 6 prompt and 4 output tokens by itself, in 5 passes:
    // 1000 + 10 + 3 * 6 + 5 * 6 + 7 = 1065, then 1010 + 3 * 7 = 1031, 1034, 1037 and 1040: 5207 ps.
    void timeOfARequestAloneByHand()
    {
        const CostModel model = modelOf(1000, 10, 3, 5, 7);
        QCOMPARE(serviceAlone(model, 6, 5), Nanos{5});
        CostModel thousandfold = modelOf(1'000'000, 10'000, 3'000, 5'000, 7'000);
        QCOMPARE(serviceAlone(thousandfold, 6, 5), Nanos{5207});
        QCOMPARE(serviceAlone(thousandfold, 6, 1), Nanos{1065});
        QCOMPARE(serviceAlone(thousandfold, 6, 0), Nanos{0});
        Drive drive(thousandfold, {{6, 4}});
        drive.finish();
        QCOMPARE(drive.m_clock.now(), Nanos{5207});
        thousandfold.context_token_ps = 1'000'000'000'000;
        QVERIFY(refusal([&] { serviceAlone(thousandfold, 6, 1'000'000'000); }).find("106 days") !=
                std::string::npos);
    }

    void rowsThatEndTogetherAreToldTogether()
    {
        Drive drive(modelOf(1, 0, 0, 0, 0), {{4, 3}, {4, 3}});
        drive.step();
        QCOMPARE(drive.step().ended.size(), std::size_t{2});
    }

    // A cap of n is reached in n passes, by a length of n too; a length of n - 1 takes n passes as well, the
    // last for the end of sequence.
    void capAndLengthEnds_data()
    {
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<bool>("cap");
        QTest::newRow("no token") << 0 << 1 << 0 << false;
        QTest::newRow("one token") << 1 << 2 << 1 << false;
        QTest::newRow("one below the cap") << 4 << 5 << 4 << false;
        QTest::newRow("at the cap") << 5 << 5 << 5 << true;
        QTest::newRow("above the cap") << 99 << 5 << 5 << true;
    }

    void capAndLengthEnds()
    {
        QFETCH(int, length);
        QFETCH(int, passes);
        QFETCH(int, tokens);
        QFETCH(bool, cap);
        Drive drive(modelOf(1000, 0, 0, 0, 0), {{4, length, 5}});
        int run = 0;
        PassResult result;
        do {
            result = drive.step();
            run += static_cast<int>(result.steps);
        } while (result.ended.empty());
        QCOMPARE(run, passes);
        QCOMPARE(result.ended[0].output_tokens, tokens);
        QVERIFY(result.ended[0].cause == (cap ? RowEnd::Cap : RowEnd::Length));
    }

    void spansEqualTheSumOfTheirPasses()
    {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            Random random(seed);
            const auto draw = [&](std::uint32_t n) { return static_cast<int>(random.below(n)); };
            const CostModel model = modelOf(draw(1'000'000), draw(5000), draw(90), draw(700), draw(9000));
            std::vector<Job> jobs;
            for (int i = 0; i < 1 + draw(20); ++i)
                jobs.push_back({1 + draw(50), draw(200), 1 + draw(250)});
            Drive whole(model, jobs), single(model, jobs);
            whole.finish();
            single.finish(1);
            const QByteArray where = "seed " + QByteArray::number(static_cast<qulonglong>(seed));
            QVERIFY2(whole.m_clock.nowPs() == single.m_clock.nowPs(), where.constData());
            QVERIFY2(whole.m_calls <= 1 + static_cast<int>(jobs.size()), where.constData());
        }
    }

    // The cost goes with rows, not with tokens.
    void aBillionTokensAreTwoSpans()
    {
        Drive drive(modelOf(1000, 0, 0, 0, 0), {{4, 999'999'999, 2'000'000'000}});
        drive.finish();
        QCOMPARE(drive.m_calls, 2);
        QCOMPARE(drive.m_clock.now(), Nanos{1'000'000'000});
    }

    // The clock stands at 1123 ps when a bound of 2 ns is given: the next pass, of 900 ps, ends at 2023 ps
    // and reaches it. From the 1 ns that the loop sees it would end at 1900 ps and another pass would be run
    // too late.
    void boundsAreMetToThePicosecond()
    {
        Drive drive(modelOf(900, 0, 0, 0, 223), {{4, 400}});
        QVERIFY(is(drive.step(100, 0), 1, 1123, 0)); // a bound already passed: one pass
        QVERIFY(is(drive.step(100, 2), 1, 900, 0));
        // At 2023 ps; passes end at 2923, 3823, 4723, 5623: the fourth is the first at or beyond 5 ns.
        QVERIFY(is(drive.step(100, 5), 4, 900, 0));
        QVERIFY(is(drive.step(3, 1000), 3, 900, 0)); // at most as many as asked for
    }

    // A pass that ends exactly at the bound is the last.
    void aPassThatEndsAtTheBoundIsTheLast()
    {
        Drive drive(modelOf(1000, 0, 0, 0, 0), {{4, 400}});
        drive.step();
        QCOMPARE(drive.step(100, 4).steps, 3U); // from 1 ns: 2, 3, 4 ns
    }

    void memoryIsThatOfTheBatch()
    {
        CostModel model = modelOf(1, 0, 0, 0, 0);
        model.weights_bytes = 1000;
        model.kv_bytes_per_token = 2;
        model.kv_bytes = 5000;
        model.context = 2048;
        Drive drive(model, {{4, 2, 8}, {6, 4, 8}});
        QCOMPARE(drive.m_backend.memory().kv_allocated_bytes, 0);
        drive.step();
        // Two rows of 6 padded prompt tokens and at most 8 new ones; (4 + 1) + (6 + 1) tokens are there.
        QCOMPARE(drive.m_backend.memory().kv_allocated_bytes, 2 * 2 * (6 + 8));
        QCOMPARE(drive.m_backend.memory().kv_used_bytes, 2 * 12);
        QCOMPARE(drive.m_backend.memory().weights_bytes, 1000);
        drive.finish();
        for (const PlanRow& row : drive.m_plan.rows)
            drive.m_backend.release(row.slot);
        QCOMPARE(drive.m_backend.memory().kv_allocated_bytes, 0);
        QCOMPARE(drive.m_backend.memory().kv_used_bytes, 0);
        const Capabilities capabilities = drive.m_backend.capabilities();
        QVERIFY(!capabilities.measured && capabilities.continuous && !capabilities.free_lengths);
        QCOMPARE(capabilities.context, 2048);
        QCOMPARE(capabilities.kv_bytes, std::optional<std::int64_t>(5000));
        QCOMPARE(capabilities.kv_bytes_per_token, 2);
    }

    void slotsAreUsedAgainAndResetDropsThem()
    {
        Drive drive(modelOf(1, 0, 0, 0, 0), {{4, 2}, {6, 4}});
        const SlotHandle freed = drive.m_plan.rows[0].slot;
        drive.m_backend.release(freed);
        QCOMPARE(drive.m_backend.admit({&drive.m_requests[0], 5, 2, {}}, std::nullopt), freed);
        drive.m_backend.reset();
        QVERIFY(refusal([&] { drive.m_backend.release(freed); }).find("slot") != std::string::npos);
    }

    void whatItCannotRunIsRefused()
    {
        Drive drive(modelOf(1, 0, 0, 0, 0), {{4, 2}});
        const Request& request = drive.m_requests[0];
        const auto said = [](const std::string& message, const char* part) {
            if (message.find(part) != std::string::npos) return true;
            qWarning("'%s' is not in: %s", part, message.c_str());
            return false;
        };
        QVERIFY(said(refusal([&] {
                         drive.m_backend.admit({&request, 5, std::nullopt, {}}, std::nullopt);
                     }),
                     "no output length"));
        QVERIFY(said(refusal([&] {
                         drive.m_backend.admit({&request, 5, 2, {}}, SlotHandle{0});
                     }),
                     "no prefill"));
        QVERIFY(said(refusal([&] { drive.m_backend.admit({&request, 5, -1, {}}, std::nullopt); }), "-1"));
        Plan plan = drive.m_plan;
        plan.static_batch = false;
        plan.rows[0].role = RowRole::Burn; // a continuous batch's ended rows leave
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "in a continuous batch"));
        plan.rows[0].role = RowRole::Decode;
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }),
                     "4 of its prompt are unread"));
        plan.rows[0] = {plan.rows[0].slot, RowRole::Read, 5};
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "5 tokens to read"));
        plan = drive.m_plan;
        plan.rows[0].prompt_tokens = 3;
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "3 of its 4"));
        plan = drive.m_plan;
        plan.rows[0].role = RowRole::Stall;
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "stall"));
        plan = drive.m_plan;
        plan.rows[0].slot = 77;
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "77"));
        plan.rows.clear();
        QVERIFY(said(refusal([&] { drive.m_backend.run(plan, 1, 0, k_no_bound); }), "0 rows"));
    }

    void aPassBeyondTheClocksRangeIsRefused()
    {
        Drive drive(modelOf(std::numeric_limits<Picos>::max(), 1, 0, 0, 0), {{4, 2}});
        QVERIFY(refusal([&] { drive.step(); }).find("106 days") != std::string::npos);
    }
};

BATCHSCOPE_TEST(SimulatedBackendTest)
#include "simulated_backend_test.moc"
