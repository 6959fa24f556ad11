// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <torch/torch.h>
#include "engine/torch/model.h"
