#!/bin/sh
# Says whether there is a Chromium for the browser tests; installs Debian's where there is none and it may.
found() {
  if [ -n "$CHROMIUM" ]; then test -x "$CHROMIUM"; else
    command -v chromium || command -v chromium-browser || command -v google-chrome
  fi >/dev/null
}

found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ -z "$CHROMIUM" ]; then
  echo "There is no Chromium: installing Debian's."
  { apt-get update && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1
  found && exit 0
fi
cat >&2 <<'MESSAGE'

*** THE BROWSER TESTS WERE SKIPPED: no Chromium was found, and it cannot be installed from here.
*** Install it (Debian: apt-get install chromium) or set CHROMIUM to its path, and run again.

MESSAGE
exit 1
