# SPDX-License-Identifier: MIT
# Prints the numbers of the totals.json of a log in the form of sample_totals. Events are named by kinds, and their
# bytes by the names in the format.
def kinds: {
	ENTER: "method-enter", LEAVE: "method-leave", METHOD_0_S: "method-jit-start", METHOD_0_E: "method-jit-end",
	CLASS_0_S: "class-load-start", CLASS_0_E: "class-load-end", CLASS_3_S: "monitor", THREAD_S: "thread-start",
	THREAD_E: "thread-end", ALLOC: "allocation", JIT_TIME_ALLOC: "allocation-at-jit", STACK_SECTION: "stack-section",
	GC_COLLECTION_S: "gc-start", GC_COLLECTION_E: "gc-end", GC_MARK_S: "gc-mark-start", GC_MARK_E: "gc-mark-end",
	GC_SWEEP_S: "gc-sweep-start", GC_SWEEP_E: "gc-sweep-end", GC_RESIZE_S: "gc-resize",
	GC_STOP_WORLD_S: "gc-stop-world-start", GC_STOP_WORLD_E: "gc-stop-world-end",
	GC_START_WORLD_S: "gc-start-world-start", GC_START_WORLD_E: "gc-start-world-end"};
def states: {contention: 1, done: 2, fail: 3};

def line($what; $name; $number): "\($what)\t\($name)\t\($number)";
def lines($what; counts): counts | to_entries[] | line($what; .key; .value);

line("read_until"; ""; .size),
line("valid_bytes"; ""; .size - .trailing),
line("ended"; ""; if .ended then 1 else 0 end),
line("header_bytes"; ""; .header_bytes),
line("threads"; ""; .threads),
line("stale_blocks"; ""; .event_blocks_with_stale_start_counter),
line("jitted_methods"; ""; .jitted_methods),
lines("block"; .blocks),
(.directives[] | line("directive"; .; 1)),
(.events | to_entries[] | line("event"; kinds[.key] // .key; .value)),
lines("enter"; .enter), lines("leave"; .leave),
lines("alloc_count"; .alloc_count), lines("alloc_bytes"; .alloc_bytes),
lines("jit_time_alloc"; .jit_time_alloc), lines("exceptions"; .exceptions),
(.monitor | to_entries[] | line("monitor"; states[.key] // .key; .value))
