// SPDX-License-Identifier: GPL-3.0-or-later
// One strategy: its identity, name and four chips predictor ▸ ordering ▸ batching ▸ correction; what is
// refused says why.
#pragma once

#include "scheduler/registry.h"
#include "widgets/models/session_editor.h"

#include <QFrame>
#include <array>
#include <vector>

class QLabel;
class QLineEdit;
class QMenu;

namespace batchscope::widgets {

class ChipButton;

class StrategyCard : public QFrame
{
    Q_OBJECT

public:
    StrategyCard(SessionEditor& editor, const Registry& registry, int index, QWidget* parent = nullptr);
    // Shows the document's strategy `index`. `ready`: types of the model-bound predictors that lie trained in
    // the model's folder; nullopt: not known yet, or no model.
    void follow(int index, const CheckContext& context, const std::optional<QStringList>& ready);
    QString problemText() const;
    bool isRefused() const { return m_refused; }
    void openPart(PartKind kind);
    ChipButton& chip(PartKind kind) { return *m_chips[static_cast<std::size_t>(kind)]; }

Q_SIGNALS:
    void sweepAsked(int index);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Strategy& strategy() const;
    void edit(const QString& what, const QString& merge, const std::function<void(Strategy&)>& change);
    void buildMenu(QMenu& menu);
    void openCap();
    SessionEditor& m_editor;
    const Registry& m_registry;
    int m_index;
    QLineEdit* m_name;
    QLabel* m_problem;
    std::array<ChipButton*, 4> m_chips{};
    ChipButton* m_cap;
    bool m_refused = false;
};

} // namespace batchscope::widgets
