# SPDX-License-Identifier: MIT
# Reads a Perfetto trace as text of protoc and prints a line for each method: name, own time, total time, calls. Lines
# that begin with an exclamation mark are faults of the trace. It follows the rules of the reader of Perfetto: names are
# those of the sequence, and forgotten when a packet clears its state; a timestamp is the time since the previous packet.
# Methods are distinguished by the IDs of their names, since several methods may have the same name.

function text(value, out, rest, code) {
	rest = substr(value, 2, length(value) - 2)
	out = ""
	while (match(rest, /\\/)) {
		out = out substr(rest, 1, RSTART - 1)
		rest = substr(rest, RSTART + 1)
		if (match(rest, /^[0-7][0-7][0-7]/)) {
			code = substr(rest, 1, 1) * 64 + substr(rest, 2, 1) * 8 + substr(rest, 3, 1)
			out = out sprintf("%c", code)
			rest = substr(rest, 4)
		} else {
			out = out substr(rest, 1, 1)
			rest = substr(rest, 2)
		}
	}
	return out rest
}

function fault(what) {
	print "! " what " in packet " packets
}

function begin_packet() {
	packets++
	split("", packet)
	interned = 0
}

function begin_call(sequence, method, is_resumed, time, depth) {
	if (names[sequence, generation[sequence], method] == "") {
		fault("a call has no name")
	}
	name_of[method] = names[sequence, generation[sequence], method]
	depth = ++depths[sequence]
	calls[sequence, depth] = method
	starts[sequence, depth] = time
	inner[sequence, depth] = 0
	active[sequence, method]++
	counts[method] += !is_resumed
	own[method] += 0
}

function end_call(sequence, time, depth, method, duration) {
	depth = depths[sequence]
	if (depth < 1) {
		fault("an end has no beginning")
		return
	}
	method = calls[sequence, depth]
	duration = time - starts[sequence, depth]
	own[method] += duration - inner[sequence, depth]
	if (--active[sequence, method] == 0) {
		total[method] += duration
	}
	depths[sequence] = --depth
	inner[sequence, depth] += duration
}

function end_packet(sequence, i) {
	sequence = packet["trusted_packet_sequence_id"]
	if (packet["sequence_flags"] % 2 == 1) {
		is_cleared[sequence] = 1
		generation[sequence]++
		clocks[sequence] = snapshot[64]
	}
	if (!is_cleared[sequence]) {
		fault("a sequence begins without clearing its state")
	}
	for (i = 1; i <= interned; i++) {
		names[sequence, generation[sequence], interned_id[i]] = interned_name[i]
	}
	if (!("type" in packet) || sequence == 1) {
		return
	}
	clocks[sequence] += packet["timestamp"]
	if (packet["type"] == 1) {
		begin_call(sequence, packet["name_iid"], "category_iids" in packet, clocks[sequence])
	} else {
		end_call(sequence, clocks[sequence])
	}
}

/^packet \{/ { begin_packet() }
/^\}/ { end_packet() }
/^    event_names \{/ { interned++; inside_name = 1 }
/^    \}/ { inside_name = 0 }
/^      clock_id:/ { clock = $2 }
/^      timestamp:/ { snapshot[clock] = $2 }
inside_name && /^      iid:/ { interned_id[interned] = $2 }
inside_name && /^      name:/ { interned_name[interned] = text(substr($0, 13)) }
/^  [a-z_]+: / { packet[substr($1, 1, length($1) - 1)] = $2 }
/^    (type|name_iid|category_iids): / { packet[substr($1, 1, length($1) - 1)] = $2 }
END {
	for (sequence in depths) {
		if (depths[sequence] != 0) {
			fault("calls are open at the end")
		}
	}
	for (method in own) {
		printf "%s\t%.0f\t%.0f\t%.0f\n", name_of[method], own[method], total[method], counts[method]
	}
}
