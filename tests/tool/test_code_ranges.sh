#!/bin/bash
# SPDX-License-Identifier: MIT
# Addresses of generated code have its name everywhere, also those of samples before its definition; objects that are
# numbers are shown as such.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/record_code" code.mprof || fail "record_code"
mprof check code.mprof
expect_status 0 "a sound log"

mprof report --json code.mprof
expect_status 0 "a log that defines code late"
expect_json "samples" '[.samples[] | [.name, .hits]] | sort' \
	'[["0x500000006000",2],["entry",5],["main",0],["work",10]]'
expect_json "ranges" '[.code_ranges[] | [.kind, .method, .name, .address, .size, (.end_ns != null)]]' \
	'[["method","work","","0x500000001000",64,false],["stub",null,"entry","0x500000001000",64,true]]'
expect_json "number of ranges" '.session.code_ranges' 2
mprof report code.mprof
expect_line out '^ +10 +58\.8 % +10 +58\.8 %  work$'
mprof report --section=code-ranges code.mprof
expect_line out '^ +0x500000001000 +- +64 B .* stub +entry$'

mprof export --to=folded -o - code.mprof
expect_line out '^main;work 10$'
expect_line out '^main;entry 5$'
mprof export --to=firefox -o firefox.json code.mprof
gzip -cdf firefox.json | jq -c '[.libs[].name]' >found
expect "the module of a stub" "$(cat found)" '["[jit]"]'

# A copy has the same ranges; a pipe is read once, so what is defined late keeps its address.
mprof convert code.mprof copy.mprof
mprof report --json copy.mprof
expect_json "samples of the copy" '[.samples[] | [.name, .hits]] | sort' \
	'[["0x500000006000",2],["entry",5],["main",0],["work",10]]'

mprof dump code.mprof
expect_line out '^    code-range 1 method, at 0x500000001000, 64 bytes, from counter 1001 method 2 work$'
expect_line out '^    code-end 2, at counter 4000$'
expect_line out '^    heap-object 1 Thing, 32 bytes, at #7, refers to #8'
mprof heap code.mprof
expect_line out ' Thing #7$'
mprof heap --object='#7' code.mprof
expect_line out '^Object #7$'
expect_line out ' #8 Thing$'
