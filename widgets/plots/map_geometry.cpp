// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/map_geometry.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace batchscope::widgets {

double MapGeometry::stepWidth() const
{
    const double span = last_step - first_step;
    return span > 0 ? plot.width() / span : 0;
}

double MapGeometry::laneHeight() const
{
    return slots > 0 ? plot.height() / slots : 0;
}

double MapGeometry::xOf(double step) const
{
    return plot.left() + (step - first_step) * stepWidth();
}

QRectF MapGeometry::cell(std::uint32_t slot, double first, double count) const
{
    return {xOf(first), plot.top() + slot * laneHeight(), count * stepWidth(), laneHeight()};
}

std::optional<std::int64_t> MapGeometry::stepAt(double x) const
{
    if (stepWidth() <= 0 || x < plot.left() || x >= plot.right()) return std::nullopt;
    const double step = std::floor(first_step + (x - plot.left()) / stepWidth());
    return step < 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(step));
}

std::optional<std::uint32_t> MapGeometry::slotAt(double y) const
{
    if (laneHeight() <= 0 || y < plot.top() || y >= plot.bottom()) return std::nullopt;
    return std::min(static_cast<std::uint32_t>((y - plot.top()) / laneHeight()), slots - 1);
}

std::vector<MapCell> foldPieces(std::span<const PaddingPiece> pieces, const MapGeometry& geometry)
{
    std::vector<MapCell> cells;
    std::unordered_map<std::uint64_t, std::size_t> columns; // (slot, pixel column) -> cell
    for (const PaddingPiece& piece : pieces) {
        const double left = std::max(geometry.xOf(static_cast<double>(piece.first)), geometry.plot.left());
        const double right =
            std::min(geometry.xOf(static_cast<double>(piece.first + piece.count)), geometry.plot.right());
        if (right <= left || piece.slot >= geometry.slots) continue;
        if (right - left >= 1.0) {
            cells.push_back({piece.slot, left, right, false, piece.kind, {}});
            continue;
        }
        const double column = std::floor(left);
        const auto key = static_cast<std::uint64_t>(piece.slot) << 32 | static_cast<std::uint32_t>(column);
        const auto [it, fresh] = columns.try_emplace(key, cells.size());
        if (fresh) cells.push_back({piece.slot, left, right, true, piece.kind, {}});
        MapCell& cell = cells[it->second];
        cell.left = std::min(cell.left, left);
        cell.right = std::max(cell.right, right);
        cell.mix[static_cast<std::size_t>(piece.kind)] += static_cast<float>(right - left);
    }
    return cells;
}

const PaddingPiece* pieceAt(const PaddingMap& map, const MapGeometry& geometry, const QPointF& at)
{
    const auto step = geometry.stepAt(at.x());
    const auto slot = geometry.slotAt(at.y());
    return step && slot ? map.at(*slot, *step) : nullptr;
}

std::uint32_t lanesOf(const PaddingMap& map)
{
    std::uint32_t lanes = 1;
    for (const PaddingBatch& batch : map.batches())
        lanes = std::max(lanes, batch.rows);
    return lanes;
}

std::int64_t batchStepsAt(std::span<const PaddingBatch> batches, std::int64_t step)
{
    const auto after =
        std::upper_bound(batches.begin(), batches.end(), step,
                         [](std::int64_t s, const PaddingBatch& b) { return s < b.first_step; });
    if (after == batches.begin()) return 0;
    const PaddingBatch& batch = *std::prev(after);
    return step < batch.first_step + batch.steps ? batch.steps : 0;
}

std::int64_t axisEnd(std::int64_t steps, bool ended)
{
    if (ended) return std::max<std::int64_t>(steps, 1);
    double end = 100;
    while (end < static_cast<double>(steps) * 1.02)
        end *= 1.25;
    return static_cast<std::int64_t>(std::ceil(end / 50)) * 50;
}

} // namespace batchscope::widgets
