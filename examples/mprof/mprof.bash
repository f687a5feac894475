# SPDX-License-Identifier: MIT
# bash completion for mprof(1)

_mprof_options()
{
	case $1 in
	record)
		echo "--output= --force --children --children= --calls --alloc --alloc= --jit --gc --exceptions --exceptions= --threads --classes --all --sample --sample=" \
			"--sample-real --sample-real= --heap --heap= --summary --free --moves --handles --handles= --monitor" \
			"--finalizers --counters --counters= --malloc --sample-source= --sample-depth= --sample-stack= --stack-depth= --malloc-stack= --only= --not= --depth=" \
			"--no-wrappers --all-wrappers --async --no-aot --gzip --gzip= --compress= --resolution= --max-size= --ring= --heap-memory=" \
			"--no-heap-fields --salvage= --drop --buffers= --interval= --drain-threads= --format=" \
			"--start-disabled --control= --no-control --port= --signal= --jitdump --perf-map --oprofile" \
			"--quiet --help --version"
		;;
	report)
		echo "--json --csv --all --sections= --top= --sort= --method= --class= --assembly= --thread= --process= --tree --min-percent= --depth=" \
			"--callers= --callees= --inverted --focus= --ignore= --hide= --collapse= --time= --last= --percentiles --slowest --slowest=" \
			"--pauses --pauses= --timeline --timeline=" \
			"--ages --history --types --backtraces --temporaries --alive-at= --compiler-names --full-names --color=" \
			"--no-pager --no-lines --threads= --help --version"
		;;
	diff)
		echo "--json --csv --csv= --shots= --top= --sort= --normalize --sites --tree --tree= --value= --min-percent= --method= --class=" \
			"--assembly= --fail-above= --of= --threads= --help --version"
		;;
	heap)
		echo "--json --csv --at= --list --top= --sort= --class= --paths= --referrers= --referencing= --referenced-by= --object=" \
			"--allocated-by= --min-age= --max-age= --leaks --unreachable --memory= --threads= --help --version"
		;;
	flame)
		echo "--output= --value= --by-line --inverted --normalize --at= --min-share= --depth= --width= --title= --thread= --process= --time=" \
			"--last= --focus= --ignore= --hide= --collapse= --class= --compiler-names --no-lines --threads= --help --version"
		;;
	handles)
		echo "--json --top= --class= --no-lines --help --version"
		;;
	export)
		echo "--to= --value= --output= --top= --min-duration= --at= --by-line --by-thread --thread= --process= --time= --last=" \
			"--focus= --ignore= --hide= --collapse= --class= --max-depth= --force --table= --host= --build=" \
			"--no-lines --events --threads= --help --version"
		;;
	explore)
		echo "--output= --open --serve --serve= --threads= --help --version"
		;;
	dump)
		echo "--json --blocks --help --version"
		;;
	top)
		echo "--once --json --window= --interval= --sort= --top= --help --version"
		;;
	follow)
		echo "--json --blocks --wait --help --version"
		;;
	convert)
		echo "--dialect= --compress --compress= --columns --index --resolution= --close --json --threads= --help --version"
		;;
	merge)
		echo "-o --output= --compress= --help --version"
		;;
	info | check)
		echo "--json --threads= --help --version"
		;;
	control)
		echo "--json --help --version"
		;;
	recover)
		echo "--log= --help --version"
		;;
	decode | doctor)
		echo "--help --version"
		;;
	esac
}

# Values of an option; none for options with free values.
_mprof_values()
{
	case $1 in
	--sort*)
		echo "self total calls samples compiling bytes objects freed freed-bytes alive created deleted" \
			"time times failures events running ready lost count average age backtraces"
		;;
	--color*) echo "auto always never" ;;
	--sections*) mprof report --sections=help 2>/dev/null | sed '1d; s/ .*//' | paste -sd' ' ;;
	--to*) mprof export --to=help 2>/dev/null | sed -n 's/^  \([a-z-]\+\) .*/\1/p' | paste -sd' ' ;;
	--value*) echo "wall cpu calls samples allocations bytes waits heap handles samples:" ;;
	--format*) echo "mprof2 mono unity drop mail" ;;
	--dialect*) echo "mprof2 mono unity drop mail" ;;
	--gzip=) echo "1 2 3 4 5 6 7 8 9" ;;
	--compress=) echo "1 2 3 4 5 6 7 8 9 zstd deflate" ;;
	--alloc=) echo "stack stack:512k caller objects" ;;
	--exceptions=) echo "stack clauses stack+clauses" ;;
	--heap=) echo "every-gc ondemand" ;;
	--handles=) echo "normal pinned weak weak-track" ;;
	esac
}

# The index of the word that is the program to record; 0 if it was not given yet.
_mprof_program()
{
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			echo $((i + 1))
			return
			;;
		-o | --output) ((i++)) ;;
		=) ((i++)) ;;
		-*) ;;
		*)
			echo $i
			return
			;;
		esac
	done
	echo 0
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

_mprof_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}

_mprof()
{
	local current=${COMP_WORDS[COMP_CWORD]}
	local previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]}
	local program

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_mprof_words "record recover control report diff heap flame handles export explore decode info dump top follow check merge convert doctor help --help --version" "$current"
		return
	fi
	if [[ $command == record ]]; then
		program=$(_mprof_program)
		if ((program > 0)); then
			if declare -F _command_offset >/dev/null; then
				_command_offset "$program"
			else
				compopt -o default
			fi
			return
		fi
	fi
	# bash splits words at an equals sign, which is a word of its own.
	if [[ $current == "=" ]]; then
		current=
		previous+="="
	elif [[ $previous == "=" ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}=
	fi
	case $previous in
	--to | --to= | --value | --value= | --sort | --format | --dialect | --dialect= | --compress= | --sort= | --format= | --gzip= | --alloc= | --heap= | --handles=)
		_mprof_words "$(_mprof_values "$previous")" "$current"
		return
		;;
	-o | --output | --output= | --control | --control=)
		compopt -o default
		return
		;;
	esac
	if [[ $current == -* || $command == doctor ]]; then
		_mprof_words "$(_mprof_options "$command")" "$current"
	elif [[ $command == control ]]; then
		if [[ $previous == control || $previous == -* ]]; then
			_mprof_words "$(_mprof_processes)" "$current"
		else
			case $previous in
			sample) _mprof_words "on off" "$current" ;;
			alloc) _mprof_words "on off stack stack:512k stack:all" "$current" ;;
			calls) _mprof_words "on off" "$current" ;;
			only | not) _mprof_words off "$current" ;;
			*) _mprof_words "enable disable flush heapshot sample alloc calls only not cost status mark" "$current" ;;
			esac
		fi
	elif [[ $command == help ]]; then
		_mprof_words "record recover control report diff heap flame handles export explore decode info dump top follow check merge convert doctor" "$current"
	elif [[ $command == record ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$current"; compgen -f -- "$current")
		compopt -o filenames
	else
		mapfile -t COMPREPLY < <(compgen -f -X '!*.mprof*' -- "$current"; compgen -d -- "$current")
		compopt -o filenames
	fi
}

complete -F _mprof mprof
