#!/bin/bash
# SPDX-License-Identifier: MIT
# Call sites of allocations: objects whose number is known for each call site, by call stack and by caller, and their
# addresses.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Sites

# sites LOG: a line for each call site, in the form that the program prints, with the program's methods on the stack.
sites() {
	"$MPROF" report --json --top=0 "$1" >report.json
	jq -r '.allocation_stacks[] | select(.class | startswith("Sites.")) | ["site", .class, .allocations, .bytes,
		([.stack[] | select(startswith("Sites.")) | .[6:]] | join(" < "))] | @tsv' report.json
}

# check_sites EXPECTED LOG: the log contains what the program printed.
check_sites() {
	sites "$2" | LC_ALL=C sort >sites.tsv
	LC_ALL=C sort "$1" | LC_ALL=C comm -23 - sites.tsv >missing
	test ! -s missing || fail "$2 lacks: $(cat missing)"$'\n'"but: $(cut -c -300 sites.tsv)"
}

# By stack: alone, with calls recorded, and with everything recorded. One stack is deeper than the limit: it lacks the
# outermost methods.
for options in alloc=stack calls,alloc=stack "$everything"; do
	profiled "$options,quiet,output=stacks.mprof" Sites.exe >stacks.expected
	check_complete stacks.mprof
	check_sites stacks.expected stacks.mprof
	expect "$options: places" "$(wc -l <sites.tsv)" $(($(wc -l <stacks.expected) + 1))
	deepest="$(printf 'Program.Recurse (int) < %.0s' {1..31})Program.Recurse (int)"
	expect "$options: the stack that is too deep" \
		"$(LC_ALL=C sort stacks.expected | LC_ALL=C comm -13 - sites.tsv)" \
		"site	Sites.Deep	1	16	$deepest"
	# Allocations of the runtime outside of all methods have no call site; all those of the program's classes have
	# one.
	expect "$options: allocations, by places and by classes" "$(jq '
		def sums(name): [.[] | select(name | startswith("Sites.")) | [.allocations, .bytes]] | transpose |
			map(add);
		(.allocation_stacks | sums(.class)) == (.classes | sums(.name))' report.json)" true
	expect "$options: frames without a name" \
		"$(jq '[.allocation_stacks[].stack[] | select(. == null)] | length' report.json)" 0
done

# Stacks that are walked by what the module has learned from earlier ones. One finally block runs in several contexts, so
# a site may have more than one stack in the runtime's code.
mcs -nologo -unsafe -out:Steps.exe "$here/Steps.cs"
for options in alloc=stack alloc=stack,no-jit,sample=1000 calls,alloc=stack; do
	profiled "$options,quiet,output=steps.mprof" Steps.exe >steps.expected
	check_complete steps.mprof
	sites steps.mprof | awk -F '\t' -v OFS='\t' '{ n[$5] += $3; bytes[$5] += $4 }
		END { for (site in n) print "site", "Sites.Stepped", n[site], bytes[site], site }' | LC_ALL=C sort >steps.tsv
	expect "$options: steps" "$(cat steps.tsv)" "$(LC_ALL=C sort steps.expected)"
done

# The requested depth
profiled "alloc=stack,stack-depth=2,quiet,output=shallow.mprof" Sites.exe >/dev/null
expect "stack-depth=2" "$(sites shallow.mprof | grep -E '^site	Sites.(Shared|Deep)	' | LC_ALL=C sort)" \
	"site	Sites.Deep	4	64	Program.Recurse (int) < Program.Recurse (int)
site	Sites.Shared	100	2400	Program.Make () < Program.One ()
site	Sites.Shared	200	4800	Program.Make () < Program.Two ()"

# Only by caller: the innermost method of each call site.
profiled "alloc=caller,quiet,output=callers.mprof" Sites.exe >callers.expected
check_complete callers.mprof
"$MPROF" report --json --top=0 callers.mprof | jq -r '.allocation_stacks[] | select(.class | startswith("Sites.")) |
	[.class, .allocations, .caller[6:]] | @tsv' | LC_ALL=C sort >callers.tsv
# Objects that the class library allocates for the program have a caller in the class library.
awk -F '\t' '{ sub(/ < .*/, "", $5) }
	$2 == "Sites.Grown" { $5 = "" }
	$2 == "Sites.Deep" { $3 = 4; if (seen++) next }
	$2 == "Sites.Shared" { $3 = 300; if (shared++) next }
	{ print $2 "\t" $3 "\t" $5 }' callers.expected | LC_ALL=C sort >wanted.tsv
sed -i 's/^\(Sites.Grown\t25\t\).*/\1/' callers.tsv
expect "callers" "$(cat callers.tsv)" "$(cat wanted.tsv)"

# Addresses: all objects are alive, so no two have the same address. Heap snapshots contain the same addresses.
profiled "alloc=objects,heap=ondemand,gc,quiet,output=objects.mprof" Sites.exe >/dev/null
check_complete objects.mprof
"$MPROF" dump --json objects.mprof >dump.json
class=$(grep '^{"block":"mapping"' dump.json | jq '.classes[] | select(.name == "Sites.Shared").id')
grep "^{\"event\":\"allocation\".*\"class\":$class," dump.json | jq -r .object >addresses
expect "objects" "$(wc -l <addresses)" 300
expect "objects with addresses of their own" "$(sort -u addresses | grep -c '^0x[1-9a-f]')" 300

# If all objects of a class have one size, the class has that size.
expect "sizes" "$(grep '^{"block":"mapping"' dump.json |
	jq -r '.classes[] | select(.name | startswith("Sites.")) | "\(.name[6:]) \(.size)"' | LC_ALL=C sort)" \
	'Boxed 24
Copied 24
Deep 16
Direct 32
Direct[] null
Generic`1<int> 24
Generic`1<string> 24
Grown 40
Late 16
Shared 24'
expect "stack-depth=2: outermost frames" "$(jq -c '[.allocation_stacks[] | select(.class | startswith("Sites.")) |
	.stack[-1]] | unique' report.json)" '["[truncated]"]'
