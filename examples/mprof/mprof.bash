# SPDX-License-Identifier: MIT
# bash completion for mprof(1): 'mprof complete' prints what can follow.

# The words of the command line up to the cursor, and where each begins in that of bash, which splits words at '=' and
# ':'.
_mprof_join()
{
	local i word joined=

	_mprof_line=()
	_mprof_first=('')
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == [=:] || $joined ]] && ((${#_mprof_line[@]})); then
			_mprof_line[-1]+=$word
		else
			_mprof_line+=("$word")
			_mprof_first+=("$i")
		fi
		joined=
		[[ $word == [=:] ]] && joined=1
	done
}

# Processes of this user that accept commands.
_mprof_processes()
{
	local socket

	for socket in "${XDG_RUNTIME_DIR:-/run/user/$UID}"/mprof/*.sock "/tmp/mprof-$UID"/*.sock; do
		[[ -S $socket ]] || continue
		socket=${socket##*/}
		kill -0 "${socket%.sock}" 2>/dev/null && echo "${socket%.sock}"
	done
}

_mprof()
{
	local current=${COMP_WORDS[COMP_CWORD]} line prefix
	local -a _mprof_line _mprof_first

	COMPREPLY=()
	_mprof_join
	# What bash replaces begins after the last '=' or ':'.
	[[ $current == [=:] ]] && current=
	prefix=${_mprof_line[-1]}
	prefix=${prefix%"$current"}
	while IFS= read -r line; do
		case $line in
		:files)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$current")
			;;
		:logs)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -X '!*.mprof*' -- "$current"; compgen -d -- "$current")
			;;
		:processes) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_mprof_processes)" -- "$current") ;;
		:program*)
			if declare -F _command_offset >/dev/null; then
				_command_offset "${_mprof_first[${line#:program }]}"
			else
				compopt -o filenames
				mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
			fi
			;;
		*)
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"$prefix"}")
			;;
		esac
	done < <("${COMP_WORDS[0]}" complete "${_mprof_line[@]}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

complete -F _mprof mprof
