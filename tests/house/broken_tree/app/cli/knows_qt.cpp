// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <QtCore/QString>
#include <openssl/ssl.h>
