#compdef mprof
# SPDX-License-Identifier: MIT
# zsh completion for mprof(1): 'mprof complete' prints what can follow.

local line word
local -a lines whole open_ended whole_texts open_texts

lines=("${(@f)$(mprof complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
for line in "${(@)lines}"; do
	case $line in
	'') ;;
	:files)
		compset -P '*='
		_files
		;;
	:logs) _files -g '*.mprof*' ;;
	:processes) _pids ;;
	:program*)
		((CURRENT -= ${line#:program }))
		shift "${line#:program }" words
		_normal
		;;
	*)
		word=${line%%$'\t'*}
		if [[ $word == *= ]]; then
			open_ended+=("$word")
			open_texts+=("$word  ${line#*$'\t'}")
		else
			whole+=("$word")
			whole_texts+=("$word  ${line#*$'\t'}")
		fi
		;;
	esac
done
((${#whole})) && compadd -l -d whole_texts -a whole
((${#open_ended})) && compadd -S '' -l -d open_texts -a open_ended
return 0
