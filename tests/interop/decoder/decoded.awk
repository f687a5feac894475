# SPDX-License-Identifier: MIT
# Converts the output of mprof-decoder to lines like those of facts() in ../mono/support.sh, but with class and method
# in one column, as it prints them:
#   calls METHOD NUMBER                 allocations CLASS NUMBER BYTES, if all of the class have a caller
#   bytes CLASS BYTES                   from CLASS METHOD NUMBER BYTES
#   jit METHOD
#   monitor CONTENTIONS FAILURES        collection NUMBER
#   resize NUMBER BYTES                 summary NUMBER CLASS NUMBER BYTES DEAD
#   shot NUMBER                         sample NAME NUMBER, for named items
#   samples NUMBER

BEGIN { OFS = "\t" }

/^Reporting / { part = $2 " " $3 " " $4 " " $5 " " $6 }
/^Reporting statistical hits/ {
	sub(/.*\(/, "")
	print "samples", $1 + 0
	next
}
/^Reporting / || /^---/ { next }

# The rest of a line after the first ") ".
function behind_bracket(line) { return substr(line, index(line, ") ") + 2) }

function number_before(word) { return match($0, "[0-9]+ " word) ? substr($0, RSTART) + 0 : 0 }

part ~ /^execution time by stack frame/ && / calls\) / { calls[behind_bracket($0)] += number_before("calls") }

part ~ /^allocations / && /^[ 0-9]/ && /% \([0-9]+ bytes\) / {
	class = behind_bracket($0)
	bytes[class] = number_before("bytes")
}
part ~ /^allocations / && /^        [0-9].* instances\) from / {
	instances[class] += number_before("instances")
	known[class] += number_before("bytes")
	print "from", class, substr($0, index($0, ") from ") + 7), number_before("instances"), number_before("bytes")
}

part ~ /^jit time/ && /ms\) / { print "jit", behind_bracket($0) }

part ~ /^monitor/ && / in Global statistics/ { print "monitor", number_before("contentions"), number_before("failures") }

part ~ /^GC statistics/ && /^\[[0-9]+\] Collection/ { print "collection", substr($0, 2) + 0 }
part ~ /^GC statistics/ && /^\[[0-9]+\] Heap resized/ { print "resize", substr($0, 2) + 0, number_before("bytes") }

part ~ /^allocation summaries/ && /^Data for collection/ { collection = $4 }
part ~ /^allocation summaries/ && /^  Class / {
	line = $0
	name = substr(line, 9, match(line, /: [0-9]+ bytes in /) - 9)
	line = substr(line, RSTART + 2)
	split(line, words, " ")
	print "summary", collection, name, words[4], words[1], substr(line, index(line, "(freed: ") + 8) + 0
}

part ~ /^heap data/ && /^Heap data collection/ { print "shot", $4 }

part ~ /^statistical hits/ && /^[ 0-9]+\.[0-9]+% \([0-9]+\) / {
	count = substr($0, index($0, "(") + 1) + 0
	name = behind_bracket($0)
	if (name !~ /^\[.*\]\(UNKNOWN\)$/ && name != "[UNKNOWN MEMORY REGION]") sampled[name] += count
}

END {
	for (name in sampled) print "sample", name, sampled[name]
	for (method in calls) print "calls", method, calls[method]
	for (class in bytes) print "bytes", class, bytes[class]
	for (class in known) if (known[class] == bytes[class]) print "allocations", class, instances[class], bytes[class]
}
