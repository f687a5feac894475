/* SPDX-License-Identifier: MIT */
/*
 * The options of a module loaded as "logging": those of the profiler of that name in Mono 2.
 *
 * Words are separated by commas. A prefix "+" leaves out what an option implies, "-" switches the option off. A word
 * with "=" names an option by any prefix of one of its names; the first match in the order of the table counts. Words
 * that are not understood are reported and ignored.
 */
#include "options_classic.h"

#include <mprof/format.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The format that the module writes under this name. */
#define CLASSIC_DIALECT MPROF_DIALECT_MONO

/* The samples of that profiler came from the process timer of the system, every millisecond. */
#define CLASSIC_SAMPLE_HZ 1000

#define MAX_FRAMES 128

/* mprof-decoder and emveepee fail on samples with more callers than this, although emveepee requests 128. */
#define MAX_CALLERS_OF_SAMPLES 31

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

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	char text[RECORD_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "mprof: logging: %s; it is ignored\n", text);
}

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

/* Parses numbers as that profiler did: invalid numbers are 0. */
static long number_of(const char *value)
{
	return strtol(value, NULL, 10);
}

static void request_heap(classic_request *request)
{
	request->heap = 1;
	if (!request->without_implied)
		request->callers = request->stacks = request->objects = 1;
}

static void apply_nothing(classic_request *request, const char *value)
{
	(void)request;
	(void)value;
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

static void apply_strategy(classic_request *request, const char *value)
{
	(void)request;
	if (strcmp(value, "native") != 0 && strcmp(value, "glibc") != 0 && strcmp(value, "managed") != 0)
		warn("unknown call-chain-strategy '%s'", value);
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
	const char *given = request->output != NULL ? request->output : request->suffix;
	char *pattern = malloc((given == NULL ? 0 : strlen(given) * 2) + sizeof("%n-.mprof"));

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
	const char *given = colon != NULL ? colon + 1 : text;
	classic_request request;
	char *pieces = strdup(given == NULL || given[0] == '\0' ? "s" : given);

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
