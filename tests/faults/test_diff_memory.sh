#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof diff with each of its requests for memory refused, alone and with all later ones: it prints the usual output, or
# reports what it lacks and ends with a status other than 0; and it terminates.
set -eu
. "$srcdir/tests/faults/support.sh"

pairs=5

make_logs full sample
make_tree growing growing.mprof 2
with_faults memory diff full.mprof sample.mprof
with_faults memory diff --json --sites --tree sample.mprof full.mprof
with_faults memory diff --fail-above=0 '--class=*' --of=allocations full.mprof full.mprof
make_tree origins origins.mprof
with_faults memory diff --json --shots=1,2 growing.mprof
with_faults memory diff --json --shots=1,2 origins.mprof

echo "$faults faults"
