#!/bin/bash
# SPDX-License-Identifier: MIT
# Mono programs behave the same alone and in every recording mode; as root also those of an ordinary user.
set -eu
# shellcheck disable=SC2034 # Read by harness.sh.
language=cs
. "$srcdir/tests/harmless/harness.sh"
needs_compression
needs mono mcs
test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
test -e "$MPROF_MODULE_DIR/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
export TERM=dumb
# shellcheck disable=SC2034
as_user=(env)
# Mono ends a program that calls Environment.FailFast() with status 0, or kills it, if it is sampled, also by its own
# profiler "log". Its own sampler, "runtime", interrupts waits. The manual states both.
mode_cases=()
left_out=(
	[default]=fail_fast
	[timer]=fail_fast
	[runtime]='fail_fast|waits'
)
check_programs "$(id -un)" default timer runtime everything heap
