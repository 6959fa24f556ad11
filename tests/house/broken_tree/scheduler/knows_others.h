// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <nlohmann/json.hpp>

#include "engine/error.h"
#include <SQLiteCpp/Database.h>
#include <torch/torch.h>
#include <sys/mman.h>
#include <vector>
#include <fmt/core.h>
#include "scheduler/good.h"
