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
	[default]='^(waits$|signals (block|own|profile|wait)|processes (exec|fork|spawn)|limits|state)'
	[timer]='^(waits$|signals (own|profile))'
	[calls-samples]='^(state|threads)'
	[memory]='^(limits|processes)'
)
make_reachable
check_programs "ordinary user" default timer calls-samples memory
