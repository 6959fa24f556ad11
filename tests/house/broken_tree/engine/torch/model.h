// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <torch/torch.h>
#include <qobject.h>
#include "engine/tokenizer/sentencepiece/plugin.h"
