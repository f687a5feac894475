#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof export and mprof flame with each call on files failing: the file is the usual one, or there is none and the
# status is not 0, also if only the second reading of the log fails, or only a write, or the last one.
set -eu
. "$srcdir/tests/faults/support.sh"

make_events
make_tree growing growing.mprof 2
mkdir made
export FAULT_OUT=$work/made/out

for format in pprof speedscope folded callgrind dot otlp otlp-metrics csv perfetto firefox chrome; do
	table=()
	case $format in csv) table=(--table=methods) ;; esac
	with_faults io export --to="$format" "${table[@]}" -o "$FAULT_OUT" --no-lines events.mprof
done
with_faults io export --to=speedscope --events -o "$FAULT_OUT" events.mprof
with_faults io export --to=chrome --time=10ns-200ns -o "$FAULT_OUT" events.mprof
with_faults io export --to=perfetto -o "$FAULT_OUT" --no-lines growing.mprof
with_faults io flame --no-lines -o "$FAULT_OUT" events.mprof
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	export FAULT_OUT=$work/made/out.gz
	with_faults io export --to=perfetto -o "$FAULT_OUT" --no-lines events.mprof
fi

echo "$faults faults"
