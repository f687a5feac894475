#!/bin/bash
# SPDX-License-Identifier: MIT
# Mono programs behave the same alone and recorded by an ordinary user. Needs root.
set -eu
# shellcheck disable=SC2034 # Read by harness.sh.
language=cs
. "$srcdir/tests/harmless/harness.sh"
needs_compression
needs mono mcs setpriv
test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
test -e "$MPROF_MODULE_DIR/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
test "$(id -u)" = 0 || skip "not root: test_mono.sh has run as an ordinary user"
export TERM=dumb HOME=$work
# shellcheck disable=SC2034
as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$work"
make_reachable
# Mono ends a program that calls Environment.FailFast() with status 0, or kills it, if it is sampled, also by its own
# profiler "log".
mode_cases=()
left_out=(
	[default]=fail_fast
	[timer]=fail_fast
)
check_programs "ordinary user" default timer
