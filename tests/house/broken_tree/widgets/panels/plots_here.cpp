// SPDX-License-Identifier: GPL-3.0-or-later
#include <qcustomplot.h>
#include <SQLiteCpp/Database.h>
#include <sqlite3.h>
#include "engine/data/passes_json_on.h"
#include "app/window/main_window.h"
#include <nlohmann/json.hpp>
