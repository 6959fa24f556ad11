// SPDX-License-Identifier: GPL-3.0-or-later
#include <ATen/ATen.h>
#include "engine/torch/model.h"
#include <sentencepiece_processor.h>
#include <unicode/uchar.h>
#include "sessions/run_store.h"
#include <QObject>
