#!/bin/bash
# SPDX-License-Identifier: MIT
# Objects that the compiler allocates are distinguished from those that running code allocates, even if the compiler
# runs that code, and after the compiler failed.
. "$srcdir/tests/interop/mono/support.sh"

compile_literals

# allocating LOG CLASS: the allocating methods of the program, the number if it is certain, and whether they were being
# compiled.
allocating() {
	"$MPROF" report --json --top=0 "$1" | jq -r --arg class "$2" '.allocation_stacks[] | select(.class == $class) |
		(.caller // .stack[0]) as $caller | select($caller | startswith("Literals.")) |
		[$caller[9:], (if .compiling then "compiled" else .allocations end)] | join(" ")' | LC_ALL=C sort
}

for options in alloc=stack alloc=caller calls,alloc=stack,jit "$everything" format=mono,alloc=stack+caller \
	format=mono,alloc=stack format=unity,alloc=caller+objects; do
	profiled "$options,quiet,output=literals.mprof" Literals.exe
	check_complete literals.mprof
	expect "$options: strings" "$(allocating literals.mprof string)" "Program.Fail () compiled
Program.Speak () compiled"
	# At least the number of literals: each is allocated once more, to be interned.
	test "$("$MPROF" report --json --top=0 literals.mprof | jq '[.allocation_stacks[] | select(.class == "string" and
		.compiling and (.caller // .stack[0]) == "Literals.Program.Speak ()").allocations] | add')" -ge 5 ||
		fail "$options: not all literals"
	expect "$options: after the compiler ended" "$(allocating literals.mprof Literals.Made)" "Program.Make () 20"
	expect "$options: after it failed" "$(allocating literals.mprof Literals.Caught)" "Program.Main () 3"
	allocating literals.mprof Literals.Resolving | grep -qx 'Program.Resolve (object,System.ResolveEventArgs) [1-9]' ||
		fail "$options: while it waited: $(allocating literals.mprof Literals.Resolving)"
done

# On the stack, code that the compiler runs is inside the method being compiled, which is inside the running method.
profiled alloc=stack,quiet,output=stacks.mprof Literals.exe
"$MPROF" decode stacks.mprof | sed 's/^ *//' >stacks
expect "stack of what the compiler runs" "$(grep -A 7 'Literals.Resolving$' stacks | tail -n +4 | cut -d ' ' -f 1-3)" \
	"Literals.Program.Resolve (object,System.ResolveEventArgs)
System.AppDomain.DoAssemblyResolve (string,System.Reflection.Assembly,bool)
<Module>.runtime_invoke_object__this___object_object_byte (object,intptr,intptr,intptr)
[JIT time]:Literals.Program.Fail ()
Literals.Program.Main ()"

# Without details they cannot be distinguished.
profiled alloc,quiet,output=plain.mprof Literals.exe
expect "alloc" "$(info plain.mprof '.events."allocation-at-jit"')" 0
