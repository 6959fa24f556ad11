// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's own kernels against libtorch's operations, rows against themselves in other batches, and every
// instruction level that this processor has.
#include "tests/support/random_llama.h"
#include "tests/support/test_main.h"
#include "tests/torch/compute_probe.h"

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>

using namespace batchscope;
using namespace batchscope::tests;

namespace {

double largestDifference(const Logits& a, const Logits& b)
{
    double largest = 0;
    for (std::size_t pass = 0; pass < a.size(); ++pass)
        for (std::size_t row = 0; row < a[pass].size(); ++row)
            for (std::size_t i = 0; i < a[pass][row].size(); ++i) {
                const double difference = std::abs(static_cast<double>(a[pass][row][i]) - b[pass][row][i]);
                if (!(difference <= largest)) largest = difference; // a NaN stays
            }
    return largest;
}

std::vector<std::vector<TokenId>> somePrompts(int count, int longest)
{
    Random random(17);
    std::vector<std::vector<TokenId>> prompts;
    for (int i = 0; i < count; ++i)
        prompts.push_back(
            randomPrompt(random, 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(longest)))));
    return prompts;
}

} // namespace

class Compute : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ownKernelsGiveWhatLibtorchGives_data()
    {
        QTest::addColumn<int>("hidden");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kv_heads");
        QTest::newRow("head of 8, element by element") << 32 << 4 << 2;
        QTest::newRow("head of 16, no groups") << 64 << 4 << 4;
        QTest::newRow("head of 20") << 80 << 4 << 1;
        QTest::newRow("head of 32, all share one") << 128 << 4 << 1;
        QTest::newRow("head of 48") << 192 << 4 << 2;
        QTest::newRow("head of 64") << 128 << 2 << 1;
        QTest::newRow("head of 128") << 256 << 2 << 2;
    }
    void ownKernelsGiveWhatLibtorchGives()
    {
        QFETCH(int, hidden);
        QFETCH(int, heads);
        QFETCH(int, kv_heads);
        RandomLlama shape;
        shape.hidden = hidden;
        shape.heads = heads;
        shape.kv_heads = kv_heads;
        shape.inner = 3 * hidden / 2 + 5; // no multiple of a vector
        shape.vocabulary = 263;
        writeRandomLlama(folder(), shape);
        ProbeBatch batch{folder(), engine::DType::F32, false, 2, somePrompts(5, 30), {9, 8, 7, 6}};
        const Logits own = passes(batch);
        batch.aten = true;
        const double f32 = largestDifference(own, passes(batch));
        QVERIFY2(f32 < 1e-4, qPrintable(QString("f32 differs by %1").arg(f32)));
        batch.dtype = engine::DType::BF16;
        const double rounding = largestDifference(own, passes(batch)); // what bf16 between the products costs
        batch.aten = false;
        const double bf16 = largestDifference(own, passes(batch));
        QVERIFY2(bf16 > 0 && bf16 < 2 * rounding,
                 qPrintable(QString("bf16 %1, libtorch's %2").arg(bf16).arg(rounding)));
    }

    void aRowIsBitForBitWhatItIsAlone_data()
    {
        QTest::addColumn<bool>("bf16");
        QTest::newRow("f32") << false;
        QTest::newRow("bf16") << true;
    }
    void aRowIsBitForBitWhatItIsAlone()
    {
        QFETCH(bool, bf16);
        writeRandomLlama(folder(), {});
        ProbeBatch batch{
            folder(),    bf16 ? engine::DType::BF16 : engine::DType::F32, false, 2, somePrompts(19, 60),
            {5, 250, 33}};
        const Logits together = passes(batch);
        for (std::size_t row = 0; row < batch.prompts.size(); ++row) {
            ProbeBatch alone = batch;
            alone.threads = row % 2 == 0 ? 1 : 3;
            alone.prompts = {batch.prompts[row]};
            const Logits single = passes(alone);
            for (std::size_t pass = 0; pass < single.size(); ++pass)
                QVERIFY2(single[pass][0] == together[pass][row],
                         qPrintable(QString("row %1, pass %2").arg(row).arg(pass)));
        }
    }

    void readingAndDecodingGiveTheSame() // a prompt read at once, and token by token
    {
        writeRandomLlama(folder(), {});
        const std::vector<TokenId> ids{1, 44, 7, 99, 150, 6};
        const Logits at_once = passes({folder(), engine::DType::F32, false, 2, {ids}, {}});
        const Logits by_token =
            passes({folder(), engine::DType::F32, false, 2, {{1}}, {ids.begin() + 1, ids.end()}});
        QVERIFY(at_once.back()[0] == by_token.back()[0]);
    }

    void productsAreRightAtEveryInstructionLevel_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("inputs");
        QTest::addColumn<int>("outputs");
        for (const int rows : {1, 2, 3, 7, 8, 13, 31})
            for (const int inputs : {1, 33, 64})
                for (const int outputs : {1, 31, 32, 161})
                    QTest::addRow("%d x %d -> %d", rows, inputs, outputs) << rows << inputs << outputs;
    }
    void productsAreRightAtEveryInstructionLevel()
    {
        QFETCH(int, rows);
        QFETCH(int, inputs);
        QFETCH(int, outputs);
        for (const ProductError& error : productErrors(rows, inputs, outputs)) {
            QVERIFY2(error.f32 < 2e-6, qPrintable(QString("%1: %2").arg(error.level).arg(error.f32)));
            QVERIFY2(error.bf16 < 2e-6, qPrintable(QString("%1: %2").arg(error.level).arg(error.bf16)));
            QVERIFY2(error.rows_alike, error.level);
        }
    }

private:
    std::filesystem::path folder() const { return m_dir.path().toStdString(); }
    QTemporaryDir m_dir;
};

BATCHSCOPE_TEST(Compute)
#include "compute_test.moc"
