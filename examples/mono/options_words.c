/* SPDX-License-Identifier: MIT */
/* Maps option words to record kinds, and formats the names of record kinds. */
#include "options_words.h"

#include "options.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct kind_word {
	const char *word;
	uint32_t kinds;
} kind_word;

/* Words of earlier profilers follow the main word of a kind. */
static const kind_word kind_words[] = {
	{"calls", RECORD_CALLS},
	{"enter-leave", RECORD_CALLS},
	{"c", RECORD_CALLS},
	{"alloc", RECORD_ALLOCATIONS},
	{"allocations", RECORD_ALLOCATIONS},
	{"a", RECORD_ALLOCATIONS},
	{"jit", RECORD_JIT},
	{"j", RECORD_JIT},
	{"gc", RECORD_COLLECTIONS},
	{"g", RECORD_COLLECTIONS},
	{"exceptions", RECORD_EXCEPTIONS},
	{"exception", RECORD_EXCEPTIONS},
	{"threads", RECORD_THREADS},
	{"thread", RECORD_THREADS},
	{"t", RECORD_THREADS},
	{"classes", RECORD_CLASSES},
	{"all", RECORD_ALL},
	{"sample", RECORD_SAMPLES},
	{"sample-real", RECORD_SAMPLES},
	{"heap", RECORD_HEAP},
	{"heapshot", RECORD_HEAP},
	{"summary", RECORD_SUMMARIES},
	{"free", RECORD_FREED},
	{"moves", RECORD_MOVES},
	{"gcmove", RECORD_MOVES},
	{"handles", RECORD_HANDLES},
	{"gchandle", RECORD_HANDLES},
	{"monitor", RECORD_MONITORS},
	{"monitors", RECORD_MONITORS},
	{"finalizers", RECORD_FINALIZERS},
	{"finalization", RECORD_FINALIZERS},
	{"counters", RECORD_METRICS},
	{"counter", RECORD_METRICS},
};

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

uint32_t options_kinds_of(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(kind_words); i++)
		if (strcmp(word, kind_words[i].word) == 0)
			return kind_words[i].kinds;
	return 0;
}

void options_describe_kinds(uint32_t kinds, char *text, size_t size)
{
	size_t length = 0;

	snprintf(text, size, "loads only");
	for (size_t i = 0; i < COUNT_OF(kind_names) && length < size; i++)
		if (kinds & kind_names[i].kind)
			length += (size_t)snprintf(text + length, size - length, "%s%s", length == 0 ? "" : ", ",
						   kind_names[i].name);
}
