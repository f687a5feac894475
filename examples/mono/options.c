/* SPDX-License-Identifier: MIT */
/* The options of the module, and those of the classic profiler. */
#include "options.h"

#include <mprof/base.h>
#include <mprof/format.h>

#include "filters.h"
#include "shared/codec_names.h"
#include "shared/dialects.h"
#include "shared/resolution.h"
#include "shared/sample_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct filters;

/*
 * The default of the profiler that comes with Mono. The runtime signals every thread for each sample, so a higher rate
 * would be expensive for programs with many threads.
 */
#define DEFAULT_SAMPLE_HZ 100

/*
 * Maximum depths of call stacks in frames. Samples are rare, and a call tree needs their complete stacks. Allocations
 * are frequent, and every frame of their stacks costs time.
 */
#define DEFAULT_SAMPLE_DEPTH 128
#define DEFAULT_STACK_DEPTH 32

/* Of exceptions, if no kind is selected: enough for the code that calls a library, at a part of a throw's cost. */
#define SHORT_STACK_DEPTH 8

void options_init(module_options *options)
{
	memset(options, 0, sizeof(*options));
	options->sample_hz = DEFAULT_SAMPLE_HZ;
	options->sample_source = SAMPLE_SOURCE_PERF;
	options->sample_depth = DEFAULT_SAMPLE_DEPTH;
	options->stack_depth = DEFAULT_STACK_DEPTH;
	options->heap.when = HEAP_EVERY;
	options->heap.collections = 1;
	options->heap.milliseconds = 1;
	options->heap_snapshots = -1;
	options->metrics_milliseconds = 1000;
}

int options_are_classic(const module_options *options)
{
	return dialects_is_older((mprof_dialect)options->dialect);
}

/* Signals only enable, disable, write and take snapshots. */
int options_allow_changes(const module_options *options)
{
	return !options->no_control && !options_are_classic(options);
}

void options_release(module_options *options)
{
	free(options->output);
	free(options->salvage);
	options->salvage = NULL;
	free(options->control_path);
	free(options->failures);
	free(options->handle_class);
	filters_release(options->filters);
	options->output = NULL;
	options->control_path = NULL;
	options->failures = NULL;
	options->handle_class = NULL;
	options->filters = NULL;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The format that the module writes under this name. */
#define CLASSIC_DIALECT MPROF_DIALECT_MONO

/* The samples of that profiler came from the process timer of the system, every millisecond. */
#define CLASSIC_SAMPLE_HZ 1000

#define MAX_FRAMES 128

/* mprof-decoder and emveepee fail on samples with more callers than this, although emveepee requests 128. */
#define MAX_CALLERS_OF_SAMPLES 31

/*
 * Words are separated by commas. A prefix "+" leaves out what an option implies, "-" switches the option off. A word
 * with "=" names an option by any prefix of one of its names; the first match in the order of the table counts. Words
 * that are not understood are reported and ignored.
 */

/* The options as requested. */
typedef struct classic_request {
	int jit;
	int allocations;
	int monitor;
	int collections;
	int summary;
	int heap;
	int unreachable;
	int threads;
	int calls;
	int statistical;
	int callers;
	int stacks;
	int objects;
	int start_disabled;
	int oprofile;
	int without_implied; /* Whether the current word has the prefix "+". */
	uint32_t callers_of_samples;
	int64_t snapshots;
	uint32_t buffer_events;
	uint32_t port;
	char *output; /* These two are owned. */
	char *suffix;
} classic_request;

typedef struct classic_flag {
	const char *names; /* Separated and surrounded by blanks. */
	size_t field;
	int can_be_negated;
} classic_flag;

/* Parses numbers as that profiler did: invalid numbers are 0. */
static long number_of(const char *value)
{
	return strtol(value, NULL, 10);
}

static void apply_buffer_size(classic_request *request, const char *value)
{
	long events = number_of(value);

	if (events > 0)
		request->buffer_events = events < 128 ? 128 : events > 1048576 ? 1048576 : (uint32_t)events;
}

static void apply_statistical(classic_request *request, const char *value)
{
	long callers = number_of(value);

	if (callers <= 0)
		return;
	request->statistical = 1;
	request->callers_of_samples = callers > MAX_CALLERS_OF_SAMPLES ? MAX_CALLERS_OF_SAMPLES : (uint32_t)callers;
}

static void apply_nothing(classic_request *request, const char *value)
{
	(void)request;
	(void)value;
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = value[0] == '\0' ? NULL : strdup(value);
}

static void apply_output(classic_request *request, const char *value)
{
	set_text(&request->output, value);
}

static void apply_suffix(classic_request *request, const char *value)
{
	set_text(&request->suffix, value);
}

static void request_heap(classic_request *request)
{
	request->heap = 1;
	if (!request->without_implied)
		request->callers = request->stacks = request->objects = 1;
}

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	char text[RECORD_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "mprof: logging: %s; it is ignored\n", text);
}

static void apply_heap(classic_request *request, const char *value)
{
	request->snapshots = strcmp(value, "all") == 0 ? -1 : number_of(value);
	/* Before Mono 2.6 the value was the signal that requests a snapshot. */
	if (strncmp(value, "SIG", 3) == 0)
		warn("heap-shot='%s' is not a number of snapshots", value);
	request_heap(request);
}

static void apply_shots(classic_request *request, const char *value)
{
	request->snapshots = number_of(value);
}

static void apply_port(classic_request *request, const char *value)
{
	long port = number_of(value);

	request->port = port >= 1024 && port <= 65535 ? (uint32_t)port : 0;
}

static void apply_strategy(classic_request *request, const char *value)
{
	(void)request;
	if (strcmp(value, "native") != 0 && strcmp(value, "glibc") != 0 && strcmp(value, "managed") != 0)
		warn("unknown call-chain-strategy '%s'", value);
}

static const struct {
	const char *names;
	void (*apply)(classic_request *request, const char *value);
} values[] = {
	{" per-thread-buffer-size tbs ", apply_buffer_size},
	{" statistical stat s ", apply_statistical},
	{" statistical-thread-buffer-size sbs ", apply_nothing},
	{" write-buffer-size wbs ", apply_nothing},
	{" output out o O ", apply_output},
	{" output-suffix suffix os OS ", apply_suffix},
	{" heap-shot heap h ", apply_heap},
	{" gc-dumps gc-d gcd ", apply_shots},
	{" command-port cp ", apply_port},
	/*
	 * Only in Mono 2.8, where it was third in the table. Here it comes after the port, so "c=" still means the
	 * port.
	 */
	{" call-chain-strategy ccs ", apply_strategy},
};

#define FLAG(names, field, can_be_negated)                                                                             \
	{                                                                                                              \
		names, offsetof(classic_request, field), can_be_negated                                                \
	}

static const classic_flag flags[] = {
	FLAG(" jit j ", jit, 1),
	FLAG(" allocations alloc a ", allocations, 0),
	FLAG(" monitor locks lock ", monitor, 0),
	FLAG(" gc g ", collections, 0),
	FLAG(" allocations-summary as ", summary, 1),
	FLAG(" heap-shot heap h ", heap, 0),
	FLAG(" unreachable free f ", unreachable, 1),
	FLAG(" threads t ", threads, 1),
	FLAG(" enter-leave calls c ", calls, 1),
	FLAG(" statistical stat s ", statistical, 1),
	FLAG(" save-allocation-caller sac ", callers, 1),
	FLAG(" save-allocation-stack sas ", stacks, 1),
	FLAG(" allocations-carry-id aci ", objects, 1),
	FLAG(" start-disabled sd ", start_disabled, 1),
	FLAG(" oprofile oprof ", oprofile, 0),
};

/* Flags without effect: there is one clock, and it is accurate. */
static const char ignored_flags[] = " force-accurate-timer fac logging ";

/* Returns 1 if the word is one of the names. */
static int is_named(const char *names, const char *word)
{
	size_t length = strlen(word);

	if (length == 0 || strchr(word, ' ') != NULL)
		return 0;
	for (const char *position = strstr(names, word); position != NULL; position = strstr(position + 1, word))
		if (position[-1] == ' ' && position[length] == ' ')
			return 1;
	return 0;
}

/* Returns 1 if one of the names starts with the word. */
static int is_begun(const char *names, const char *word)
{
	if (strchr(word, ' ') != NULL)
		return 0;
	for (const char *position = strchr(names, ' '); position[1] != '\0'; position = strchr(position + 1, ' '))
		if (strncmp(position + 1, word, strlen(word)) == 0)
			return 1;
	return 0;
}

static void read_value(classic_request *request, const char *name, const char *value, int negated)
{
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		if (!is_begun(values[i].names, name))
			continue;
		if (negated)
			warn("option '%s=' cannot be switched off", name);
		else
			values[i].apply(request, value);
		return;
	}
	warn("unknown option '%s='", name);
}

static void set_flag(classic_request *request, const classic_flag *flag, int value)
{
	*(int *)((char *)request + flag->field) = value;
	if (flag->field == offsetof(classic_request, heap))
		request_heap(request);
	if (flag->field == offsetof(classic_request, allocations) && !request->without_implied)
		request->callers = request->stacks = 1;
}

static void read_flag(classic_request *request, const char *word, int negated)
{
	for (size_t i = 0; i < COUNT_OF(flags); i++) {
		if (!is_named(flags[i].names, word))
			continue;
		if (negated && !flags[i].can_be_negated)
			warn("option '%s' cannot be switched off", word);
		else
			set_flag(request, &flags[i], !negated);
		return;
	}
	if (is_named(" start-enabled se ", word))
		request->start_disabled = negated;
	else if (!is_named(ignored_flags, word))
		warn("unknown option '%s'", word);
}

static void read_piece(classic_request *request, char *piece)
{
	int negated = piece[0] == '-';
	char *equals = strchr(piece, '=');

	if (piece[0] == '\0')
		return;
	request->without_implied = piece[0] == '+';
	piece += negated || request->without_implied;
	if (equals == NULL) {
		read_flag(request, piece, negated);
		return;
	}
	*equals = '\0';
	read_value(request, piece, equals + 1, negated);
}

/* Appends text to a pattern, with percent signs escaped. */
static char *append_escaped(char *pattern, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '%')
			*pattern++ = '%';
		*pattern++ = *text;
	}
	*pattern = '\0';
	return pattern;
}

/* The output name given, or PROGRAM.mprof, or PROGRAM-SUFFIX.mprof. */
static char *output_of(const classic_request *request)
{
	const char *request_text = request->output != NULL ? request->output : request->suffix;
	char *pattern = malloc((request_text == NULL ? 0 : strlen(request_text) * 2) + sizeof("%n-.mprof"));

	if (pattern == NULL)
		return NULL;
	if (request->output != NULL) {
		append_escaped(pattern, request->output);
	} else if (request->suffix != NULL) {
		memcpy(pattern, "%n-", 3);
		strcpy(append_escaped(pattern + 3, request->suffix), ".mprof");
	} else {
		strcpy(pattern, "%n.mprof");
	}
	return pattern;
}

/* The record kinds that follow from the options. */
static uint32_t kinds_of(const classic_request *request)
{
	/* That profiler always recorded collections. */
	uint32_t kinds = RECORD_COLLECTIONS;

	/* In that profiler, calls implied compilations, and compilations implied class loads. */
	kinds |= request->jit || request->calls ? RECORD_JIT | RECORD_CLASSES : 0;
	/* That profiler derived all of these from allocations. */
	if (request->allocations || request->callers || request->stacks || request->objects || request->summary ||
	    request->heap || request->unreachable)
		kinds |= RECORD_ALLOCATIONS;
	kinds |= request->monitor ? RECORD_MONITORS : 0;
	kinds |= request->summary ? RECORD_SUMMARIES : 0;
	kinds |= request->heap ? RECORD_HEAP : 0;
	kinds |= request->unreachable ? RECORD_FREED : 0;
	kinds |= request->threads ? RECORD_THREADS : 0;
	kinds |= request->calls ? RECORD_CALLS : 0;
	kinds |= request->statistical ? RECORD_SAMPLES : 0;
	return kinds;
}

static void apply_request(const classic_request *request, module_options *options)
{
	options->kinds = kinds_of(request);
	options->dialect = CLASSIC_DIALECT;
	options->buffer_events = request->buffer_events;
	/* If calls are recorded, readers derive the caller of an allocation from them. */
	options->allocation.has_callers = request->callers && !request->calls;
	options->allocation.has_stacks = request->stacks && !request->calls;
	options->allocation.has_objects = request->objects;
	options->stack_depth = MAX_FRAMES;
	options->sample_hz = CLASSIC_SAMPLE_HZ;
	options->sample_depth = request->callers_of_samples + 1;
	options->heap.when = HEAP_EVERY;
	options->heap_snapshots = request->snapshots < 0 ? -1 : request->snapshots;
	options->heap_summary = request->summary;
	options->start_disabled = request->start_disabled;
	options->oprofile = request->oprofile;
	options->port = request->port;
	options->output = output_of(request);
}

int options_parse_classic(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE])
{
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	const char *request_text = colon != NULL ? colon + 1 : text;
	classic_request request;
	char *pieces = strdup(request_text == NULL || request_text[0] == '\0' ? "s" : request_text);

	options_init(options);
	memset(&request, 0, sizeof(request));
	for (char *piece = pieces; piece != NULL;) {
		char *comma = strchr(piece, ',');

		if (comma != NULL)
			*comma = '\0';
		options->help |= strcmp(piece, "help") == 0;
		read_piece(&request, piece);
		piece = comma == NULL ? NULL : comma + 1;
	}
	apply_request(&request, options);
	free(request.output);
	free(request.suffix);
	free(pieces);
	snprintf(message, RECORD_MESSAGE_SIZE, "%s", strerror(ENOMEM));
	return pieces != NULL && options->output != NULL;
}

typedef struct help_group {
	record_group group;
	const char *title;
	const char *note; /* After the options. */
} help_group;

static const help_group groups[] = {
	{RECORD_GROUP_KINDS,
	 "What to record (default: sample, alloc, jit, gc, exceptions, threads and monitor; no-WORD leaves one out)",
	 "Loaded assemblies, modules and domains, and names of threads, are always recorded.\n"},
	{RECORD_GROUP_DETAIL,
	 "How much of it (only, not, depth and the wrappers without any of these words add calls to the default)",
	 "Calls in precompiled code (on Debian mscorlib and mcs) are not recorded; mono -O=-aot runs without such "
	 "code.\n"},
	{RECORD_GROUP_LOG, "The log", ""},
	{RECORD_GROUP_CONTROL,
	 "Control while the program runs ('mprof control PID COMMAND'; COMMAND is enable, disable, flush, heapshot, "
	 "sample,\nalloc, calls, cost, status or mark)",
	 ""},
	{RECORD_GROUP_OTHERS,
	 "Names of compiled methods for other profilers (with one of these alone nothing else is recorded)",
	 "\n"
	 "  quiet              no lines at the start and at the end\n"
	 "  quiet-start        no line at the start\n"
	 "  help               print this and exit\n"},
};

void options_print_help(FILE *out)
{
	fputs("usage: mono --profile=mprof[:OPTION,...] PROGRAM [ARGUMENTS]\n", out);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		fprintf(out, "\n%s\n", groups[i].title);
		record_options_print(out, groups[i].group, RECORD_OF_MONO, "");
		fputs(groups[i].note, out);
	}
	fprintf(out, "\nlibmprof %s\n", mprof_version_get_string());
}

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
	{"failures", FIELD_TEXT, offsetof(module_options, failures)},
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
	char *slot = (char *)parser->options + field->offset;
	uint64_t number = 0;

	switch (field->kind) {
	case FIELD_SWITCH:
		*(int *)slot = 1;
		return 1;
	case FIELD_NUMBER:
		if (value != NULL && record_values_number(value, 0, UINT32_MAX, &number))
			*(uint32_t *)slot = (uint32_t)number;
		return 1;
	case FIELD_SIZE:
		return record_values_size(value, 0, UINT64_MAX, (uint64_t *)slot);
	case FIELD_TEXT:
		return store_text(parser, (char **)slot, value);
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
 * they have no other effect. Older dialects lack most of what is recorded of monitors.
 */
static uint32_t kinds_by_default(const module_options *options)
{
	const uint32_t kinds =
		options_are_classic(options) ? RECORD_DEFAULT & ~(uint32_t)RECORD_MONITORS : RECORD_DEFAULT;
	int selects_calls =
		options->filters != NULL || options->call_depth != 0 || options->no_wrappers || options->all_wrappers;

	if (options->jit_dump || options->perf_map || options->oprofile)
		return 0;
	return selects_calls ? kinds | RECORD_CALLS : kinds;
}

/* Where exceptions are thrown is part of the default. */
static void choose_exception_stacks(options_parser *parser)
{
	module_options *options = parser->options;

	options->exception_depth = options->exceptions.has_stacks ? options->stack_depth : 0;
	if (parser->wanted != 0 || options->exceptions.has_stacks || options_are_classic(options))
		return;
	options->exceptions.has_stacks = 1;
	options->exception_depth = options->stack_depth < SHORT_STACK_DEPTH ? options->stack_depth : SHORT_STACK_DEPTH;
}

static int complete_options(options_parser *parser)
{
	module_options *options = parser->options;
	record_combination combination = {0};

	options->kinds = (parser->wanted != 0 ? parser->wanted : kinds_by_default(options)) & ~parser->unwanted;
	options->heap_summary = (options->kinds & RECORD_SUMMARIES) != 0;
	choose_exception_stacks(parser);
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
	int is_valid = 1;

	options_init(options);
	if (words == NULL)
		return complain(&parser, "%s", strerror(ENOMEM));
	for (char *word = words; is_valid && word != NULL;) {
		char *comma = strchr(word, ',');

		if (comma != NULL)
			*comma = '\0';
		is_valid = parse_word(&parser, word);
		word = comma == NULL ? NULL : comma + 1;
	}
	free(words);
	return is_valid && complete_options(&parser);
}

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
