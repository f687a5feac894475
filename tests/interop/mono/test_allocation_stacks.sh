#!/bin/bash
# SPDX-License-Identifier: MIT
# Who allocates: objects whose number is known for each place, by call stack and by caller, and which objects they are.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Sites

# sites LOG: a line for each place, in the form that the program prints. Of a stack, the program's methods.
sites() {
	"$MPROF" report --json --top=0 "$1" >report.json
	jq -r '.allocation_stacks[] | select(.class | startswith("Sites.")) | ["site", .class, .allocations, .bytes,
		([.stack[] | select(startswith("Sites.")) | .[6:]] | join(" < "))] | @tsv' report.json
}

# check_sites EXPECTED LOG: the log says what the program printed.
check_sites() {
	sites "$2" | LC_ALL=C sort >sites.tsv
	LC_ALL=C sort "$1" | LC_ALL=C comm -23 - sites.tsv >missing
	test ! -s missing || fail "$2 does not say: $(cat missing)"$'\n'"but: $(cut -c -300 sites.tsv)"
}

# By stack: alone, where calls are recorded as well, and with all at once. One stack is deeper than what is recorded: it
# lacks the outermost methods.
for options in alloc=stack calls,alloc=stack "$everything"; do
	profiled "$options,quiet,output=stacks.mprof" Sites.exe >stacks.expected
	check_complete stacks.mprof
	check_sites stacks.expected stacks.mprof
	expect "$options: places" "$(wc -l <sites.tsv)" $(($(wc -l <stacks.expected) + 1))
	deepest="$(printf 'Program.Recurse (int) < %.0s' {1..31})Program.Recurse (int)"
	expect "$options: the stack that is too deep" \
		"$(LC_ALL=C sort stacks.expected | LC_ALL=C comm -13 - sites.tsv)" \
		"site	Sites.Deep	1	16	$deepest"
	# What the runtime allocates outside of all methods has no place; all of the program's classes has.
	expect "$options: allocations, by places and by classes" "$(jq '
		def sums(name): [.[] | select(name | startswith("Sites.")) | [.allocations, .bytes]] | transpose |
			map(add);
		(.allocation_stacks | sums(.class)) == (.classes | sums(.name))' report.json)" true
	expect "$options: frames without a name" \
		"$(jq '[.allocation_stacks[].stack[] | select(. == null)] | length' report.json)" 0
done

# As deep as is asked for
profiled "alloc=stack,stack-depth=2,quiet,output=shallow.mprof" Sites.exe >/dev/null
expect "stack-depth=2" "$(sites shallow.mprof | grep -E '^site	Sites.(Shared|Deep)	' | LC_ALL=C sort)" \
	"site	Sites.Deep	4	64	Program.Recurse (int) < Program.Recurse (int)
site	Sites.Shared	100	2400	Program.Make () < Program.One ()
site	Sites.Shared	200	4800	Program.Make () < Program.Two ()"

# By caller alone: the innermost method of each place.
profiled "alloc=caller,quiet,output=callers.mprof" Sites.exe >callers.expected
check_complete callers.mprof
"$MPROF" report --json --top=0 callers.mprof | jq -r '.allocation_stacks[] | select(.class | startswith("Sites.")) |
	[.class, .allocations, .caller[6:]] | @tsv' | LC_ALL=C sort >callers.tsv
# What the class library makes for the program has a caller there.
awk -F '\t' '{ sub(/ < .*/, "", $5) }
	$2 == "Sites.Grown" { $5 = "" }
	$2 == "Sites.Deep" { $3 = 4; if (seen++) next }
	$2 == "Sites.Shared" { $3 = 300; if (shared++) next }
	{ print $2 "\t" $3 "\t" $5 }' callers.expected | LC_ALL=C sort >wanted.tsv
sed -i 's/^\(Sites.Grown\t25\t\).*/\1/' callers.tsv
expect "callers" "$(cat callers.tsv)" "$(cat wanted.tsv)"

# Which objects: all of them are alive, so no two have the same address, which heap shots then name again.
profiled "alloc=objects,heap=ondemand,gc,quiet,output=objects.mprof" Sites.exe >/dev/null
check_complete objects.mprof
"$MPROF" dump --json objects.mprof >dump.json
class=$(grep '^{"block":"mapping"' dump.json | jq '.classes[] | select(.name == "Sites.Shared").id')
grep "^{\"event\":\"allocation\".*\"class\":$class," dump.json | jq -r .object >addresses
expect "objects" "$(wc -l <addresses)" 300
expect "objects with addresses of their own" "$(sort -u addresses | grep -c '^0x[1-9a-f]')" 300

# Sizes of classes whose objects are all alike stand with the class, and are those of the objects.
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
