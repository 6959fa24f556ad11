// SPDX-License-Identifier: GPL-3.0-or-later
// The scrolling column that a panel of Compose consists of.
#pragma once

class QVBoxLayout;

namespace batchscope::widgets {

class PanelBody;

// Fills `panel`; what is added to the column scrolls up and down only. The column has neither margins nor
// spacing. A column of fields follows the field that has the focus; one of texts takes the focus itself, to
// be scrolled by keys.
enum class ColumnOf { Fields, Texts };
QVBoxLayout* makeScrollColumn(PanelBody& panel, ColumnOf content = ColumnOf::Fields);

} // namespace batchscope::widgets
