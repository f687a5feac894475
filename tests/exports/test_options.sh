#!/bin/bash
# SPDX-License-Identifier: MIT
# Each option of mprof export changes what a format contains, or is refused with the reason: none is ignored.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq
make_calls calls
make_tree growing growing.mprof 3
mprof export --to=help
mapfile -t formats < <(sed -n 's/^  \([a-z]\+\) .*/\1/p' out)
test "${#formats[@]}" -gt 10 || fail "formats: ${formats[*]}"

# check FORMAT OPTION...: the last option makes a difference, or is refused.
check() {
	local format=$1 option=${*: -1}

	shift
	"$MPROF" export --to="$format" -o with "$@" calls.mprof 2>with_err && status=0 || status=$?
	if test "$status" = 2; then
		grep -qE 'has no effect|have no' with_err || fail "$format $*: $(cat with_err)"
		return
	fi
	# The time may have no data of the value.
	test "$status" != 3 || return 0
	test "$status" -le 1 || fail "$format $*: status $status: $(cat with_err)"
	export_log "$format" calls.mprof without "${@:1:$#-1}"
	! cmp -s with without || fail "$format: $option changes nothing"
}

options=(--focus='*script*' --ignore='*script*' --hide='*script*' --collapse='*script*' --max-depth=1 --thread=0x20
	--time=50ns-150ns --last=5ns --top=1 --min-duration=15ns --at=1 --class='*String' --events)
for format in "${formats[@]}"; do
	case $format in
	heapsnapshot | hprof | sqlite | parquet | csv | clickhouse) continue ;;
	esac
	if mprof export --to="$format" --value=wall -o with calls.mprof; test "$status" = 0; then
		for option in "${options[@]}" --value=calls; do
			check "$format" --value=wall "$option"
		done
		for option in "${options[@]}"; do
			check "$format" --value=bytes "$option"
		done
	else
		expect_line err "has no effect on $format"
		for option in "${options[@]}"; do
			check "$format" "$option"
		done
	fi
done

# Which heap snapshot.
for format in pprof folded speedscope otlp callgrind dot heapsnapshot; do
	value=()
	test $format = heapsnapshot || value=(--value=heap)
	export_log "$format" growing.mprof without "${value[@]}" --at=1
	export_log "$format" growing.mprof with "${value[@]}" --at=3
	! cmp -s with without || fail "$format: --at changes nothing"
done
