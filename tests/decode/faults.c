/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdio.h>
#include <string.h>

/* Names of the faults and what the decoder does. doc/decode.md describes what mprof decode does instead. */
static const struct {
	const char *name;
	const char *what;
} faults[FAULT_COUNT] = {
	[FAULT_HEADERS] = {"headers", "headers of 6 bytes are read as 10, and nothing is printed"},
	[FAULT_MISSING_END] = {"missing-end", "without an END block nothing is printed"},
	[FAULT_FLAGS] = {"flags", "sections that INTRO has no flag for are not printed"},
	[FAULT_BLOCK_STARTS] = {"block-starts", "a block that repeats the start of its thread's last one begins there"},
	[FAULT_GARBAGE_TIMES] = {"garbage-times", "the time of a wait may be uninitialized memory"},
	[FAULT_COMPILATION_NAMES] = {"compilation-names", "a compilation that ends under another name is another"},
	[FAULT_NESTED_COMPILATIONS] = {"nested-compilations",
				       "a compilation inside one of the same method takes its start"},
	[FAULT_LOST_FRAMES] = {"lost-frames", "what ends without a frame empties the stack"},
	[FAULT_OPEN_CALLS] = {"open-calls", "calls that are not left are not counted"},
	[FAULT_THREADS] = {"threads", "a thread goes on with the stack of the one that had its ID"},
	[FAULT_ONE_STACK] = {"one-stack", "stack sections, calls and compilations change the same stack"},
	[FAULT_CHAINS] = {"chains", "the last frame of a call stack is counted, and in mono the one after it"},
	[FAULT_UNKNOWN_METHODS] = {"unknown-methods", "hits of no known method are not counted"},
	[FAULT_REPEATED_FUNCTIONS] = {"repeated-functions", "a function that is defined again is another one"},
	[FAULT_RESIZES] = {"resizes", "before they were numbered, their time was a number"},
	[FAULT_WAITS] = {"waits", "a wait is counted where it ends, from the last event of the object"},
	[FAULT_SECONDS] = {"seconds", "the time of a summary lacks its whole seconds"},
	[FAULT_SUMS] = {"sums", "bytes are summed modulo 2^32"},
	[FAULT_FAILED_LOADS] = {"failed-loads", "a class that failed to load is an object of any size"},
	[FAULT_EARLY_DEATHS] = {"early-deaths", "a class with more dead than allocated bytes has nearly 2^32 bytes"},
	[FAULT_BYTES_OF_NAMES] = {"bytes-of-names", "each byte of a name is a character"},
	[FAULT_STACK_NUMBERS] = {"stack-numbers", "paths are numbered in the order of their first use"},
	[FAULT_ORDER] = {"order", "equal lines are in the order in which the runtime's sorting leaves them"},
};

int faults_without(unsigned *remaining, const char *name)
{
	if (strcmp(name, "all") == 0) {
		*remaining = 0;
		return 1;
	}
	for (unsigned i = 0; i < FAULT_COUNT; i++) {
		if (strcmp(name, faults[i].name) == 0) {
			*remaining &= ~(1U << i);
			return 1;
		}
	}
	return 0;
}

void faults_list(void)
{
	for (unsigned i = 0; i < FAULT_COUNT; i++)
		printf("%s\t%s\n", faults[i].name, faults[i].what);
}
