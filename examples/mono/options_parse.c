/* SPDX-License-Identifier: MIT */
/* Parses the module's options. */
#include "options_parse.h"

#include "filters.h"
#include "options_parser.h"
#include "options_values.h"
#include "options_words.h"
#include "shared/dialects.h"
#include "shared/codec_names.h"
#include "shared/resolution.h"
#include "shared/sample_source.h"

#include <mprof/format.h>
#include <mprof/recorder_types.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One frame remains for MPROF_FRAME_TRUNCATED. */
#define MAX_STACK_DEPTH (MPROF_STACK_MAX - 1)

#define MIN_RING_BYTES (UINT64_C(1) << 20)
#define MIN_LOG_BYTES (UINT64_C(1) << 16)
#define MIN_HEAP_BYTES (UINT64_C(1) << 20)

/* An option without a value, which switches something on. */
typedef struct switch_option {
	const char *name;
	size_t field; /* Offset of an int in module_options. */
} switch_option;

static const switch_option switches[] = {
	{"drop", offsetof(module_options, drop)},
	{"no-wrappers", offsetof(module_options, no_wrappers)},
	{"no-heap-fields", offsetof(module_options, no_heap_fields)},
	{"all-wrappers", offsetof(module_options, all_wrappers)},
	{"async", offsetof(module_options, async)},
	{"start-disabled", offsetof(module_options, start_disabled)},
	{"no-control", offsetof(module_options, no_control)},
	{"jitdump", offsetof(module_options, jit_dump)},
	{"perf-map", offsetof(module_options, perf_map)},
	{"oprofile", offsetof(module_options, oprofile)},
	{"quiet", offsetof(module_options, quiet)},
	{"quiet-start", offsetof(module_options, quiet_start)},
	{"help", offsetof(module_options, help)},
};

/* An option whose value is a number. */
typedef struct number_option {
	const char *name;
	uint32_t least;
	uint32_t most;
	size_t field; /* Offset of a uint32_t in module_options. */
} number_option;

static const number_option numbers[] = {
	{"depth", 1, 1000000000, offsetof(module_options, call_depth)},
	{"sample-depth", 1, MAX_STACK_DEPTH, offsetof(module_options, sample_depth)},
	{"stack-depth", 1, MAX_STACK_DEPTH, offsetof(module_options, stack_depth)},
	{"port", 1024, 65535, offsetof(module_options, port)},
	{"gzip", 1, 9, offsetof(module_options, gzip_level)},
	{"buffers", 2, 65536, offsetof(module_options, max_buffers)},
	{"buffer-events", 128, 1048576, offsetof(module_options, buffer_events)},
	{"interval", 1, 3600000, offsetof(module_options, drain_interval_ms)},
	{"drain-threads", 1, 64, offsetof(module_options, drain_threads)},
};

static int apply_output(options_parser *parser, const char *value)
{
	if (value[0] == '\0')
		return options_complain(parser, "output= needs a file name");
	return options_set_text(parser, &parser->options->output, value);
}

static int apply_salvage(options_parser *parser, const char *value)
{
	if (value[0] == '\0')
		return options_complain(parser, "salvage= needs a file name or no");
	return options_set_text(parser, &parser->options->salvage, value);
}

static int apply_format(options_parser *parser, const char *value)
{
	char dialects[DIALECTS_LIST_SIZE];

	parser->options->dialect = dialects_find(value);
	if (parser->options->dialect != MPROF_DIALECT_DEFAULT)
		return 1;
	return options_complain(parser, "unknown format '%s'; the formats are %s", value, dialects_list(dialects));
}

static int apply_control(options_parser *parser, const char *value)
{
	if (value[0] == '\0')
		return options_complain(parser, "control= needs the path of a socket");
	return options_set_text(parser, &parser->options->control_path, value);
}

static int apply_filter(options_parser *parser, filter_action action, const char *value)
{
	if (filters_add(&parser->options->filters, action, value))
		return 1;
	if (errno == ENOMEM)
		return options_complain(parser, "%s", strerror(ENOMEM));
	return options_complain(parser, "%s= needs a pattern, such as MyProgram.* or assembly:mscorlib",
				action == FILTER_ONLY ? "only" : "not");
}

static int apply_only(options_parser *parser, const char *value)
{
	return apply_filter(parser, FILTER_ONLY, value);
}

static int apply_not(options_parser *parser, const char *value)
{
	return apply_filter(parser, FILTER_NOT, value);
}

static int apply_resolution(options_parser *parser, const char *value)
{
	return resolution_parse(value, &parser->options->resolution_ns) ||
	       options_complain(parser, "resolution=%s is not " RESOLUTION_VALUES, value);
}

static int apply_compress(options_parser *parser, const char *value)
{
	return codec_names_parse(value, &parser->options->codec, &parser->options->codec_level) ||
	       options_complain(parser, "compress=%s is not " CODEC_VALUES, value);
}

static int apply_max_size(options_parser *parser, const char *value)
{
	return options_parse_size(parser, value, MIN_LOG_BYTES, &parser->options->max_bytes);
}

static int apply_heap_memory(options_parser *parser, const char *value)
{
	return options_parse_size(parser, value, MIN_HEAP_BYTES, &parser->options->heap_bytes);
}

static int apply_ring(options_parser *parser, const char *value)
{
	return options_parse_size(parser, value, MIN_RING_BYTES, &parser->options->ring_bytes);
}

static int apply_sample_rate(options_parser *parser, const char *value)
{
	parser->options->sample_real = 0;
	return options_parse_number(parser, value, 1, 10000, &parser->options->sample_hz);
}

static int apply_real_sample_rate(options_parser *parser, const char *value)
{
	int well = apply_sample_rate(parser, value);

	parser->options->sample_real = 1;
	return well;
}

static int apply_sample_source(options_parser *parser, const char *value)
{
	parser->options->sample_source = sample_source_find(value);
	return parser->options->sample_source != SAMPLE_SOURCE_NONE ||
	       options_complain(parser, "sample-source= is perf, timer or runtime, not '%s'", value);
}

static int apply_metrics_interval(options_parser *parser, const char *value)
{
	return options_parse_number(parser, value, 1, 3600000, &parser->options->metrics_milliseconds);
}

/* An option whose value is more than a number; kinds contains the record kinds that the option switches on, if any. */
typedef struct value_option {
	const char *name;
	uint32_t kinds;
	option_value_function apply;
} value_option;

static const value_option values[] = {
	{"output", 0, apply_output},
	{"out", 0, apply_output},
	{"o", 0, apply_output},
	{"salvage", 0, apply_salvage},
	{"format", 0, apply_format},
	{"only", 0, apply_only},
	{"not", 0, apply_not},
	{"resolution", 0, apply_resolution},
	{"compress", 0, apply_compress},
	{"max-size", 0, apply_max_size},
	{"ring", 0, apply_ring},
	{"heap-memory", 0, apply_heap_memory},
	{"control", 0, apply_control},
	{"signal", 0, options_apply_signal},
	{"alloc", RECORD_ALLOCATIONS, options_apply_allocation_detail},
	{"sample", RECORD_SAMPLES, apply_sample_rate},
	{"sample-real", RECORD_SAMPLES, apply_real_sample_rate},
	{"sample-source", 0, apply_sample_source},
	{"heap", RECORD_HEAP, options_apply_heap_occasion},
	{"heapshot", RECORD_HEAP, options_apply_heap_occasion},
	{"exceptions", RECORD_EXCEPTIONS, options_apply_exception_detail},
	{"handles", RECORD_HANDLES, options_apply_handle_type},
	{"counters", RECORD_METRICS, apply_metrics_interval},
};

/* If several words concern the same kind, the last one counts. */
static int apply_kinds(options_parser *parser, uint32_t kinds, int wanted)
{
	parser->wanted = wanted ? parser->wanted | kinds : parser->wanted & ~kinds;
	parser->unwanted = wanted ? parser->unwanted & ~kinds : parser->unwanted | kinds;
	return 1;
}

static const number_option *find_number(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		if (strcmp(name, numbers[i].name) == 0)
			return &numbers[i];
	return NULL;
}

static const value_option *find_value(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(values); i++)
		if (strcmp(name, values[i].name) == 0)
			return &values[i];
	return NULL;
}

static int parse_valued(options_parser *parser, const char *name, const char *value)
{
	const number_option *number = find_number(name);
	const value_option *option = find_value(name);

	if (number != NULL)
		return options_parse_number(parser, value, number->least, number->most,
					    (uint32_t *)((char *)parser->options + number->field));
	if (option != NULL)
		return apply_kinds(parser, option->kinds, 1) && option->apply(parser, value);
	return options_complain(parser, "unknown option '%s='", name);
}

static int parse_plain(options_parser *parser, const char *word)
{
	int negated = strncmp(word, "no-", 3) == 0;
	uint32_t kinds = options_kinds_of(negated ? word + 3 : word);

	if (strcmp(word, "sample-real") == 0 || strcmp(word, "sample") == 0)
		parser->options->sample_real = word[6] != '\0';
	if (kinds != 0)
		return apply_kinds(parser, kinds, !negated);
	for (size_t i = 0; i < COUNT_OF(switches); i++) {
		if (strcmp(word, switches[i].name) != 0)
			continue;
		*(int *)((char *)parser->options + switches[i].field) = 1;
		return 1;
	}
	if (strcmp(word, "gzip") == 0) {
		parser->options->gzip_level = 1;
		return 1;
	}
	/* Listening is the default: the word only cancels an earlier no-control. */
	if (strcmp(word, "control") == 0) {
		parser->options->no_control = 0;
		return 1;
	}
	if (find_number(word) != NULL || find_value(word) != NULL)
		return options_complain(parser, "option '%s' needs a value: '%s=VALUE'", word, word);
	return options_complain(parser, "unknown option '%s'", word);
}

static int parse_word(options_parser *parser, char *word)
{
	char *equals = strchr(word, '=');

	if (word[0] == '\0')
		return 1;
	if (equals == NULL)
		return parse_plain(parser, word);
	*equals = '\0';
	return parse_valued(parser, word, equals + 1);
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

static int wants_snapshots_by_signal(const module_options *options)
{
	for (unsigned i = 0; i < options->signal_count; i++)
		if (options->signals[i].action == SIGNAL_HEAPSHOT)
			return 1;
	return 0;
}

/*
 * Readers scale allocations with call stacks by the interval in the session metadata, which older formats do not have.
 * They would treat a caller without a call stack as a separate call site.
 */
static int check_sampled_stacks(options_parser *parser)
{
	const module_options *options = parser->options;

	if (options->allocation_interval == 0)
		return 1;
	if (options->allocation_callers)
		return options_complain(parser, "alloc=stack:BYTES and alloc=caller exclude each other: a call stack "
						"contains the caller");
	if (options_are_classic(options))
		return options_complain(parser, "alloc=stack:BYTES needs the format mprof2");
	return 1;
}

static int complete_options(options_parser *parser)
{
	module_options *options = parser->options;

	options->kinds = (parser->wanted != 0 ? parser->wanted : kinds_by_default(options)) & ~parser->unwanted;
	options->heap_summary = (options->kinds & RECORD_SUMMARIES) != 0;
	if (options->ring_bytes != 0 && options->max_bytes != 0)
		return options_complain(parser,
					"ring= and max-size= exclude each other: ring= already limits the size");
	if (options->ring_bytes != 0 && options->codec != 0)
		return options_complain(parser, "ring= and compress= exclude each other: use gzip");
	if (wants_snapshots_by_signal(options) && (options->kinds & RECORD_HEAP) == 0)
		return options_complain(parser, "signal=...:heapshot needs the option heap or heap=ondemand");
	return check_sampled_stacks(parser);
}

int options_parse(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE])
{
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	options_parser parser = {options, message, 0, 0};
	char *words = strdup(colon == NULL ? "" : colon + 1);
	int well = 1;

	options_init(options);
	if (words == NULL)
		return options_complain(&parser, "%s", strerror(ENOMEM));
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
