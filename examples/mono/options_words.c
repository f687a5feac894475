/* SPDX-License-Identifier: MIT */
/* Formats the names of record kinds. */
#include "options_words.h"

#include "options.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct kind_name {
	uint32_t kind;
	const char *name;
} kind_name;

static const kind_name kind_names[] = {
	{RECORD_CALLS, "calls"},
	{RECORD_ALLOCATIONS, "allocations"},
	{RECORD_JIT, "jit"},
	{RECORD_COLLECTIONS, "collections"},
	{RECORD_EXCEPTIONS, "exceptions"},
	{RECORD_THREADS, "threads"},
	{RECORD_CLASSES, "classes"},
	{RECORD_SAMPLES, "samples"},
	{RECORD_HEAP, "heap snapshots"},
	{RECORD_SUMMARIES, "heap summaries"},
	{RECORD_FREED, "freed objects"},
	{RECORD_MOVES, "moved objects"},
	{RECORD_HANDLES, "handles"},
	{RECORD_MONITORS, "monitors"},
	{RECORD_FINALIZERS, "finalizers"},
	{RECORD_METRICS, "counters"},
};

void options_describe_kinds(uint32_t kinds, char *text, size_t size)
{
	size_t length = 0;

	snprintf(text, size, "loads only");
	for (size_t i = 0; i < COUNT_OF(kind_names) && length < size; i++)
		if (kinds & kind_names[i].kind)
			length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ", ",
						   kind_names[i].name);
}
