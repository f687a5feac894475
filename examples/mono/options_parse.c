/* SPDX-License-Identifier: MIT */
/* Parses the module's options. */
#include "options_parse.h"

#include "filters.h"
#include "shared/codec_names.h"
#include "shared/dialects.h"
#include "shared/resolution.h"
#include "shared/sample_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef struct options_parser {
	module_options *options;
	char *message;     /**< RECORD_MESSAGE_SIZE bytes. */
	uint32_t wanted;   /**< Record kinds switched on. */
	uint32_t unwanted; /**< Record kinds switched off. */
} options_parser;

/* Formats the parser's message, one line. Returns 0. */
__attribute__((format(printf, 2, 3))) static int complain(options_parser *parser, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(parser->message, RECORD_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return 0;
}

/* The options whose value, which is valid, is stored as it is. */
typedef enum field_kind { FIELD_SWITCH, FIELD_NUMBER, FIELD_SIZE, FIELD_TEXT } field_kind;

typedef struct option_field {
	const char *name;
	field_kind kind;
	size_t offset; /* In module_options, of an int, a uint32_t, a uint64_t or a char *. */
} option_field;

static const option_field fields[] = {
	{"drop", FIELD_SWITCH, offsetof(module_options, drop)},
	{"no-wrappers", FIELD_SWITCH, offsetof(module_options, no_wrappers)},
	{"no-heap-fields", FIELD_SWITCH, offsetof(module_options, no_heap_fields)},
	{"all-wrappers", FIELD_SWITCH, offsetof(module_options, all_wrappers)},
	{"async", FIELD_SWITCH, offsetof(module_options, async)},
	{"start-disabled", FIELD_SWITCH, offsetof(module_options, start_disabled)},
	{"no-control", FIELD_SWITCH, offsetof(module_options, no_control)},
	{"jitdump", FIELD_SWITCH, offsetof(module_options, jit_dump)},
	{"perf-map", FIELD_SWITCH, offsetof(module_options, perf_map)},
	{"oprofile", FIELD_SWITCH, offsetof(module_options, oprofile)},
	{"quiet", FIELD_SWITCH, offsetof(module_options, quiet)},
	{"quiet-start", FIELD_SWITCH, offsetof(module_options, quiet_start)},
	{"help", FIELD_SWITCH, offsetof(module_options, help)},
	{"depth", FIELD_NUMBER, offsetof(module_options, call_depth)},
	{"sample", FIELD_NUMBER, offsetof(module_options, sample_hz)},
	{"sample-real", FIELD_NUMBER, offsetof(module_options, sample_hz)},
	{"sample-depth", FIELD_NUMBER, offsetof(module_options, sample_depth)},
	{"stack-depth", FIELD_NUMBER, offsetof(module_options, stack_depth)},
	{"counters", FIELD_NUMBER, offsetof(module_options, metrics_milliseconds)},
	{"port", FIELD_NUMBER, offsetof(module_options, port)},
	{"gzip", FIELD_NUMBER, offsetof(module_options, gzip_level)},
	{"buffers", FIELD_NUMBER, offsetof(module_options, max_buffers)},
	{"buffer-events", FIELD_NUMBER, offsetof(module_options, buffer_events)},
	{"interval", FIELD_NUMBER, offsetof(module_options, drain_interval_ms)},
	{"drain-threads", FIELD_NUMBER, offsetof(module_options, drain_threads)},
	{"max-size", FIELD_SIZE, offsetof(module_options, max_bytes)},
	{"heap-memory", FIELD_SIZE, offsetof(module_options, heap_bytes)},
	{"ring", FIELD_SIZE, offsetof(module_options, ring_bytes)},
	{"output", FIELD_TEXT, offsetof(module_options, output)},
	{"salvage", FIELD_TEXT, offsetof(module_options, salvage)},
	{"control", FIELD_TEXT, offsetof(module_options, control_path)},
};

static const option_field *find_field(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++)
		if (strcmp(name, fields[i].name) == 0)
			return &fields[i];
	return NULL;
}

/* Replaces a text by a copy of the value. */
static int store_text(options_parser *parser, char **text, const char *value)
{
	free(*text);
	*text = strdup(value);
	return *text != NULL || complain(parser, "%s", strerror(ENOMEM));
}

/* Stores a value, or what an option without a value means. */
static int store_field(options_parser *parser, const option_field *field, const char *value)
{
	char *place = (char *)parser->options + field->offset;
	uint64_t number = 0;

	switch (field->kind) {
	case FIELD_SWITCH:
		*(int *)place = 1;
		return 1;
	case FIELD_NUMBER:
		if (value != NULL && record_values_number(value, 0, UINT32_MAX, &number))
			*(uint32_t *)place = (uint32_t)number;
		return 1;
	case FIELD_SIZE:
		return record_values_size(value, 0, UINT64_MAX, (uint64_t *)place);
	case FIELD_TEXT:
		return store_text(parser, (char **)place, value);
	}
	return 0;
}

static int add_filter(options_parser *parser, filter_action action, const char *value)
{
	return filters_add(&parser->options->filters, action, value) || complain(parser, "%s", strerror(errno));
}

/* Applies an option whose value, which is valid or NULL, has a syntax of its own. */
static int apply_value(options_parser *parser, const record_option *option, const char *value)
{
	module_options *options = parser->options;

	switch (option->syntax) {
	case RECORD_DIALECT:
		options->dialect = dialects_find(value);
		return 1;
	case RECORD_RESOLUTION:
		return resolution_parse(value, &options->resolution_ns);
	case RECORD_CODEC:
		return codec_names_parse(value, &options->codec, &options->codec_level);
	case RECORD_PATTERN:
		return add_filter(parser, strcmp(option->name, "only") == 0 ? FILTER_ONLY : FILTER_NOT, value);
	case RECORD_WORD:
		options->sample_source = sample_source_find(value);
		return 1;
	case RECORD_SIGNAL:
		return record_signals_add(&options->signals, value, "", parser->message);
	case RECORD_ALLOCATION:
		return value == NULL || record_values_allocation(value, &options->allocation);
	case RECORD_EXCEPTION:
		return value == NULL || record_values_exceptions(value, &options->exceptions);
	case RECORD_HEAP_WHEN:
		return value == NULL || record_values_heap(value, &options->heap);
	case RECORD_HANDLE:
		if (value == NULL || !record_values_handles(value, &options->handles))
			return value == NULL;
		return options->handles.class_pattern == NULL ||
		       store_text(parser, &options->handle_class, options->handles.class_pattern);
	default:
		return complain(parser, "option '%s' has no effect in Mono programs", option->name);
	}
}

/* If several words concern the same kind, the last one counts. */
static int apply_kinds(options_parser *parser, uint32_t kinds, int wanted)
{
	parser->wanted = wanted ? parser->wanted | kinds : parser->wanted & ~kinds;
	parser->unwanted = wanted ? parser->unwanted & ~kinds : parser->unwanted | kinds;
	return 1;
}

static int apply_option(options_parser *parser, const record_option *option, const char *value)
{
	module_options *options = parser->options;
	const option_field *field = find_field(option->name);

	if (!record_options_check(option, value, "", parser->message))
		return 0;
	if ((option->kinds & RECORD_SAMPLES) != 0)
		options->sample_real = strcmp(option->name, "sample-real") == 0;
	if (strcmp(option->name, "gzip") == 0)
		options->gzip_level = 1;
	if (option->kinds != 0)
		apply_kinds(parser, option->kinds, 1);
	if (field != NULL)
		return store_field(parser, field, value);
	return (option->argument == RECORD_PLAIN && option->kinds != 0) || apply_value(parser, option, value);
}

static int parse_word(options_parser *parser, const char *word)
{
	const size_t length = strcspn(word, "=");
	const record_option *option = record_options_find(word, length, RECORD_OF_MONO);
	const char *value = word[length] == '=' ? word + length + 1 : NULL;

	if (word[0] == '\0')
		return 1;
	/* Listening is the default: the word only cancels an earlier no-control. */
	if (strcmp(word, "control") == 0) {
		parser->options->no_control = 0;
		return 1;
	}
	if (option != NULL)
		return apply_option(parser, option, value);
	if (value == NULL && strncmp(word, "no-", 3) == 0)
		option = record_options_find(word + 3, length - 3, RECORD_OF_MONO);
	if (option == NULL || option->kinds == 0)
		return complain(parser, "unknown option '%.*s'", (int)length, word);
	return apply_kinds(parser, option->kinds, 0);
}

/*
 * With only outputs for other profilers, nothing is recorded by default. Options that select calls imply calls, since
 * they have no other effect.
 */
static uint32_t kinds_by_default(const module_options *options)
{
	int selects_calls =
		options->filters != NULL || options->call_depth != 0 || options->no_wrappers || options->all_wrappers;

	if (options->jit_dump || options->perf_map || options->oprofile)
		return 0;
	return selects_calls ? RECORD_DEFAULT | RECORD_CALLS : RECORD_DEFAULT;
}

static int complete_options(options_parser *parser)
{
	module_options *options = parser->options;
	record_combination combination = {0};

	options->kinds = (parser->wanted != 0 ? parser->wanted : kinds_by_default(options)) & ~parser->unwanted;
	options->heap_summary = (options->kinds & RECORD_SUMMARIES) != 0;
	combination.has_ring = options->ring_bytes != 0;
	combination.has_max_size = options->max_bytes != 0;
	combination.has_codec = options->codec != 0;
	combination.has_heap = (options->kinds & RECORD_HEAP) != 0;
	combination.is_older = options_are_classic(options);
	combination.allocation = options->allocation;
	combination.signals = options->signals;
	return record_combination_check(&combination, "", parser->message);
}

int options_parse(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE])
{
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	options_parser parser = {options, message, 0, 0};
	char *words = strdup(colon == NULL ? "" : colon + 1);
	int well = 1;

	options_init(options);
	if (words == NULL)
		return complain(&parser, "%s", strerror(ENOMEM));
	for (char *word = words; well && word != NULL;) {
		char *comma = strchr(word, ',');

		if (comma != NULL)
			*comma = '\0';
		well = parse_word(&parser, word);
		word = comma == NULL ? NULL : comma + 1;
	}
	free(words);
	return well && complete_options(&parser);
}
