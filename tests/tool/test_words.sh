#!/bin/bash
# SPDX-License-Identifier: MIT
# Reports have the words that a log states for its runtime; what it states in another form changes nothing, and documents
# have full names.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

record() {
	"$builddir/tests/tool/record_words" "$@" || fail "record_words"
}

# The sections that have names of methods and of code units.
report() {
	mprof report --sections=methods,code,tree "$@"
	expect_status 0 "report $*"
}

record plain.mprof
report plain.mprof
expect_line out 'Truth\.fib \(I\)I$'
expect_line out '^Code by assembly$'
expect_line out '  assembly$'

record words.mprof name_style colons signatures hidden element_names 'module,jar,class loader'
report words.mprof
expect_line out 'Truth::fib$'
expect_no_line out '\(I\)'
expect_line out '^Code by jar$'
expect_line out '  jar$'
expect_no_line out 'assembly'
report --full-names words.mprof
expect_line out 'Truth::fib \(I\)I$'
expect_line out 'Truth::run \(J\)V$'
# Two methods of one name are two rows.
mprof report --sections=code words.mprof
expect "methods" "$(grep -c 'Truth::run$' out)" 2

# Documents, patterns and copies.
mprof report --json words.mprof
expect "documents" "$(jq -c '.methods | map([.class, .name]) | sort' out)" \
	'[["Truth","fib (I)I"],["Truth","run (I)V"],["Truth","run (J)V"]]'
expect "keys" "$(jq -c '.code_assemblies | map(.assembly)' out)" '["truth.jar"]'
for pattern in 'Truth::run' 'Truth::run (I)V' 'run' 'Tru*un'; do
	mprof report --json "--method=$pattern" words.mprof
	expect "method $pattern" "$(jq '[.methods[] | select(.name | startswith("run")) | .calls] | add > 0' out)" true
done
mprof convert --columns words.mprof copy.mprof
expect_status 0 "convert"
report copy.mprof
expect_line out 'Truth::fib$'
expect_line out '^Code by jar$'
mprof export --to=folded -o folded.txt words.mprof
expect_status 0 "export"
expect_line folded.txt 'Truth::fib'

record file.mprof name_style file
report file.mprof
expect_line out 'Truth:fib \(I\)I$'

# Values of another form.
long=$(printf 'x%.0s' $(seq 33))
for names in '' 'module' 'module,jar' 'module,jar,loader,more' 'module,,loader' ',jar,loader' 'module,jar,' \
	"module,$long,loader" $'module,j\tr,loader'; do
	rm -f wrong.mprof
	record wrong.mprof name_style slashes signatures shown element_names "$names"
	mprof report --sections=code wrong.mprof
	expect "names of elements \"$names\"" "$(grep -c 'Truth\.fib (I)I$\|^Code by assembly$\|  assembly$' out)" 3
done
