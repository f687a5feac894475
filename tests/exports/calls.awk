# SPDX-License-Identifier: MIT
# Sums calls: lines of phase (B, E), category, thread, time, name, with tabs between them, in the order of the file.
# Prints a line for each method: name, own time, total time, calls. Lines that begin with an exclamation mark are faults.

BEGIN { FS = "\t" }
{
	thread = $3
	name = $5
	if ($4 < last[thread]) {
		print "! time goes back in line " NR
	}
	last[thread] = $4
}
$1 == "B" {
	depth = ++depths[thread]
	calls[thread, depth] = name
	starts[thread, depth] = $4
	inner[thread, depth] = 0
	active[thread, name]++
	counts[name] += $2 == "call"
	own[name] += 0
}
$1 == "E" {
	depth = depths[thread]
	if (depth < 1 || calls[thread, depth] != name) {
		print "! the end in line " NR " has no beginning"
		next
	}
	duration = $4 - starts[thread, depth]
	own[name] += duration - inner[thread, depth]
	if (--active[thread, name] == 0) {
		total[name] += duration
	}
	depths[thread] = --depth
	inner[thread, depth] += duration
}
END {
	for (thread in depths) {
		if (depths[thread] != 0) {
			print "! calls are open at the end"
		}
	}
	for (name in own) {
		printf "%s\t%.0f\t%.0f\t%.0f\n", name, own[name], total[name], counts[name]
	}
}
