#!/bin/sh
# Succeeds where there is a Chromium for the browser tests, or where one can be installed; else says how to get one.
for found in "$CHROMIUM" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
  [ -n "$found" ] && [ -x "$found" ] && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing Chromium for the browser tests …"
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium) >/dev/null 2>&1
  [ -x /usr/bin/chromium ] && exit 0
fi
echo "************************************************************************************"
echo "THE BROWSER TESTS WERE NOT RUN: there is no Chromium. Install it (apt-get install -y"
echo "chromium) or set CHROMIUM to the path of one, and run: make browsertest"
echo "************************************************************************************"
exit 1
