#!/bin/bash
# SPDX-License-Identifier: MIT
# All that follows the calls of threads takes the end of a thread for the same: it does not end calls, from which the
# thread may return later; its next start does (doc/format.md, 4.3). Reports, copies in all dialects, exports, flame
# graphs, live views, the decoder and the page have the same calls and times of logs with such events.
set -eu
# shellcheck source=tests/exports/followers.sh
. "$srcdir/tests/exports/followers.sh"

# add CASE WORD...: adds words of make_events to the log. The threads and methods of case 12 are 125 and 121 for 5 and 1.
add() {
	local case=$1 word

	shift
	for word; do
		test "$word" = "${word%[0-9]}" || word=${word:0:1}$case${word:1}
		words+=("$word")
	done
}
words=()

# Returns after the end, without and with methods.
add 1 @5 '<5' +1 +2 '>5' - -
add 2 @5 '<5' +1 +2 +3 '>5' -2 -1
# Open at the end of the log, of a thread that has ended and one that has not; entered after the end.
add 3 @5 '<5' +1 +2 '>5' @6 +3 - +4
add 4 @5 '<5' +1 '>5' +2 - +3 @6 +4 -
# Ends twice, with returns and without.
add 5 @5 '<5' +1 +2 '>5' - '>5' - @6 +3 -
add 6 @5 +1 +2 '>5' '>5' @6 +3 -
# Starts again: later, in the same block, without an end, and after a return.
add 7 @5 '<5' +1 +2 '>5' @6 +3 - @5 '<5' +4 - +5 '>5' -
add 8 @5 '<5' +1 +2 '>5' '<5' +4 - '>5'
add 9 @5 '<5' +1 +2 '<5' +4 -
add 10 @5 '<5' +1 +2 '>5' - '<5' +4 - +1
# Ends without a start, and without anything else.
add 11 @5 '>5' +1 - @6 +2 - '>6'
add 12 @5 '>5' @6 +1 -
# Ends while a heap snapshot is written.
add 13 @5 '<5' +1 +2 '(' '>5' ')' - - @6 +3 -
add 14 @5 '<5' +1 +2 '(' '>5' '<5' +3 ')' - @6 +3 -
# Another thread reports the end or the start, before and after the last returns.
add 15 @5 '<5' +1 +2 @6 +3 '>5' - +4 -
add 16 @5 '<5' +1 +2 @6 '>5' @5 - - @6 +1
add 17 @5 +1 +2 @6 '<5' @5 - - @6 +1 -
add 18 @5 '<5' +1 +2 '>5' @6 +3 '>5' - @5 -
# Calls inside themselves, and returns in later blocks; the last of them ends the log.
add 19 @5 '<5' +1 +2 +1 '>5' @6 +3 - @5 - -2 +4 @6 +2
add 20 @5 '<5' +1 +2 '>5' @6 +3 - @5 - -

printf '%s\n' "${words[@]}" >words
all_the_same
