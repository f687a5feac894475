# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions shared by the tests with the programs of Mono 2: mprof-decoder, mprof-heap-viewer and emveepee, from
# Debian's package mono-profiler. Tests source this file.
. "$srcdir/tests/interop/mono/support.sh"

decoder_tests=$srcdir/tests/interop/decoder

command -v mprof-decoder >/dev/null || skip "mprof-decoder is not installed (package mono-profiler)"
command -v iconv >/dev/null || skip "iconv is not installed"

# logged OPTIONS PROGRAM [ARGUMENT...]: runs a program with mono --profile=logging:OPTIONS. The status is mono's.
logged() {
	local options=$1
	shift
	timeout 120 mono --profile=logging:"$options" "$@"
}

# decode LOG: puts the output of mprof-decoder into LOG.text, and as facts into LOG.facts; see decoded.awk.
# mprof-decoder prints each byte of a name as a character. The oracle prints the same, and without the faults of
# mprof-decoder the output of mprof decode.
decode() {
	local status=0 oracle=$builddir/tests/decode/oracle
	timeout 120 mprof-decoder "$1" >decoder.out 2>&1 || status=$?
	expect "$1: status of mprof-decoder" "$status" 0
	! grep -E '^(Unhandled Exception|\[ERROR\]|Stopping decoding)' decoder.out || fail "$1: mprof-decoder cannot read it"
	"$oracle" "$1" >oracle.out || fail "$1: the oracle would have given up"
	same "$1: mprof-decoder and the oracle" decoder.out oracle.out
	"$oracle" --without all "$1" >oracle.out
	"$MPROF" decode "$1" >own.out || fail "mprof decode $1: status $?"
	same "$1: the oracle and mprof decode" oracle.out own.out
	iconv -f UTF-8 -t LATIN1 decoder.out >"$1.text"
	awk -f "$decoder_tests/decoded.awk" "$1.text" | LC_ALL=C sort >"$1.facts"
}

# decoded LOG LINE: a line of its facts, with blanks for tabs.
decoded() {
	tr '\t' ' ' <"$1.facts" | grep -qxF -- "$2" ||
		fail "$1: the output of mprof-decoder lacks '$2'; similar lines: $(grep -F -- "$(cut -d ' ' -f 2 <<<"$2")" "$1.facts" | head)"
}

# same WHAT FILE FILE: the files have the same sorted lines.
same() {
	diff "$2" "$3" >difference || fail "$1: $(head -n 20 difference)"
	test -s "$2" || fail "$1: nothing"
}

# kinds FILE KIND...: the facts of these kinds.
kinds() {
	local file=$1
	shift
	grep -E "^($(IFS='|' && echo "$*"))	" "$file" || true
}
