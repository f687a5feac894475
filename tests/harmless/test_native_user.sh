#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs behave the same alone and recorded by an ordinary user, for whom the kernel allows less. Needs root.
set -eu
. "$srcdir/tests/harmless/harness.sh"
needs_compression
needs_native_sampling
needs setpriv
test "$(id -u)" = 0 || skip "not root: test_native.sh has run as an ordinary user"
as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$work"
# What differs for this user: what the kernel allows of sampling, and who may open which file.
mode_cases=(
	[default]='^(waits$|signals (block|own)|processes (exec|fork)|limits|state (in|_exit|kill|term))'
	[timer]='^(waits$|signals own)'
	[calls-samples]='^(state$|threads (cancel|exit|short))'
	[memory]='^(limits|processes (exec|fork))'
)
make_reachable
check_programs "ordinary user" default timer calls-samples memory
