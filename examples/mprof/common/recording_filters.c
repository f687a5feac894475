/* SPDX-License-Identifier: MIT */
/* Reads and prints the filters with which a log was recorded. */
#include "common/recording_filters.h"

#include "shared/text.h"

#include <mprof/format.h>

#include <string.h>

#define CHANGED_KEY "filters_changed"

int recording_filters_is_key(const char *key)
{
	return strcmp(key, "only") == 0 || strcmp(key, "not") == 0 || strcmp(key, CHANGED_KEY) == 0;
}

void recording_filters_take(recording_filters *filters, const char *key, const char *value)
{
	if (strcmp(key, "only") == 0)
		snprintf(filters->only, sizeof(filters->only), "%s", value);
	if (strcmp(key, "not") == 0)
		snprintf(filters->excluded, sizeof(filters->excluded), "%s", value);
	filters->are_changed |= strcmp(key, CHANGED_KEY) == 0;
}

int recording_filters_exist(const recording_filters *filters)
{
	return filters->only[0] != '\0' || filters->excluded[0] != '\0' || filters->are_changed;
}

/* Copies the first pattern. Returns the rest. */
static const char *next_pattern(const char *patterns, char pattern[RECORDING_FILTERS_TEXT])
{
	size_t length = strcspn(patterns, "\n");

	memcpy(pattern, patterns, length);
	pattern[length] = '\0';
	return patterns[length] == '\n' ? patterns + length + 1 : patterns + length;
}

static void print_patterns(const char *option, const char *patterns, FILE *file)
{
	char pattern[RECORDING_FILTERS_TEXT];

	while (patterns[0] != '\0') {
		patterns = next_pattern(patterns, pattern);
		fprintf(file, " %s=", option);
		text_name(file, pattern);
	}
}

/* Filters that are set while the program runs do not apply to calls. */
static void print_missing(const recording_filters *filters, uint32_t flags, FILE *file)
{
	const struct {
		int is_recorded;
		const char *name;
	} kinds[] = {
		{(flags & MPROF_INTRO_FLAG_ENTER_LEAVE) != 0 && !filters->are_changed, "calls"},
		{(flags & MPROF_INTRO_FLAG_ALLOCATION) != 0, "allocations"},
		{(flags & MPROF_INTRO_FLAG_STATISTICAL) != 0, "samples"},
	};
	const char *separator = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].is_recorded)
			continue;
		fprintf(file, "%s%s", separator, kinds[i].name);
		separator = ", ";
	}
	fputs(separator[0] != '\0' ? " of other methods are missing\n" : "nothing is missing\n", file);
}

void recording_filters_print_text(const recording_filters *filters, uint32_t flags, FILE *file)
{
	if (!recording_filters_exist(filters))
		return;
	fprintf(file, "%-12s", "filters");
	if (filters->only[0] == '\0' && filters->excluded[0] == '\0')
		fputs(" none at the end", file);
	print_patterns("only", filters->only, file);
	print_patterns("not", filters->excluded, file);
	fputs(filters->are_changed ? ", changed while the program ran: " : ": ", file);
	print_missing(filters, flags, file);
}

static void print_array(json_writer *json, const char *key, const char *patterns)
{
	char pattern[RECORDING_FILTERS_TEXT];

	json_begin_array(json, key);
	while (patterns[0] != '\0') {
		patterns = next_pattern(patterns, pattern);
		json_string(json, NULL, pattern);
	}
	json_end_array(json);
}

void recording_filters_print_json(const recording_filters *filters, json_writer *json)
{
	if (!recording_filters_exist(filters)) {
		json_null(json, "filters");
		return;
	}
	json_begin_object(json, "filters");
	print_array(json, "only", filters->only);
	print_array(json, "not", filters->excluded);
	json_boolean(json, "changed", filters->are_changed);
	json_end_object(json);
}
