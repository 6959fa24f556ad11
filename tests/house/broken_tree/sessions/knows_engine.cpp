// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/error.h"
#include <SQLiteCpp/SQLiteCpp.h>
#include <QtSql/QSqlDatabase>
#include <c10/core/Device.h>
