// SPDX-License-Identifier: GPL-3.0-or-later
#include "good.h"
#include "../engine/error.h"
#include "scheduler/../sessions/error.h"
#  include  <./vector>
#define HEADER "engine/error.h"
#include HEADER
#include <sessions/error.h>
#include </usr/include/zlib.h>
// #include <QString> is only a comment
