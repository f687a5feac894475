#!/bin/bash
# SPDX-License-Identifier: MIT
# What 1000 samples per second cost a thread of a Mono program with 30 frames, in managed code and in a native function.
# Usage: samples.sh [RUNS]
#
# Runs with and without samples alternate. The times of a run are those of its fastest rounds, so that other load hardly
# matters; the ratio is that of the best runs. Part of it is the system's own, which interrupts the thread for each
# sample: on a virtual machine, this alone may take more than one percent. Needs mono and mcs. In the environment:
# srcdir, builddir.
set -eu

runs=${1:-5}
srcdir=${srcdir:-.}
builddir=${builddir:-.}
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export LC_ALL=C LD_LIBRARY_PATH="$builddir/examples/mono/.libs:$builddir/lib/.libs"

for tool in mono mcs; do
	command -v "$tool" >/dev/null || { echo "bench: $tool is not installed" >&2; exit 77; }
done
mcs -nologo -out:"$work/Rounds.exe" "$srcdir/tests/bench/mono/Rounds.cs"

for kind in managed native; do
	for ((run = 0; run < runs; run++)); do
		echo "without $(mono "$work/Rounds.exe" 26 "$kind")"
		rm -f "$work/samples.mprof"
		echo "with $(mono --profile="mprof:sample=1000,quiet,output=$work/samples.mprof" "$work/Rounds.exe" 26 "$kind")"
	done | awk -v kind="$kind" '
		{ for (i = 2; i <= 4; i++) if (!(($1, i) in best) || $i < best[$1, i]) best[$1, i] = $i }
		END {
			printf "%-8s processor time with 1000 samples per second: least %+.2f %%, tenth %+.2f %%, quarter %+.2f %%\n",
				kind, 100 * (best["with", 2] / best["without", 2] - 1),
				100 * (best["with", 3] / best["without", 3] - 1),
				100 * (best["with", 4] / best["without", 4] - 1)
		}'
done
