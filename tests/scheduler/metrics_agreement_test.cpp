// SPDX-License-Identifier: GPL-3.0-or-later
// Rank agreement and prediction error against slow references and values worked by hand.
#include "scheduler/metrics/agreement.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <random>
#include <vector>

using namespace batchscope;

namespace {

// Every pair looked at.
PairCounts countPairsSlowly(const std::vector<double>& a, const std::vector<double>& b)
{
    PairCounts counts;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = i + 1; j < a.size(); ++j) {
            ++counts.pairs;
            if (a[i] == a[j]) ++counts.tied_a;
            if (b[i] == b[j]) ++counts.tied_b;
            if (a[i] == a[j] && b[i] == b[j]) ++counts.tied_both;
            if ((a[i] - a[j]) * (b[i] - b[j]) < 0) ++counts.discordant;
        }
    }
    return counts;
}

std::optional<double> tauSlowly(const std::vector<double>& a, const std::vector<double>& b)
{
    std::int64_t concordant = 0, discordant = 0, untied_a = 0, untied_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = i + 1; j < a.size(); ++j) {
            const double product = (a[i] - a[j]) * (b[i] - b[j]);
            if (product > 0) ++concordant;
            if (product < 0) ++discordant;
            if (a[i] != a[j]) ++untied_a;
            if (b[i] != b[j]) ++untied_b;
        }
    }
    if (untied_a == 0 || untied_b == 0) return std::nullopt;
    return static_cast<double>(concordant - discordant) /
           std::sqrt(static_cast<double>(untied_a) * static_cast<double>(untied_b));
}

} // namespace

class MetricsAgreementTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void kendallEqualsTheSlowReferenceWithManyTies()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            std::mt19937_64 random(seed);
            const std::size_t n = random() % 60;
            const std::uint64_t values = 1 + random() % 12; // few values: many ties
            std::vector<double> a, b;
            for (std::size_t i = 0; i < n; ++i) {
                a.push_back(static_cast<double>(random() % values));
                b.push_back(static_cast<double>(random() % (2 * values)));
            }
            const QByteArray where = "seed " + QByteArray::number(static_cast<qulonglong>(seed));
            QVERIFY2(countPairs(a, b) == countPairsSlowly(a, b), where.constData());
            const auto fast = kendallTauB(a, b), slow = tauSlowly(a, b);
            QVERIFY2(fast.has_value() == slow.has_value(), where.constData());
            if (fast) QVERIFY2(std::abs(*fast - *slow) < 1e-12, where.constData());
        }
    }

    // (1,1) (2,3) (3,2) (3,4): of six pairs one is tied in a, (2,3)-(3,2) is discordant, four are concordant:
    // (4 - 1) / sqrt(5 * 6).
    void kendallByHand()
    {
        const std::vector<double> a{1, 2, 3, 3}, b{1, 3, 2, 4};
        QVERIFY(std::abs(*kendallTauB(a, b) - 3.0 / std::sqrt(30.0)) < 1e-15);
    }

    // Ranks of a: 1, 2, 3.5, 3.5; of b: 1, 3, 2, 4. Deviations from 2.5: (-1.5 -0.5 1 1) and (-1.5 0.5
    // -0.5 1.5): products 2.25 - 0.25 - 0.5 + 1.5 = 3, squares 4.5 and 5.
    void spearmanSharesRanksAmongTies()
    {
        const std::vector<double> a{10, 20, 30, 30}, b{1, 3, 2, 4};
        QVERIFY(std::abs(*spearman(a, b) - 3.0 / std::sqrt(4.5 * 5.0)) < 1e-15);
    }

    // Public report L8: agreement with a constant is undefined, not NaN.
    void constantInputHasNoAgreement()
    {
        const std::vector<double> constant{7, 7, 7}, other{1, 2, 3};
        QVERIFY(!kendallTauB(constant, other) && !kendallTauB(other, constant));
        QVERIFY(!spearman(constant, other) && !pearson(other, constant));
        QVERIFY(!kendallTauB(std::vector<double>{1}, std::vector<double>{1}));
        QVERIFY(!kendallTauB({}, {}) && !spearman({}, {}));
        const PredictionError error = predictionError(constant, other);
        QVERIFY(!error.kendall_tau_b && !error.spearman);
        QVERIFY(error.mae && error.r2);
        const PredictionError flat =
            predictionError(other, constant); // all lengths equal: no spread to explain
        QVERIFY(!flat.r2 && flat.rmse);
    }

    // Misses of 0, 50, -51, 100, 101: MAE 302/5; within 50: two of five; within 100: four; one prediction too
    // short.
    void errorsByHand()
    {
        const std::vector<double> actual{10, 10, 60, 10, 10}, predicted{10, 60, 9, 110, 111};
        const PredictionError error = predictionError(predicted, actual);
        QCOMPARE(error.n, 5);
        QCOMPARE(*error.mae, 302.0 / 5);
        QCOMPARE(*error.rmse, std::sqrt((0.0 + 2500 + 2601 + 10000 + 10201) / 5));
        QCOMPARE(*error.acc50, 2.0 / 5);
        QCOMPARE(*error.acc100, 4.0 / 5);
        QCOMPARE(*error.under_prediction_rate, 1.0 / 5);
        // Lengths spread by 4 * 10^2 + 40^2 = 2000 around 20.
        QCOMPARE(*error.r2, 1.0 - 25302.0 / 2000);
    }

    void noPredictionsGiveNoError()
    {
        const PredictionError error = predictionError({}, {});
        QCOMPARE(error.n, 0);
        QVERIFY(!error.mae && !error.rmse && !error.acc50 && !error.acc100 && !error.r2 &&
                !error.kendall_tau_b);
    }

    void perfectAndReversedOrderAreTheBounds()
    {
        const std::vector<double> up{1, 2, 3, 4, 5}, down{5, 4, 3, 2, 1};
        QCOMPARE(*kendallTauB(up, up), 1.0);
        QCOMPARE(*kendallTauB(up, down), -1.0);
        QCOMPARE(*spearman(up, down), -1.0);
    }
};

BATCHSCOPE_TEST(MetricsAgreementTest)
#include "metrics_agreement_test.moc"
