# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Waiting for a condition, for tests that run programs beside them. The support files of the directories source this.

# await COMMAND...: until the command succeeds, for a minute at most; its status is then 1.
await() {
	local try
	for ((try = 0; try < 600; try++)); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

calls_of_one_of=0
# one_of N: true for the first of each N calls, and for all of them if MPROF_THOROUGH is set: what is done with many inputs
# of a kind is done with a part of them in "make check".
one_of() {
	calls_of_one_of=$((calls_of_one_of + 1))
	test -n "${MPROF_THOROUGH-}" || test $(((calls_of_one_of - 1) % $1)) = 0
}
