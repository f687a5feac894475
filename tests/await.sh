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
