/* SPDX-License-Identifier: MIT */
/* Parses the values of options: numbers, sizes, signals and words. */
#include "options_values.h"

#include "shared/signal_names.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Range of the mean distance of allocations with a call stack, in bytes. */
#define MIN_ALLOCATION_INTERVAL (UINT64_C(1) << 10)
#define MAX_ALLOCATION_INTERVAL (UINT64_C(1) << 30)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Parses the digits at the start of a text and stores the position after them in rest. Returns 0 if there is no digit,
 * or the number is out of range.
 */
static int read_number(const char *text, uint64_t *number, const char **rest)
{
	char *end;

	errno = 0;
	*number = strtoumax(text, &end, 10);
	*rest = end;
	return text[0] >= '0' && text[0] <= '9' && errno == 0;
}

int options_parse_number(options_parser *parser, const char *value, uint32_t least, uint32_t most, uint32_t *number)
{
	const char *rest;
	uint64_t parsed;

	if (!read_number(value, &parsed, &rest) || *rest != '\0' || parsed < least || parsed > most)
		return options_complain(parser, "'%s' is not a number from %" PRIu32 " to %" PRIu32, value, least,
					most);
	*number = (uint32_t)parsed;
	return 1;
}

static int shift_of(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *letter;

	if (suffix[0] == '\0')
		return 0;
	letter = strchr(letters, tolower((unsigned char)suffix[0]));
	return letter == NULL || suffix[1] != '\0' ? -1 : 10 * (int)(letter - letters + 1);
}

/* Returns 0 if it is not a size, or out of range. */
static int read_size(const char *value, uint64_t least, uint64_t *size)
{
	const char *rest;
	uint64_t parsed;
	int well = read_number(value, &parsed, &rest);
	int shift = well ? shift_of(rest) : -1;

	if (shift < 0 || parsed > UINT64_MAX >> 1 >> shift || parsed << shift < least)
		return 0;
	*size = parsed << shift;
	return 1;
}

int options_parse_size(options_parser *parser, const char *value, uint64_t least, uint64_t *size)
{
	if (!read_size(value, least, size))
		return options_complain(parser,
					"'%s' is not a number of bytes from %" PRIu64 "k on; k, m and g multiply it",
					value, least >> 10);
	return 1;
}

/* If the next word of a list separated by '+' is this one, skips it and returns 1. */
static int skip_word(const char **list, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*list, word, length) != 0 || ((*list)[length] != '+' && (*list)[length] != '\0'))
		return 0;
	*list += length + ((*list)[length] == '+');
	return 1;
}

/*
 * If the next word is "stack:" and a size, skips it and returns 1; 0 if it is another word, or the size is out of
 * range.
 */
static int skip_sampled_stack(const char **list, uint64_t *interval)
{
	static const char prefix[] = "stack:";
	size_t length = strcspn(*list, "+");
	char size[24];

	if (strncmp(*list, prefix, sizeof(prefix) - 1) != 0 || length - (sizeof(prefix) - 1) >= sizeof(size))
		return 0;
	snprintf(size, sizeof(size), "%.*s", (int)(length - (sizeof(prefix) - 1)), *list + sizeof(prefix) - 1);
	if (!read_size(size, MIN_ALLOCATION_INTERVAL, interval) || *interval > MAX_ALLOCATION_INTERVAL)
		return 0;
	*list += length + ((*list)[length] == '+');
	return 1;
}

int options_parse_sampled_stack(const char *value, uint64_t *interval)
{
	const char *rest = value;

	return strchr(value, '+') == NULL && skip_sampled_stack(&rest, interval);
}

int options_apply_allocation_detail(options_parser *parser, const char *value)
{
	module_options *options = parser->options;
	const char *list = value;

	do {
		uint64_t interval = 0;

		if (skip_word(&list, "stack") || skip_sampled_stack(&list, &interval)) {
			options->allocation_stacks = 1;
			options->allocation_interval = interval;
		} else if (skip_word(&list, "caller")) {
			options->allocation_callers = 1;
		} else if (skip_word(&list, "objects") || skip_word(&list, "object")) {
			options->allocation_objects = 1;
		} else {
			return options_complain(
				parser,
				"unknown value alloc=%s; the values are stack, stack:BYTES from 1k to 1g, caller and "
				"objects, joined by +",
				value);
		}
	} while (*list != '\0');
	return 1;
}

int options_apply_exception_detail(options_parser *parser, const char *value)
{
	const char *list = value;

	do {
		if (skip_word(&list, "stack"))
			parser->options->exception_stacks = 1;
		else if (skip_word(&list, "clauses"))
			parser->options->exception_clauses = 1;
		else
			return options_complain(parser,
						"unknown value exceptions=%s; the values are stack, clauses, and both: "
						"stack+clauses",
						value);
	} while (*list != '\0');
	return 1;
}

int options_apply_handle_type(options_parser *parser, const char *value)
{
	static const char *const types[] = {"normal", "pinned", "weak", "weak-track"};
	static const char of_class[] = "class:";
	size_t prefix = sizeof(of_class) - 1;

	if (strncmp(value, of_class, prefix) == 0 && value[prefix] != '\0')
		return options_set_text(parser, &parser->options->handle_class, value + prefix);
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (strcmp(value, types[i]) != 0)
			continue;
		parser->options->handle_type = types[i];
		return 1;
	}
	return options_complain(
		parser, "unknown value handles=%s; the values are normal, pinned, weak, weak-track and class:PATTERN",
		value);
}

int options_apply_heap_occasion(options_parser *parser, const char *value)
{
	module_options *options = parser->options;
	const char *unit;
	uint64_t number;

	if (strcmp(value, "ondemand") == 0 || strcmp(value, "on-demand") == 0) {
		options->heap_when = HEAP_ON_DEMAND;
		return 1;
	}
	if (strcmp(value, "every-gc") == 0 || strcmp(value, "every") == 0) {
		options->heap_when = HEAP_EVERY;
		options->heap_collections = 1;
		return 1;
	}
	if (read_number(value, &number, &unit) && number >= 1 && number <= 1000000000) {
		if (strcmp(unit, "gc") == 0) {
			options->heap_when = HEAP_EVERY;
			options->heap_collections = (uint32_t)number;
			return 1;
		}
		if (strcmp(unit, "ms") == 0) {
			options->heap_when = HEAP_AT_INTERVAL;
			options->heap_milliseconds = (uint32_t)number;
			return 1;
		}
	}
	return options_complain(
		parser, "unknown value heap=%s; the values are every-gc, ondemand, and numbers such as 5gc and 500ms",
		value);
}

static int parse_action(const char *word, signal_action *action)
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

int options_apply_signal(options_parser *parser, const char *value)
{
	module_options *options = parser->options;
	const char *colon = strchr(value, ':');
	char name[32];
	signal_action action;
	int number;

	if (colon == NULL || !parse_action(colon + 1, &action))
		return options_complain(
			parser,
			"signal=%s needs a signal and an action, such as USR1:heapshot; the actions are "
			"toggle, flush and heapshot",
			value);
	snprintf(name, sizeof(name), "%.*s", (int)(colon - value), value);
	number = signal_names_number(name);
	if (number == 0)
		return options_complain(parser, "signal=%s: %s cannot be used; the signals are " SIGNAL_NAMES, value,
					name);
	for (unsigned i = 0; i < options->signal_count; i++)
		if (options->signals[i].number == number)
			return options_complain(parser, "signal=%s: %s already has an action", value, name);
	if (options->signal_count == MAX_SIGNAL_ACTIONS)
		return options_complain(parser, "signal=%s: at most %d signals can have an action", value,
					MAX_SIGNAL_ACTIONS);
	options->signals[options->signal_count].number = number;
	options->signals[options->signal_count].action = action;
	options->signal_count++;
	return 1;
}
