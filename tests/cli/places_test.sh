#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paths with spaces, umlauts and other letters, and any working folder: paths in a session are relative to its file.
source "$(dirname "$0")/support.sh"
cd "$work" || exit 1

place="$work/Größe 1 & 2/запросы #%41"
mkdir -p "$place" elsewhere
requests 40 "$place/die Anfragen.jsonl"
session "die Anfragen.jsonl" "$place/ein Versuch.json"
cd elsewhere || exit 1
expect 0 "from another folder" "$CLI" run "$place/ein Versuch.json" --db "$place/die Läufe.db" \
    --json "$place/Ergebnis 1.json" --events "$place/Ereignisse.jsonl"
says "die Läufe.db"
[[ -s $place/Ergebnis\ 1.json && -s $place/Ereignisse.jsonl ]] || fail "an output is absent"
[[ -z $(ls) ]] || fail "something was left in the working folder: $(ls)"
for format in json jsonl csv; do
    expect 0 "export $format" "$CLI" export 1 --db "$place/die Läufe.db" --format $format --out "$place/Lauf ä.$format"
    [[ -s $place/Lauf\ ä.$format ]] || fail "no $format was written"
done
expect 0 "report" "$CLI" report 1 2 --db "$place/die Läufe.db" --out "$place/Bericht ö.md"
says "Bericht ö.md"
expect 0 "runs" "$CLI" runs --db "$place/die Läufe.db"
[[ $(grep -c completed <<<"$out") -eq 3 ]] || fail "expected three runs"

# The same session from its own folder, from the root, and through a link: the same events.
cd "$place" || exit 1
expect 0 "from its folder" "$CLI" run "ein Versuch.json" --no-store --events "$work/here.jsonl"
cd / || exit 1
expect 0 "from the root" "$CLI" run "${place#/}/ein Versuch.json" --no-store --events "$work/root.jsonl"
ln -s "$place" "$work/link"
expect 0 "through a link" "$CLI" run "$work/link/ein Versuch.json" --no-store --events "$work/link.jsonl"
for events in here root link; do
    cmp "$work/$events.jsonl" "$place/Ereignisse.jsonl" || fail "$events: other events"
done

# A model under such a path, where there is one.
demo="$SOURCE_DIR/resources/models/demo"
cp -r "$demo" "$place/das Modell"
expect 0 "inspect" "$CLI" inspect "$place/das Modell"
says "das Modell"
if [[ $HAS_TORCH == 1 ]]; then
    expect 0 "generate" "$CLI" generate --model "$place/das Modell" --prompt "Grüße" --max-new-tokens 2
fi
finish
