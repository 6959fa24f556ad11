// SPDX-License-Identifier: GPL-3.0-or-later
// The editor of a distribution: its kind, and under it the parameters that this kind has.
#pragma once

#include "scheduler/workload/distributions.h"

#include <QWidget>
#include <optional>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLineEdit;

namespace batchscope::widgets {

class DistributionField : public QWidget
{
    Q_OBJECT

public:
    // `title` is what people hear. `none`: what is chosen where there is no distribution; empty: there must
    // be one. `typical` is about the mean of one that is chosen anew.
    DistributionField(const QString& title, const QString& none, double typical, int decimals,
                      QWidget* parent);
    void setValue(const std::optional<Distribution>& value); // tells nobody
    const std::optional<Distribution>& value() const { return m_value; }

Q_SIGNALS:
    void edited(const QString& parameter); // which one: edits of one follow each other in one step of undo

private:
    struct Bound // a box and what it shows of the value
    {
        QDoubleSpinBox* box;
        double (*get)(const Distribution&);
    };
    void chooseKind();
    void build();
    void showValue();
    QLineEdit* pointsField();
    void add(int place, const QString& title, double minimum, double maximum, int decimals,
             double (*get)(const Distribution&), void (*set)(Distribution&, double));

    double m_typical;
    int m_decimals;
    std::optional<Distribution> m_value;
    std::optional<Distribution::Kind> m_built; // the kind whose parameters are shown
    QComboBox* m_kind;
    QWidget* m_params = nullptr;
    std::vector<Bound> m_bound;
    QLineEdit* m_points = nullptr;
};

// A distribution of this kind with about this mean, to start from; its numbers have so many decimals.
Distribution typicalDistribution(Distribution::Kind kind, double mean, int decimals = 0);
// "0:5, 0.5:101, 1:512" and back; nothing where a text is none.
QString quantilePointsText(const Distribution& distribution);
std::optional<std::vector<std::pair<double, double>>> quantilePoints(const QString& text);

} // namespace batchscope::widgets
