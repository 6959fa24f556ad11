// SPDX-License-Identifier: GPL-3.0-or-later
// The backend of measured runs as the loop uses it: steps, ends, burnt and held rows, errors.
#include "scheduler/clock.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_models.h"
#include "tests/support/torch_rows.h"

#include <cmath>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

class TorchBackendTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        BATCHSCOPE_NEED_TORCH();
        RandomLlama shape;
        shape.eos = 0;
        m_model = m_models.make("model", shape);
        m_backend = torchPlugin().makeBackend(*m_model, m_clock);
        Random random(99);
        for (RequestIndex i = 0; i < 6; ++i)
            m_requests.push_back(requestOf(i, randomPrompt(random, 2 + 5 * static_cast<int>(i))));
    }
    void cleanupTestCase()
    {
        m_backend.reset();
        m_model.reset();
    }
    void init() { m_backend->reset(); }

    void tellsWhatItCan()
    {
        const Capabilities can = m_backend->capabilities();
        QVERIFY(can.measured && can.free_lengths && can.continuous);
        QCOMPARE(can.context, 128);
        QCOMPARE(can.kv_bytes_per_token,
                 std::int64_t{2 * 2 * 2 * 16 * 4}); // layers, k and v, kv heads, head, f32
        QVERIFY(can.kv_bytes && *can.kv_bytes > 0);
    }

    void everyStepIsTimedAndTheFirstEndReturns()
    {
        BatchDriver batch(*m_backend);
        batch.add(admission(0, 3));
        batch.add(admission(1, 9));
        const PassResult first = batch.pass(64);
        QCOMPARE(first.steps, 3u);
        QCOMPARE(first.durations_ns.size(), std::size_t{3});
        for (const Nanos duration : first.durations_ns)
            QVERIFY(duration > 0);
        QCOMPARE(first.ended.size(), std::size_t{1});
        QCOMPARE(first.ended.front().cause, RowEnd::Cap);
        QCOMPARE(first.ended.front().output_tokens, 3);
        QCOMPARE(first.new_ids[1].size(), std::size_t{3});
        batch.toTheEnd();
        QCOMPARE(batch.passes, 9u);
        QCOMPARE(batch.ids[0].size(), std::size_t{3}); // burnt on without another token
        QCOMPARE(batch.ids[1], alone(1, 9));
    }

    void returnsAtTheTimeAskedFor()
    {
        BatchDriver batch(*m_backend);
        batch.add(admission(0, 40));
        QCOMPARE(batch.pass(64, 1).steps, 1u);
        QCOMPARE(batch.pass(5).steps, 5u);
    }

    void burntRowsAreComputed() // not skipped: they cost what they cost on a real server
    {
        BatchDriver batch(*m_backend);
        for (RequestIndex i = 0; i < 3; ++i)
            batch.add(admission(i, i == 2 ? 20 : 2));
        batch.pass(2);
        const std::int64_t used = m_backend->memory().kv_used_bytes;
        batch.pass(4);
        const std::int64_t per_token = m_backend->capabilities().kv_bytes_per_token;
        QCOMPARE(m_backend->memory().kv_used_bytes - used, 4 * 3 * per_token); // all three rows grew
    }

    void aForcedLengthHoldsTheEndBackAndForcesIt_data()
    {
        QTest::addColumn<int>("length");
        QTest::addColumn<int>("cap");
        for (const int length : {0, 1, 2, 7, 12})
            QTest::addRow("%d tokens", length) << length << 30;
        QTest::newRow("at the cap") << 8 << 8;
        QTest::newRow("above the cap") << 20 << 8;
    }
    void aForcedLengthHoldsTheEndBackAndForcesIt()
    {
        QFETCH(int, length);
        QFETCH(int, cap);
        RandomLlama shape;
        shape.eos = alone(2, 1).front(); // a model that would end at once
        const auto model = m_models.make("ends", shape);
        const auto backend = torchPlugin().makeBackend(*model, m_clock);
        BatchDriver free(*backend);
        free.add(admission(2, cap));
        free.toTheEnd();
        QCOMPARE(free.ends[0]->cause, RowEnd::Eos);
        QCOMPARE(free.ends[0]->output_tokens, 0);
        QCOMPARE(free.passes, 1u);

        BatchDriver batch(*backend);
        Admission forced = admission(2, cap);
        forced.forced_length = length;
        batch.add(forced);
        batch.toTheEnd();
        const bool capped = length >= cap;
        QCOMPARE(batch.ends[0]->cause, capped ? RowEnd::Cap : RowEnd::Length);
        QCOMPARE(batch.ends[0]->output_tokens, std::min(length, cap));
        QCOMPARE(batch.ids[0].size(), static_cast<std::size_t>(std::min(length, cap)));
        QCOMPARE(batch.passes, static_cast<std::uint32_t>(capped ? cap : length + 1)); // the end takes a step
        for (const TokenId id : batch.ids[0])
            QVERIFY(id != shape.eos);
    }

    void aHeldRowGoesOnInAnotherBatch() // extend, keep-kv
    {
        BatchDriver first(*m_backend);
        first.add(admission(3, 40));
        first.add(admission(1, 40));
        first.pass(5);
        const SlotHandle slot = first.plan().rows[1].slot;
        m_backend->hold(slot);
        m_backend->release(first.plan().rows[0].slot);
        QCOMPARE(m_backend->memory().kv_used_bytes, (m_requests[1].prompt_tokens + 4) * perToken());

        BatchDriver second(*m_backend);
        second.add(admission(4, 40));
        second.add(admission(1, 40), slot, RowRole::Decode);
        second.plan().padded_prompt_tokens =
            std::max(m_requests[4].prompt_tokens, m_requests[1].prompt_tokens + 5);
        second.toTheEnd();
        std::vector<TokenId> whole = first.ids[1];
        whole.insert(whole.end(), second.ids[1].begin(), second.ids[1].end());
        QCOMPARE(whole, alone(1, 40));
        QCOMPARE(second.ids[0], alone(4, 40));
        QCOMPARE(second.ends[1]->output_tokens, 40);
    }

    void errorsLeaveAsBackendErrorAndAResetHeals()
    {
        const auto said = [](const std::function<void()>& act) -> std::string {
            try {
                act();
            } catch (const BackendError& error) {
                return error.what();
            }
            return {};
        };
        const Request empty = requestOf(9, {});
        QVERIFY(said([&] { m_backend->admit({&empty, 4, {}, {}}, {}); }).find("empty") != std::string::npos);
        QVERIFY(said([&] { m_backend->admit(admission(0, 127), {}); }).find("leaves 1 to 126") !=
                std::string::npos);
        QVERIFY(said([&] { m_backend->hold(12345); }).find("12345") != std::string::npos);
        Plan plan;
        plan.first = true;
        plan.padded_prompt_tokens = 1 << 20;
        plan.limit_steps = 1 << 20;
        plan.rows.assign(4096, {m_backend->admit(admission(0, 4), {}), RowRole::Read, 2});
        QVERIFY(said([&] { m_backend->run(plan, 1, 0, 1); }).find("fewer rows") != std::string::npos);
        m_backend->reset();
        BatchDriver batch(*m_backend);
        batch.add(admission(0, 4));
        batch.toTheEnd();
        QCOMPARE(batch.ids[0], alone(0, 4));
        QCOMPARE(m_backend->memory().weights_bytes, m_model->weightBytes());
        m_backend->reset();
        QCOMPARE(m_backend->memory().kv_allocated_bytes, std::int64_t{0});
    }

    void samplingValuesThatMeanNothingAreRefused_data() // M4
    {
        QTest::addColumn<double>("temperature");
        QTest::addColumn<double>("top_p");
        QTest::addColumn<bool>("valid");
        QTest::addColumn<bool>("greedy");
        QTest::newRow("zero") << 0.0 << 1.0 << true << true;
        QTest::newRow("tiny") << 1e-6 << 1.0 << true << true;
        QTest::newRow("at the bound") << 1e-4 << 1.0 << true << true;
        QTest::newRow("hardly above it") << 2e-4 << 1.0 << true << true; // any other token weighs e^-1000
        QTest::newRow("least top-p") << 1.0 << 1e-4 << true << true;     // the first token alone
        QTest::newRow("warm") << 1.0 << 1.0 << true << false;
        QTest::newRow("hot") << 1e6 << 1.0 << true << false;
        QTest::newRow("negative") << -0.5 << 1.0 << false << false;
        QTest::newRow("not a number") << std::nan("") << 1.0 << false << false;
        QTest::newRow("infinite") << HUGE_VAL << 1.0 << false << false;
        QTest::newRow("top-p zero") << 1.0 << 0.0 << false << false;
        QTest::newRow("top-p above one") << 1.0 << 1.5 << false << false;
        QTest::newRow("top-p not a number") << 1.0 << std::nan("") << false << false;
    }
    void samplingValuesThatMeanNothingAreRefused()
    {
        QFETCH(double, temperature);
        QFETCH(double, top_p);
        QFETCH(bool, valid);
        QFETCH(bool, greedy);
        Admission sampled = admission(3, 24);
        sampled.sampling = {temperature, top_p, 7};
        if (!valid) {
            QVERIFY_EXCEPTION_THROWN(m_backend->admit(sampled, {}), BackendError);
            return;
        }
        BatchDriver batch(*m_backend);
        batch.add(sampled);
        batch.toTheEnd();
        QCOMPARE(batch.ids[0].size(), std::size_t{24});
        QCOMPARE(batch.ids[0] == alone(3, 24), greedy);
    }

    void drawsDependOnSeedAndRequestAlone()
    {
        const auto drawn = [&](std::vector<RequestIndex> rows, std::uint64_t seed) {
            m_backend->reset();
            BatchDriver batch(*m_backend);
            for (const RequestIndex i : rows) {
                Admission sampled = admission(i, 30);
                sampled.sampling = {0.9, 0.95, seed};
                batch.add(sampled);
            }
            batch.toTheEnd();
            return batch.ids;
        };
        const auto whole = drawn({0, 1, 2, 3, 4, 5}, 42);
        QCOMPARE(drawn({0, 1, 2, 3, 4, 5}, 42), whole);
        const auto turned = drawn({5, 2, 0}, 42);
        QCOMPARE(turned[0], whole[5]);
        QCOMPARE(turned[1], whole[2]);
        QCOMPARE(turned[2], whole[0]);
        QCOMPARE(drawn({4}, 42).front(), whole[4]);
        QVERIFY(drawn({4}, 43).front() != whole[4]);
        // Two requests with one prompt do not draw alike.
        Request twin = m_requests[4];
        twin.index = 77;
        m_backend->reset();
        BatchDriver batch(*m_backend);
        Admission sampled{&twin, 30, {}, {0.9, 0.95, 42}};
        batch.add(sampled);
        batch.toTheEnd();
        QVERIFY(batch.ids[0] != whole[4]);
    }

private:
    Admission admission(RequestIndex i, int cap) const { return {&m_requests[i], cap, std::nullopt, {}}; }
    std::vector<TokenId> alone(RequestIndex i, int tokens)
    {
        return idsAlone(*m_model, m_requests[i].prompt_ids, tokens);
    }
    std::int64_t perToken() const { return m_backend->capabilities().kv_bytes_per_token; }

    TorchModels m_models;
    WallClock m_clock;
    std::unique_ptr<LanguageModel> m_model;
    std::unique_ptr<Backend> m_backend;
    std::vector<Request> m_requests;
};

BATCHSCOPE_TEST(TorchBackendTest)
#include "torch_backend_test.moc"
