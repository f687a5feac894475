#!/bin/bash
# SPDX-License-Identifier: MIT
# Completion in bash, zsh and fish, by these shells: commands, options, topics, values, the last of several values, files.
# A shell that is not installed is left out.
set -eu
. "$srcdir/tests/tool/support.sh"

mkdir programs logs
ln -s "$MPROF" programs/mprof
export PATH=$PWD/programs:$PATH
touch logs/app.mprof logs/notes.txt "logs/a b.mprof"

# Line that is completed, and words that must be among the results.
cat >cases <<'END'
mprof re|recover
mprof help star|startup
mprof report --sec|--sections=
mprof report --sections=meth|methods
mprof report --sections=methods,hand|handles
mprof export --to=pp|pprof
mprof export --to=spee|speedscope
mprof import --from=heaps|heapsnapshot
mprof convert --dialect=uni|unity
mprof flame --value=alloc|allocations
mprof info logs/ap|logs/app.mprof
mprof record --le|--leaks
mprof record --children=o|one
mprof help asy|async
mprof diff --of=memory-un|memory-unreachable
END

# The tool offers nothing for what cannot be completed, and what it offers is a word and a text.
"$MPROF" complete nothing x >out
test ! -s out || fail "something follows a command that does not exist: $(cat out)"
"$MPROF" complete report --sections=none >out
test ! -s out || fail "a section that does not exist: $(cat out)"
"$MPROF" complete report --s >out
expect_line out $'^--sections=\t[a-z]'
"$MPROF" complete record -o x --alloc=stack -- mono --a >out
expect "the program" "$(cat out)" ":program 6"

tested=
while IFS='|' read -r line wanted; do
	cat >complete.bash <<'END'
. "$1"
compopt() { :; }
COMP_LINE=$2
read -ra words <<<"$2"
COMP_WORDS=()
# As bash splits words.
for word in "${words[@]}"; do
	while [[ $word == *=* ]]; do
		COMP_WORDS+=("${word%%=*}" =)
		word=${word#*=}
	done
	COMP_WORDS+=("$word")
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_mprof
printf '%s\n' "${COMPREPLY[@]}"
END
	bash complete.bash "$srcdir/examples/mprof/mprof.bash" "$line" >out
	grep -qE -- "(^|,)$wanted\$" out || fail "bash: '$line' is not completed by $wanted: $(cat out)"
done <cases
tested="bash"

if command -v fish >/dev/null; then
	export HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
	while IFS='|' read -r line wanted; do
		fish --no-config -c "source '$srcdir/examples/mprof/mprof.fish'; complete -C '$line'" >out 2>err </dev/null ||
			fail "fish: $(cat err)"
		cut -f1 out | grep -qE -- "(^|[=,])$wanted\$" || fail "fish: '$line' is not completed by $wanted: $(cat out err)"
	done <cases
	tested+=" fish"
fi

if command -v zsh >/dev/null; then
	mkdir functions
	cp "$srcdir/examples/mprof/mprof.zsh" functions/_mprof
	cat >complete.zsh <<'END'
zmodload zsh/zpty zsh/zselect
zpty shell "PS1=READY zsh -f -i"
# A key of its own writes the line to a file, since what is on the screen depends on its width.
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit && compinit -u -d $2"
zpty -w shell "show() { print -r -- \"\$BUFFER\" >result.new; mv result.new result }; zle -N show; bindkey '^T' show"
zpty -n -w shell "$3"$'\t\x14'
until [[ -e result ]]; do
	zpty -r -t shell part
	zselect -t 5
done
cat result
zpty -d shell
END
	while IFS='|' read -r line wanted; do
		rm -f result
		timeout 60 zsh -f complete.zsh "$PWD/functions" "$PWD/dump" "$line" >out 2>err </dev/null ||
			fail "zsh: '$line': $(cat out err)"
		grep -qE -- "(^|[ =,])$wanted *\$" out || fail "zsh: '$line' is not completed by $wanted: $(cat -v out)"
	done < <(grep -v '^mprof re|' cases)
	tested+=" zsh"
fi
echo "tested: $tested"
