#!/bin/bash
# SPDX-License-Identifier: MIT
# The package of the extension for Visual Studio Code has all files that its manifest names and a type for each, the same
# bytes when it is packed again, and a page whose policy and scripts the extension finds.
set -eu
. "$srcdir/tests/tool/support.sh"

page=$builddir/examples/explore/explore.html
test -e "$page" || skip "the page was not built: see make wasm"
needs zip unzip node jq

for name in first second; do
	bash "$srcdir/examples/vscode/pack.sh" "$name.vsix" "$page" 0.1.0 || fail "pack.sh"
done
cmp first.vsix second.vsix || fail "packing again makes another package"
unzip -q first.vsix -d package
cd package
expect "version" "$(jq -r .version extension/package.json)" 0.1.0
for field in main browser; do
	test -s "extension/$(jq -r ".$field" extension/package.json)" || fail "there is no file of $field"
done
grep -oE ' Path="[^"]*"' extension.vsixmanifest | cut -d'"' -f2 | while read -r file; do
	test -s "$file" || fail "there is no $file"
done
find . -type f ! -name '*Content_Types*' -printf '%f\n' | while read -r file; do
	grep -qF "Extension=\".${file##*.}\"" '[Content_Types].xml' || fail "$file has no type"
done
node --check extension/extension.js || fail "extension.js"

# What extension.js replaces.
expect "policies" "$(grep -c '<meta http-equiv="Content-Security-Policy" content="' extension/explore.html)" 1
expect "styles" "$(grep -c '^<style>' extension/explore.html)" 1
expect "scripts" "$(grep -c '^<script>' extension/explore.html)" 1
grep -q acquireVsCodeApi extension/explore.html || fail "the page does not look for the editor"
