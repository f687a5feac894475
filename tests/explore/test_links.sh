#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof explore" prints the link of the page that it writes, and opens it with the user's browser.
set -eu
. "$srcdir/tests/tool/support.sh"
test -e "$builddir/examples/explore/explore.html" || skip "the page was not built: see make wasm"
unset BROWSER DISPLAY WAYLAND_DISPLAY

make_logs sample
here=$(realpath .)
mprof explore sample.mprof
expect_status 0 "explore"
expect "the link" "$(cat out)" "file://$here/sample.html"
mkdir 'a b'
mprof explore -o 'a b/50%?#ü.html' sample.mprof
expect "the link of a name with spaces" "$(cat out)" "file://$here/a%20b/50%25%3F%23%C3%BC.html"
ln -s 'a b' other
mprof explore -o other/x.html
expect "the link through a symbolic link" "$(cat out)" "file://$here/a%20b/x.html"
mprof explore -o - sample.mprof
expect "links in standard output" "$(grep -c '^file://' out || true)" 0

mprof explore --open sample.mprof
expect_status 0 "without a display"
expect_line err 'there is no display'
expect "the link without a display" "$(cat out)" "file://$here/sample.html"
cat >browser <<'END'
#!/bin/bash
printf '<%s>' "$@" >"$(dirname "$0")/opened"
END
chmod +x browser
for value in "$here/browser" "/nowhere/browser:$here/browser -x" "$here/browser -x %s -y"; do
	BROWSER=$value mprof explore --open -o 'a b/x.html' sample.mprof
	expect_status 0 "BROWSER=$value"
	cat opened
	echo
done >all
expect "what the browser got" "$(tr '\n' ' ' <all)" \
	"<file://$here/a%20b/x.html> <-x><file://$here/a%20b/x.html> <-x><file://$here/a%20b/x.html><-y> "
BROWSER=/nowhere/browser mprof explore --open sample.mprof
expect_status 0 "a browser that does not exist"
expect_line err 'BROWSER cannot be run'
mkdir bin
cp browser bin/xdg-open
DISPLAY=:9 PATH=$here/bin:$PATH mprof explore --open sample.mprof
expect_status 0 "with a display"
await test -s bin/opened || fail "xdg-open was not started"
expect "what xdg-open got" "$(cat bin/opened)" "<file://$here/sample.html>"
mprof explore --open -o - sample.mprof
expect_status 2 "standard output cannot be opened"
mprof explore --open "$srcdir/README.md"
expect_status 3 "a file that is not a log"
expect "links of no page" "$(cat out)" ""
