// SPDX-License-Identifier: GPL-3.0-or-later
// Logits against a pass in plain loops (public report M8): wrong rotary pairs, heads or masks go astray as
// the position grows, long before a text looks wrong.
#include "tests/support/reference_llama.h"
#include "tests/support/stories_model.h"
#include "tests/support/test_main.h"
#include "tests/support/torch_models.h"

#include <cmath>

using namespace batchscope;
using namespace batchscope::engine;
using namespace batchscope::tests;

namespace {

constexpr std::size_t k_positions = 64;

template <typename A, typename B>
double largestDifference(const std::vector<A>& a, const std::vector<B>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
            !(difference <= largest))
            largest = difference; // a NaN stays
    return largest;
}

std::vector<TokenId> prompt()
{
    Random random(8);
    return randomPrompt(random, static_cast<int>(k_positions));
}

} // namespace

class TorchReference : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { BATCHSCOPE_NEED_TORCH(); }

    void logitsAreThoseOfPlainLoops_data()
    {
        QTest::addColumn<int>("kv_heads");
        QTest::addColumn<bool>("tied");
        QTest::newRow("a key head for every head") << 4 << false;
        QTest::newRow("two heads share one") << 2 << false;
        QTest::newRow("all share one, head tied to the embedding") << 1 << true;
    }
    void logitsAreThoseOfPlainLoops()
    {
        QFETCH(int, kv_heads);
        QFETCH(bool, tied);
        RandomLlama shape;
        shape.kv_heads = kv_heads;
        shape.tied = tied;
        std::vector<NamedTensor> tensors;
        shape.change = [&](std::vector<NamedTensor>& made) { tensors = made; };
        const auto model = m_models.make(QTest::currentDataTag(), shape);
        const auto found = model->logits(prompt());
        const auto wanted = ReferenceLlama(shape, tensors, RotaryPairs::HalfSplit).logits(prompt());
        QCOMPARE(found.size(), k_positions);
        for (std::size_t position = 0; position < k_positions; ++position) {
            QCOMPARE(found[position].size(), wanted[position].size());
            const double difference = largestDifference(found[position], wanted[position]);
            QVERIFY2(difference <= 1e-4,
                     qPrintable(QString("position %1 differs by %2").arg(position).arg(difference)));
        }
        // The other pairs of the rotary embedding are the same at position 0 and nowhere near from there on.
        const auto other = ReferenceLlama(shape, tensors, RotaryPairs::Interleaved).logits(prompt());
        QVERIFY(largestDifference(found[0], other[0]) <= 1e-4);
        for (const std::size_t position : {std::size_t{1}, std::size_t{20}, std::size_t{63}})
            QVERIFY(largestDifference(found[position], other[position]) > 0.05);
    }

private:
    TorchModels m_models;
};

BATCHSCOPE_TEST(TorchReference)
#include "torch_reference_test.moc"
