# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Runs terminal sessions of documents, for the tests that source this file: each command succeeds, and prints the lines
# that are shown. The variable native is the directory of the modules for native programs.

# Numbers and units depend on the run.
normal() {
	sed -E 's/[0-9][0-9.,]*(e[+][0-9]+)?/N/g; s/N (ns|us|ms|s|B|kB|MB|GB)( |$)/N\2/g; s/ +/ /g; s/^ //' "$@"
}

# check_output COMMAND: the lines shown after it, in the file shown, are in what it printed, the file printed. Which rows
# are in a table of times depends on the run: these have a percentage.
check_output() {
	local line
	while IFS= read -r line; do
		case $line in
		... | '' | *' % '*) ;;
		*) grep -qxF -- "$line" <(normal printed) || fail "'$1' does not print: $line" ;;
		esac
	done < <(normal shown)
}

commands=0
run_session() {
	local line command=
	: >shown
	while IFS= read -r line; do
		if [[ $line != '$ '* ]]; then
			echo "$line" >>shown
			continue
		fi
		test -z "$command" || check_output "$command"
		command=${line#'$ '}
		command=${command//\/usr\/local\/lib\/mprof/$native}
		: >shown
		bash -c "$command" >printed 2>&1 || fail "'$command' ended with $?: $(tail -5 printed)"
		commands=$((commands + 1))
	done <"$1"
	test -z "$command" || check_output "$command"
}
