/* SPDX-License-Identifier: MIT */
/* Parses the values of the options of a recording. */
#include "shared/record_values.h"

#include "shared/signal_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Most digits of a size in a list, with its suffix. */
#define SIZE_TEXT 24

/* Stores the position after the digits in rest. Returns 0 if there is no digit, or the number is too large. */
static int read_digits(const char *text, uint64_t *number, const char **rest)
{
	char *end;

	errno = 0;
	*number = strtoumax(text, &end, 10);
	*rest = end;
	return text[0] >= '0' && text[0] <= '9' && errno == 0;
}

int record_values_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	const char *rest;

	return read_digits(text, number, &rest) && *rest == '\0' && *number >= least && *number <= most;
}

/* The shift of a size suffix; -1 if it is not a suffix. */
static int shift_of(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *letter = strchr(letters, tolower((unsigned char)suffix[0]));

	if (suffix[0] == '\0')
		return 0;
	return letter == NULL || suffix[1] != '\0' ? -1 : 10 * (int)(letter - letters + 1);
}

int record_values_size(const char *text, uint64_t least, uint64_t most, uint64_t *size)
{
	const char *suffix;
	uint64_t number;
	int shift = read_digits(text, &number, &suffix) ? shift_of(suffix) : -1;

	if (shift < 0 || number > UINT64_MAX >> 1 >> shift)
		return 0;
	*size = number << shift;
	return *size >= least && *size <= most;
}

/* If the next word of a list separated by + is this one, skips it and returns 1. */
static int skip_word(const char **list, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*list, word, length) != 0 || ((*list)[length] != '+' && (*list)[length] != '\0'))
		return 0;
	*list += length + ((*list)[length] == '+');
	/* A + at the end joins nothing. */
	return (*list)[0] != '\0' || (*list)[-1] != '+';
}

/* If the next word of a list is "stack:" and a size, skips it and returns 1. */
static int skip_sampled_stack(const char **list, uint64_t *interval)
{
	static const char prefix[] = "stack:";
	const size_t start = sizeof(prefix) - 1;
	const size_t length = strcspn(*list, "+");
	char size[SIZE_TEXT];

	if (strncmp(*list, prefix, start) != 0 || length - start >= sizeof(size))
		return 0;
	snprintf(size, sizeof(size), "%.*s", (int)(length - start), *list + start);
	if (!record_values_size(size, MIN_ALLOCATION_INTERVAL, MAX_ALLOCATION_INTERVAL, interval))
		return 0;
	*list += length + ((*list)[length] == '+');
	return (*list)[0] != '\0' || (*list)[-1] != '+';
}

int record_values_allocation(const char *text, record_allocation *allocation)
{
	do {
		uint64_t interval = 0;

		if (skip_word(&text, "stack") || skip_sampled_stack(&text, &interval)) {
			allocation->has_stacks = 1;
			allocation->interval = interval;
		} else if (skip_word(&text, "caller")) {
			allocation->has_callers = 1;
		} else if (skip_word(&text, "objects") || skip_word(&text, "object")) {
			allocation->has_objects = 1;
		} else {
			return 0;
		}
	} while (*text != '\0');
	return 1;
}

int record_values_exceptions(const char *text, record_exceptions *exceptions)
{
	do {
		if (skip_word(&text, "stack"))
			exceptions->has_stacks = 1;
		else if (skip_word(&text, "clauses"))
			exceptions->has_clauses = 1;
		else
			return 0;
	} while (*text != '\0');
	return 1;
}

int record_values_heap(const char *text, record_heap *heap)
{
	const char *unit;
	uint64_t number;

	if (strcmp(text, "ondemand") == 0 || strcmp(text, "on-demand") == 0) {
		heap->when = HEAP_ON_DEMAND;
		return 1;
	}
	if (strcmp(text, "every-gc") == 0 || strcmp(text, "every") == 0) {
		heap->when = HEAP_EVERY;
		heap->collections = 1;
		return 1;
	}
	if (!read_digits(text, &number, &unit) || number < 1 || number > 1000000000)
		return 0;
	if (strcmp(unit, "gc") == 0) {
		heap->when = HEAP_EVERY;
		heap->collections = (uint32_t)number;
		return 1;
	}
	heap->when = HEAP_AT_INTERVAL;
	heap->milliseconds = (uint32_t)number;
	return strcmp(unit, "ms") == 0;
}

int record_values_handles(const char *text, record_handles *handles)
{
	static const char *const types[] = {"normal", "pinned", "weak", "weak-track"};
	static const char of_class[] = "class:";
	const size_t prefix = sizeof(of_class) - 1;

	if (strncmp(text, of_class, prefix) == 0) {
		handles->class_pattern = text + prefix;
		return text[prefix] != '\0';
	}
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (strcmp(text, types[i]) != 0)
			continue;
		handles->type = types[i];
		return 1;
	}
	return 0;
}

static int read_action(const char *word, signal_action *action)
{
	if (strcmp(word, "heapshot") == 0)
		*action = SIGNAL_HEAPSHOT;
	else if (strcmp(word, "toggle") == 0)
		*action = SIGNAL_TOGGLE;
	else if (strcmp(word, "flush") == 0)
		*action = SIGNAL_FLUSH;
	else
		return 0;
	return 1;
}

int record_values_signal(const char *text, record_signal *signal)
{
	const char *colon = strchr(text, ':');
	char name[32];

	signal->number = 0;
	if (colon == NULL || !read_action(colon + 1, &signal->action))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
	signal->number = signal_names_number(name);
	return signal->number != 0;
}
