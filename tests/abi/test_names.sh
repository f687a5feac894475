#!/bin/bash
# SPDX-License-Identifier: MIT
# Every public function is named mprof_<noun>_<verb>..., with the nouns and verbs that stand here, so that one thing is
# called by one word: get for what an object holds, lookup for what a log defines, format for text made of it, write for
# a writer's blocks, record for a recorder's events.
set -eu

# Longer nouns first.
nouns="number_set argument block converter description descriptor dialect directive event finding_list frame_tree frame
	heap_diff heap_graph heap_set heap_table live_window loss merger metric name parser profile_diff profile query reader recorder recovery status
	struct table thread varint version writer"
verbs="add attach begin build close commit convert create decode define destroy detach drain dump encode end enter feed
	finish flush format get has init interrupt intersect is leave load lookup make move name next open read record register reserve restart
	recover retire run save seek select set skip subtract switch unite
	unregister update write"

status=0
while read -r symbol; do
	rest=
	for noun in $nouns; do
		if [[ $symbol == mprof_${noun}_* ]]; then
			rest=${symbol#mprof_"${noun}"_}
			break
		fi
	done
	# Options are initialised through their own type: mprof_reader_options_init().
	verb=${rest#options_}
	verb=${verb%%_*}
	if test -z "$rest" || [[ " ${verbs//[[:space:]]/ } " != *" $verb "* ]]; then
		echo "FAIL: $symbol is not mprof_<noun>_<verb>"
		status=1
	fi
done < <("$srcdir/tests/abi/list_symbols.sh" "$srcdir/include/mprof")
exit $status
