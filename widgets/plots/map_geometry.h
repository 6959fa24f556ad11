// SPDX-License-Identifier: GPL-3.0-or-later
// Step <-> pixel and slot <-> pixel of a padding map, and what to draw at a width: pure functions, tested
// unseen.
#pragma once

#include "scheduler/folds/padding_map.h"

#include <QPointF>
#include <QRectF>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace batchscope::widgets {

struct MapGeometry
{
    QRectF plot;           // pixels of the plot's inside
    double first_step = 0; // step at the left edge ...
    double last_step = 1;  // ... and at the right one
    std::uint32_t slots = 1;

    double stepWidth() const;
    double laneHeight() const;
    double xOf(double step) const;
    QRectF cell(std::uint32_t slot, double first, double count) const;
    std::optional<std::int64_t> stepAt(double x) const; // nullopt outside of the plot
    std::optional<std::uint32_t> slotAt(double y) const;
};

inline constexpr std::size_t k_step_kinds = 6;

// One rectangle to fill. A piece of at least a pixel is drawn as itself; narrower ones share their pixel
// column, whose colour mixes the kinds by the width each has in it.
struct MapCell
{
    std::uint32_t slot = 0;
    double left = 0, right = 0; // pixels
    bool folded = false;
    StepKind kind = StepKind::Useful;      // where not folded
    std::array<float, k_step_kinds> mix{}; // where folded: pixels of each kind
};
std::vector<MapCell> foldPieces(std::span<const PaddingPiece> pieces, const MapGeometry& geometry);

// Piece under a pixel; nullptr over an idle slot or outside.
const PaddingPiece* pieceAt(const PaddingMap& map, const MapGeometry& geometry, const QPointF& at);

// Rows any batch had: with a variable batch size far fewer than the slots it might have used. At least 1.
std::uint32_t lanesOf(const PaddingMap& map);

// Width in steps of the batch that runs at a step; 0: none does.
std::int64_t batchStepsAt(std::span<const PaddingBatch> batches, std::int64_t step);

// Where the axis ends while a run grows: it moves in steps, so that the map does not slide at every frame.
std::int64_t axisEnd(std::int64_t steps, bool ended);

} // namespace batchscope::widgets
