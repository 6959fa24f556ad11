// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/legend.h"

#include "widgets/plots/step_kinds.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <vector>

namespace batchscope::widgets {
namespace {

constexpr int k_swatch = 11, k_height = 22;

struct Entry
{
    QString text, help;
    QColor color; // invalid: the outline of an idle slot
};

QString shortTitle(StepKind kind) // the tool-tip says more
{
    if (kind == StepKind::Useful) return Legend::tr("useful output");
    return kind == StepKind::Padding ? Legend::tr("padding") : Legend::tr("abandoned");
}

std::vector<Entry> entries()
{
    const Tokens& t = tokens();
    std::vector<Entry> all;
    for (const StepKind kind : {StepKind::Useful, StepKind::Padding, StepKind::Abandoned})
        all.push_back({shortTitle(kind), kindHelp(kind), kindColor(kind, t)});
    all.push_back({Legend::tr("prompt"),
                   Legend::tr("The pass that read the prompt, or a part of it; its hatched part is left "
                              "padding of the prompt."),
                   t.prompt});
    all.push_back({kindTitle(StepKind::End), kindHelp(StepKind::End), t.end});
    all.push_back(
        {Legend::tr("idle slot"), Legend::tr("Nobody had the slot: occupancy, not waste."), QColor()});
    all.push_back(
        {kindTitle(StepKind::Stalled), kindHelp(StepKind::Stalled), kindColor(StepKind::Stalled, t)});
    return all;
}

template <typename Visit>
void layOut(const QFontMetrics& metrics, int width, const Visit& visit) // what does not fit is left out
{
    int x = 0;
    for (const Entry& entry : entries()) {
        const int needed = k_swatch + 6 + metrics.horizontalAdvance(entry.text);
        if (x + needed > width) return;
        visit(QRect(x, 0, needed, k_height), entry);
        x += needed + 12;
    }
}

} // namespace

Legend::Legend(QWidget* parent) : QWidget(parent)
{
    QStringList names;
    for (const Entry& entry : entries())
        names << entry.text;
    setAccessibleName(tr("Legend: %1").arg(names.join(QStringLiteral(", "))));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize Legend::sizeHint() const
{
    return {400, k_height};
}

void Legend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Tokens& t = tokens();
    layOut(fontMetrics(), width(), [&](const QRect& box, const Entry& entry) {
        const QRect swatch(box.left(), (k_height - k_swatch) / 2, k_swatch, k_swatch);
        if (entry.color.isValid()) {
            painter.fillRect(swatch, entry.color);
        } else {
            painter.setPen(QPen(t.muted, 1, Qt::DotLine));
            painter.drawRect(swatch.adjusted(0, 0, -1, -1));
        }
        painter.setPen(t.muted);
        painter.drawText(box.adjusted(k_swatch + 6, 0, 2, 0), Qt::AlignLeft | Qt::AlignVCenter, entry.text);
    });
}

bool Legend::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    layOut(fontMetrics(), width(), [&](const QRect& box, const Entry& entry) {
        if (box.contains(help->pos())) QToolTip::showText(help->globalPos(), entry.help, this, box);
    });
    return true;
}

} // namespace batchscope::widgets
