// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <qcustomplot.h>
#include <QWidget>
