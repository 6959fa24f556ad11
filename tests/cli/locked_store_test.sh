#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A store that another program has locked: told with the file's name, nothing in it is lost, and it works afterwards.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1
python3 -c 'import sqlite3' 2>/dev/null || skip "python3 with sqlite3 plays the other program and is not here"

requests 20 requests.jsonl
session requests.jsonl session.json
expect 0 "a first run" "$CLI" run session.json --db runs.db --strategy vanilla

python3 - <<'END' &
import os, sqlite3, time
other = sqlite3.connect("runs.db", isolation_level=None)
other.execute("BEGIN EXCLUSIVE")
open("locked", "w").close()
for _ in range(600):
    if os.path.exists("release"): break
    time.sleep(0.05)
other.execute("ROLLBACK")
END
other=$!
for _ in $(seq 200); do [[ -e locked ]] && break; sleep 0.05; done
expect 1 "a locked store" "$CLI" run session.json --db runs.db --strategy vanilla
says runs.db lock
touch release
wait "$other"
expect 0 "the store afterwards" "$CLI" runs --db runs.db
says vanilla completed
[[ $(grep -c vanilla "$work/out") -eq 1 ]] || fail "expected the one run that was kept before"
expect 0 "another run" "$CLI" run session.json --db runs.db --strategy vanilla
finish
