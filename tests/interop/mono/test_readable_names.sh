#!/bin/bash
# SPDX-License-Identifier: MIT
# The report contains the names of the source for methods that the compiler generates.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Readable
profiled 'calls,only=Readable.*,quiet,output=readable.mprof' Readable.exe
check_complete readable.mprof
# methods [OPTION...]: the names in the table of methods that are neither constructors nor of the compiler's interfaces.
methods() {
	"$MPROF" report --all --top=0 "$@" readable.mprof | sed -n '/^Methods/,/^$/s/.*  \(Readable\.\)/\1/p' |
		grep -v 'ctor\|System\|SetStateMachine\|Dispose' | LC_ALL=C sort -u
}
methods >names
for name in 'Readable.Program.Alone' 'Readable.Program.Alone ()' 'Readable.Program.Main.lambda_0 (int)' \
	'Readable.Outer`1.Work<int>' 'Readable.Outer`1<int>.Work (int)' 'Readable.Program.Main'; do
	grep -Fxq "$name" names || fail "no $name:"$'\n'"$(cat names)"
done
expect "iterators" "$(grep -c '^Readable.Outer`1.Numbers<' names)" 1
! grep "<Main>\|/<" names || fail "names of the compiler"
methods --compiler-names | grep -Eq '^Readable\.Program/<Alone>.*\.MoveNext \(\)$' || fail "--compiler-names"
expect "a pattern" "$(methods --method=Readable.Program.Alone)" $'Readable.Program.Alone\nReadable.Program.Alone ()'
"$MPROF" report --json --top=0 readable.mprof |
	jq -e '.methods | any(.class | test("^Readable.Program/<Alone>"))' >/dev/null || fail "JSON"
