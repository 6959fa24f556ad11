// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot, whose header wants Qt's keyword macros, for files that live without them ("slots" is a word of
// ours).
#pragma once

#include <QtGlobal>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
