// SPDX-License-Identifier: GPL-3.0-or-later
#include <QObject>
#include "app/window/main_window.h"
#include "knows_qt.moc"
