#!/bin/bash
# SPDX-License-Identifier: MIT
# codespell finds no misspelt word in code, comments and documents.
set -eu

command -v codespell >/dev/null || {
	echo "SKIP: codespell is missing"
	exit 77
}
cd "$srcdir"
# An option of Mono, a name of another program, a word of German in a log, the class data of a runtime, a type of C#, and
# words that tests misspell on purpose.
words=aci,alle,statics,trun,prgram,wolrd,reprot
# What decoders print is compared byte for byte, and is not text.
codespell --quiet-level=2 --ignore-words-list="$words" --skip='*.desc,*.expected,*.decoded,*.abi,*.mprof' \
	bootstrap CONTRIBUTING.md ChangeLog README.md SECURITY.md configure.ac Makefile.am doc examples include lib tests
