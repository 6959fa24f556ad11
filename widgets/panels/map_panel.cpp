// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/map_panel.h"

#include "widgets/look/elided_label.h"
#include "widgets/look/formats.h"
#include "widgets/look/theme.h"
#include "widgets/panels/legend.h"
#include "widgets/plots/padding_map_view.h"
#include "widgets/plots/step_kinds.h"

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace batchscope::widgets {
namespace {

constexpr int k_text_shown = 160; // characters of output in the tip

QString big(const QString& value, const QColor& color, const QString& word)
{
    return QStringLiteral("<span style=\"font-size:15pt;font-weight:600;color:%1\">%2</span> %3")
        .arg(color.name(), value, word);
}

std::int64_t stepsOf(const PaddingMap& map, const PaddingPiece& wanted, StepKind kind, bool any_kind)
{
    std::int64_t steps = 0;
    for (const PaddingPiece& piece : map.pieces())
        if (piece.request == wanted.request && piece.batch == wanted.batch &&
            (any_kind || piece.kind == kind))
            steps += piece.count;
    return steps;
}

} // namespace

MapPanel::MapPanel(SharedSelection& selection, QWidget* parent)
    : PanelBody(tr("Padding map"), parent), m_selection(selection), m_view(new PaddingMapView(this)),
      m_stack(new QStackedWidget(this)), m_useful(new QLabel(this)), m_padding(new QLabel(this)),
      m_abandoned(new QLabel(this)), m_aside(new ElidedLabel(this)), m_tip(new QLabel(this))
{
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(k_gap_l, k_gap_s, k_gap_l, k_gap_m);
    column->setSpacing(k_gap_s);
    column->addWidget(new Legend(page));
    column->addWidget(m_view, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(34, 0, 0, 0);
    row->setSpacing(k_gap_xl + k_gap_m);
    for (QLabel* label : {m_useful, m_padding, m_abandoned}) {
        label->setTextFormat(Qt::RichText);
        row->addWidget(label);
    }
    row->addStretch(1);
    setStyleFlag(m_aside, "muted", true);
    column->addLayout(row);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(34, 0, 0, 0);
    below->addWidget(m_aside);
    column->addLayout(below);
    m_stack->addWidget(
        emptyHint(tr("Press Run (F5). Every forward pass becomes a column here, every slot of the "
                     "batch a row: blue where it yielded a token somebody asked for, yellow where an "
                     "ended row burnt on. A stored run opens here from Compare."),
                  this));
    m_stack->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_tip->setObjectName(QStringLiteral("plotTip"));
    m_tip->setFrameShape(QFrame::NoFrame);
    m_tip->setTextFormat(Qt::RichText);
    m_tip->setMargin(k_gap_m);
    m_tip->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_tip->setStyleSheet(
        QStringLiteral("QLabel#plotTip { border: 1px solid palette(mid); border-radius: 6px; "
                       "background: palette(base); }"));
    m_tip->hide();
    connect(m_view, &PaddingMapView::pieceHovered, this, [this](const PaddingPiece* piece, const QPoint& at) {
        m_selection.hover(piece ? std::optional(piece->request) : std::nullopt);
        showTip(piece, at);
    });
    connect(m_view, &PaddingMapView::pieceClicked, this, [this](const PaddingPiece* piece) {
        m_selection.pin(piece ? std::optional(piece->request) : std::nullopt);
    });
    connect(&m_selection, &SharedSelection::changed, this,
            [this] { m_view->highlight(m_selection.shown()); });
}

void MapPanel::setRun(const RunData* run, const RunData* reference)
{
    m_run = run;
    m_reference = reference;
    m_tip->hide();
    setIdentity(run ? run->record().order : -1);
    m_stack->setCurrentIndex(run ? 1 : 0);
    m_view->setMap(run ? &run->map() : nullptr, run && run->ended());
    tellNote();
    tellShares();
}

void MapPanel::refresh()
{
    if (!m_run) return;
    m_view->refresh(m_run->ended());
    tellNote();
    tellShares();
}

void MapPanel::tellNote()
{
    if (!m_run) {
        setNote({});
        return;
    }
    QStringList parts{QString::fromStdString(m_run->record().name)};
    const auto& all = m_run->map().batches();
    const std::size_t batches = all.size();
    if (batches > 0 && all.back().kind == BatchKind::Continuous)
        parts << tr("continuous"); // one batch that stands as long as somebody runs
    else if (!m_run->ended() && batches > 0)
        parts << tr("batch %1").arg(count(static_cast<std::int64_t>(batches)));
    else if (batches > 0)
        parts << counted(static_cast<std::int64_t>(batches), tr("1 batch"), tr("%1 batches"));
    parts << counted(m_run->map().slotCount(), tr("1 slot"), tr("%1 slots"));
    setNote(parts.join(QStringLiteral(" · ")));
}

void MapPanel::tellShares()
{
    const std::optional<Shares> s = m_run ? shares(m_run->map()) : std::nullopt;
    const Tokens& t = tokens();
    m_useful->setText(big(percent(s ? std::optional(s->useful) : std::nullopt), t.useful_text, tr("useful")));
    m_padding->setText(
        big(percent(s ? std::optional(s->padding) : std::nullopt), t.padding_text, tr("padding")));
    m_abandoned->setText(
        big(percent(s ? std::optional(s->abandoned) : std::nullopt), t.abandoned_text, tr("abandoned")));
    QStringList aside;
    if (const auto occupancy = m_run ? m_run->occupancy() : std::nullopt)
        aside << tr("occupancy %1").arg(percent(occupancy));
    if (const auto r = m_reference ? shares(m_reference->map()) : std::nullopt)
        aside << tr("%1: %2 useful")
                     .arg(QString::fromStdString(m_reference->record().name), percent(r->useful));
    m_aside->setText(aside.join(QStringLiteral(" · ")));
}

QString MapPanel::sharesText() const
{
    const std::optional<Shares> s = m_run ? shares(m_run->map()) : std::nullopt;
    if (!s) return none();
    return tr("%1 useful, %2 padding, %3 abandoned")
        .arg(percent(s->useful), percent(s->padding), percent(s->abandoned));
}

QString MapPanel::tipHtml(const PaddingPiece& piece) const
{
    const Tokens& t = tokens();
    const RequestFigures* f = m_run->figures(piece.request);
    QStringList lines;
    const bool stands =
        !m_run->map().batches().empty() && m_run->map().batches().back().kind == BatchKind::Continuous;
    const QString place = tr("<b>%1</b> slot %2").arg(requestName(piece.request)).arg(piece.slot);
    lines << (stands ? place : tr("%1, batch %2").arg(place).arg(piece.batch + 1));
    if (f) {
        const QString actual = f->end ? QString::number(f->output_tokens) : tr("running");
        lines << (f->predicted_tokens ? tr("predicted %1, actual %2").arg(*f->predicted_tokens).arg(actual)
                                      : tr("output tokens: %1").arg(actual));
    }
    const std::int64_t all = stepsOf(m_run->map(), piece, StepKind::Useful, true);
    if (const std::int64_t padding = stepsOf(m_run->map(), piece, StepKind::Padding, false))
        lines << QStringLiteral("<span style=\"color:%1\">%2</span>")
                     .arg(t.padding_text.name(), tr("%1 of %2 steps padding").arg(padding).arg(all));
    if (const std::int64_t lost = stepsOf(m_run->map(), piece, StepKind::Abandoned, false))
        lines << QStringLiteral("<span style=\"color:%1\">%2</span>")
                     .arg(t.abandoned_text.name(), tr("%1 of %2 steps abandoned").arg(lost).arg(all));
    const auto* ids = m_run->output(piece.request);
    if (ids && m_decoder) {
        QString text = m_decoder(*ids).simplified();
        if (text.size() > k_text_shown) text = text.left(k_text_shown) + QStringLiteral("…");
        if (!text.isEmpty())
            lines << QStringLiteral("<span style=\"color:%1\">%2</span>")
                         .arg(t.muted.name(), text.toHtmlEscaped());
    }
    return lines.join(QStringLiteral("<br>"));
}

void MapPanel::showTip(const PaddingPiece* piece, const QPoint& at)
{
    if (!piece || !m_run) {
        m_tip->hide();
        return;
    }
    m_tip->setText(tipHtml(*piece));
    m_tip->setWordWrap(false);
    m_tip->adjustSize();
    if (m_tip->width() > 280) {
        m_tip->setWordWrap(true);
        m_tip->resize(280, m_tip->heightForWidth(280));
    }
    QPoint place = m_view->mapTo(this, at) + QPoint(14, 14);
    if (place.x() + m_tip->width() > width() - k_gap_s) place.setX(place.x() - m_tip->width() - 28);
    if (place.y() + m_tip->height() > height() - k_gap_s) place.setY(place.y() - m_tip->height() - 28);
    m_tip->move(std::max(place.x(), k_gap_s), std::max(place.y(), k_gap_s));
    m_tip->raise();
    m_tip->show();
}

} // namespace batchscope::widgets
