#!/bin/bash
# SPDX-License-Identifier: MIT
# What all exports with single events have in common: a log that ends anywhere is a valid file of the format, and the
# exit status and the message report the damage; a full disk leaves no file; calls that are left out are counted.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3

formats=(perfetto chrome firefox speedscope)
cuts=16
test -z "${MPROF_THOROUGH-}" || cuts=40
logs=(calls timeline calls mono calls unity calls drop mail)
make_calls calls
make_dialects
"$builddir/tests/tool/make_timeline" timeline.mprof

# export_events FORMAT LOG OUT [OPTION...]
export_events() {
	local format=$1 log=$2 out=$3

	shift 3
	test "$format" != speedscope || set -- --events "$@"
	mprof export --to="$format" -o "$out" "$@" "$log"
}

# count_calls FORMAT FILE...: checks the files.
count_calls() {
	python3 "$srcdir/tests/exports/event_targets.py" "$@" || fail "$1: the structure of an export"
}

# A log without any call may have nothing to export.
for format in "${formats[@]}"; do
	files=()
	for ((i = 0; i < cuts; i++)); do
		log=${logs[i % ${#logs[@]}]}
		size=$(($(wc -c <$log.mprof) * i / cuts))
		head -c $size $log.mprof >truncated.mprof
		export_events "$format" truncated.mprof "$format.$i"
		if test "$status" = 3; then
			test ! -e "$format.$i" || fail "$format: a file of a log that ends at $size"
			continue
		fi
		expect_status 1 "$format of a log that ends at $size"
		expect_line err "^mprof: truncated.mprof: offset [0-9]+: "
		files+=("$format.$i")
	done
	test "${#files[@]}" -gt $((cuts / 3)) || fail "$format: only ${#files[@]} exports"
	count_calls "$format" "${files[@]}" >counts
	expect "$format: exports that were checked" "$(wc -l <counts)" "${#files[@]}"
	rm -f "${files[@]}"
done

# What --min-duration leaves out is the difference in calls.
for format in "${formats[@]}"; do
	calls=()
	test "$format" != firefox || calls=(--value=wall)
	export_events "$format" calls.mprof whole "${calls[@]}"
	expect_status 0 "$format"
	export_events "$format" calls.mprof long --min-duration=30ns "${calls[@]}"
	expect_status 0 "$format --min-duration"
	expect_line err '^mprof: export: [0-9]+ shorter calls were left out$'
	left_out=$(sed -n 's/^mprof: export: \([0-9]*\) shorter calls.*/\1/p' err)
	test "$left_out" -gt 0 || fail "$format: no call was left out"
	count_calls "$format" whole long >counts
	test "$format" = firefox || expect "$format: calls that were left out" "$left_out" \
		$(($(sed -n 1p counts) - $(sed -n 2p counts)))
	case $format in
	firefox) expect "$format: the number in the file" "$left_out" "$(jq -r '.meta.extra[0].entries[] |
			select(.label == "Shorter calls left out") | .value' long)" ;;
	chrome) expect "$format: the number in the file" "$left_out" "$(jq .otherData.shorter_calls_left_out long)" ;;
	esac
done

# A full disk.
if test -w /dev/full; then
	for format in "${formats[@]}"; do
		export_events "$format" calls.mprof /dev/full
		expect_status 1 "$format to a full device"
		expect_line err '^mprof: /dev/full: No space left on device$'
	done
fi
mkdir small
if ! mount -t tmpfs -o size=4k none small 2>/dev/null; then
	echo "not tested: a full disk, since no file system can be mounted"
	exit 0
fi
trap 'umount "$work/small"; rm -rf "$work"' EXIT
# It has one page.
echo other >small/other
for format in "${formats[@]}"; do
	export_events "$format" calls.mprof small/out
	expect_status 1 "$format to a full disk"
	expect_line err '^mprof: small/out: No space left on device$'
	expect "$format: files on the full disk" "$(ls -A small)" other
done
