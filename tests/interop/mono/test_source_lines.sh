#!/bin/bash
# SPDX-License-Identifier: MIT
# Source files and lines of methods, from the debugging information of mcs, and from that in a portable .pdb.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

mcs -nologo -debug -out:Thrown.exe "$here/Thrown.cs"

# line METHOD: where the method's code starts, at its first statement or its opening brace.
line() {
	grep -n "$1" "$here/Thrown.cs" | cut -d : -f 1
}

# sources OPTION...: the methods of the program with file and line, recorded under mono with these options.
sources() {
	timeout 120 mono "$@" --profile=mprof:jit,exceptions=stack,quiet,output=lines.mprof Thrown.exe >/dev/null
	check_complete lines.mprof
	"$MPROF" report --json --top=0 lines.mprof |
		jq -r '.methods[] | select(.class == "Thrown.Program") | [.name, .file, .line] | @tsv' >sources.tsv
}

sources --debug
for method in 'Deep (int)' 'One ()' 'Two ()' 'Divide (int)' 'Main ()'; do
	IFS=$'\t' read -r file line <<<"$(grep -F "$method" sources.tsv | cut -f 2-)"
	expect "$method: file" "$file" "$(realpath "$here")/Thrown.cs"
	declared=$(line "static [a-z]* ${method%% *}(" | head -1)
	if test "$line" -le "$declared" || test "$line" -gt $((declared + 2)); then
		fail "$method: line $line, but it is declared in line $declared"
	fi
done

# The same from a portable .pdb, which the compilers of .NET write.
find_cecil() {
	find "$(dirname "$(dirname "$(readlink -f "$(command -v mono)")")")/lib/mono/gac/Mono.Cecil" -name Mono.Cecil.dll \
		-path '*/0.1[1-9].*' 2>/dev/null | head -n 1
}
cecil=$(find_cecil)
if test -n "$cecil"; then
	cp sources.tsv from_mdb.tsv
	mcs -nologo -r:"$cecil" -r:Mono.CompilerServices.SymbolWriter.dll -out:PortableLines.exe "$here/PortableLines.cs"
	mkdir portable
	MONO_PATH=$(dirname "$cecil") mono PortableLines.exe Thrown.exe portable/Thrown.exe
	test "$(head -c 4 portable/Thrown.pdb)" = BSJB || fail "Thrown.pdb is not portable"
	mkdir plain
	mv Thrown.exe Thrown.exe.mdb plain
	mv portable/Thrown.exe portable/Thrown.pdb .
	sources --debug
	expect "from a portable .pdb" "$(sort sources.tsv)" "$(sort from_mdb.tsv)"
	rm Thrown.exe Thrown.pdb
	mv plain/* .
fi

# Without --debug the runtime reads no debugging information.
sources
expect "without --debug" "$(grep -c $'\t\t$' sources.tsv)" "$(wc -l <sources.tsv)"
