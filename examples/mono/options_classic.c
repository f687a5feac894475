/* SPDX-License-Identifier: MIT */
/**
 * \file options_classic.c
 * \brief The options of a module loaded as "logging": those of the profiler of that name in Mono 2.
 *
 * Pieces between commas; "+" in front leaves out what an option implies, "-" switches it off. A piece with "=" names an
 * option by any beginning of one of its names; the first in the order of the table that fits is taken. What cannot be
 * understood is said and left out.
 */
#include "options_parser.h"

#include <mprof/format.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The format that such a module writes. */
#define CLASSIC_DIALECT MPROF_DIALECT_MONO

/* Its samples came from the system's timer of the process, every millisecond. */
#define CLASSIC_SAMPLE_HZ 1000

#define MAX_FRAMES 128

/* More callers of a sample than that are too many for mprof-decoder and emveepee, which asks for 128. */
#define MAX_CALLERS_OF_SAMPLES 31

/* What is asked for. */
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
	int without_implied; /* Of the piece that is being read. */
	uint32_t callers_of_samples;
	int64_t shots;
	uint32_t buffer_events;
	uint32_t port;
	char *output; /* These two are owned. */
	char *suffix;
} classic_request;

typedef struct classic_flag {
	const char *names; /* With blanks around and between. */
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

/* Have no effect here: there is one clock, and it is accurate. */
static const char ignored_flags[] = " force-accurate-timer fac logging ";

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	char text[OPTIONS_MESSAGE_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "mprof: logging: %s; it is ignored\n", text);
}

/* 1 if the word is one of the names. */
static int is_named(const char *names, const char *word)
{
	size_t length = strlen(word);

	if (length == 0 || strchr(word, ' ') != NULL)
		return 0;
	for (const char *place = strstr(names, word); place != NULL; place = strstr(place + 1, word))
		if (place[-1] == ' ' && place[length] == ' ')
			return 1;
	return 0;
}

/* 1 if one of the names begins with the word. */
static int is_begun(const char *names, const char *word)
{
	if (strchr(word, ' ') != NULL)
		return 0;
	for (const char *place = strchr(names, ' '); place[1] != '\0'; place = strchr(place + 1, ' '))
		if (strncmp(place + 1, word, strlen(word)) == 0)
			return 1;
	return 0;
}

/* As numbers were read then: what is none is 0. */
static long number_of(const char *value)
{
	return strtol(value, NULL, 10);
}

static void want_heap(classic_request *request)
{
	request->heap = 1;
	if (!request->without_implied)
		request->callers = request->stacks = request->objects = 1;
}

static void take_nothing(classic_request *request, const char *value)
{
	(void)request;
	(void)value;
}

static void take_buffer_size(classic_request *request, const char *value)
{
	long events = number_of(value);

	if (events > 0)
		request->buffer_events = events < 128 ? 128 : events > 1048576 ? 1048576 : (uint32_t)events;
}

static void take_statistical(classic_request *request, const char *value)
{
	long callers = number_of(value);

	if (callers <= 0)
		return;
	request->statistical = 1;
	request->callers_of_samples = callers > MAX_CALLERS_OF_SAMPLES ? MAX_CALLERS_OF_SAMPLES : (uint32_t)callers;
}

static void take_strategy(classic_request *request, const char *value)
{
	(void)request;
	if (strcmp(value, "native") != 0 && strcmp(value, "glibc") != 0 && strcmp(value, "managed") != 0)
		warn("'%s' is no strategy for call chains", value);
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = value[0] == '\0' ? NULL : strdup(value);
}

static void take_output(classic_request *request, const char *value)
{
	set_text(&request->output, value);
}

static void take_suffix(classic_request *request, const char *value)
{
	set_text(&request->suffix, value);
}

static void take_heap(classic_request *request, const char *value)
{
	request->shots = strcmp(value, "all") == 0 ? -1 : number_of(value);
	/* Before 2.6 it was the signal that asked for a snapshot. */
	if (strncmp(value, "SIG", 3) == 0)
		warn("'%s' is no number of snapshots", value);
	want_heap(request);
}

static void take_shots(classic_request *request, const char *value)
{
	request->shots = number_of(value);
}

static void take_port(classic_request *request, const char *value)
{
	long port = number_of(value);

	request->port = port >= 1024 && port <= 65535 ? (uint32_t)port : 0;
}

static const struct {
	const char *names;
	void (*take)(classic_request *request, const char *value);
} values[] = {
	{" per-thread-buffer-size tbs ", take_buffer_size},
	{" statistical stat s ", take_statistical},
	{" statistical-thread-buffer-size sbs ", take_nothing},
	{" write-buffer-size wbs ", take_nothing},
	{" output out o O ", take_output},
	{" output-suffix suffix os OS ", take_suffix},
	{" heap-shot heap h ", take_heap},
	{" gc-dumps gc-d gcd ", take_shots},
	{" command-port cp ", take_port},
	/* Of 2.8 alone, where it came third: behind the port "c=" still means that. */
	{" call-chain-strategy ccs ", take_strategy},
};

static void read_value(classic_request *request, const char *name, const char *value, int negated)
{
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		if (!is_begun(values[i].names, name))
			continue;
		if (negated)
			warn("option '%s=' cannot be switched off", name);
		else
			values[i].take(request, value);
		return;
	}
	warn("unknown option '%s='", name);
}

static void set_flag(classic_request *request, const classic_flag *flag, int value)
{
	*(int *)((char *)request + flag->field) = value;
	if (flag->field == offsetof(classic_request, heap))
		want_heap(request);
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

/* A piece of a pattern, in which percent signs mean something. */
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

/* The name that was given, or PROGRAM.mprof, or PROGRAM-SUFFIX.mprof. */
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

/* What follows from what is asked for. */
static uint32_t kinds_of(const classic_request *request)
{
	/* Collections always were recorded. */
	uint32_t kinds = RECORD_COLLECTIONS;

	/* Calls brought compilations with them, and those the loads of classes. */
	kinds |= request->jit || request->calls ? RECORD_JIT | RECORD_CLASSES : 0;
	/* All of these were found by watching allocations. */
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

static void apply(const classic_request *request, module_options *options)
{
	options->kinds = kinds_of(request);
	options->dialect = CLASSIC_DIALECT;
	options->buffer_events = request->buffer_events;
	/* Calls that are recorded tell the stack of an allocation themselves. */
	options->allocation_callers = request->callers && !request->calls;
	options->allocation_stacks = request->stacks && !request->calls;
	options->allocation_objects = request->objects;
	options->stack_depth = MAX_FRAMES;
	options->sample_hz = CLASSIC_SAMPLE_HZ;
	options->sample_depth = request->callers_of_samples + 1;
	options->heap_when = HEAP_EVERY;
	options->heap_shots = request->shots < 0 ? -1 : request->shots;
	options->heap_summary = request->summary;
	options->start_disabled = request->start_disabled;
	options->oprofile = request->oprofile;
	options->port = request->port;
	options->output = output_of(request);
}

int options_parse_classic(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE])
{
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	const char *given = colon != NULL ? colon + 1 : text;
	options_parser parser = {options, message, 0, 0};
	classic_request request;
	char *pieces = strdup(given == NULL || given[0] == '\0' ? "s" : given);

	options_init(options);
	memset(&request, 0, sizeof(request));
	for (char *piece = pieces; piece != NULL;) {
		char *comma = strchr(piece, ',');

		if (comma != NULL)
			*comma = '\0';
		read_piece(&request, piece);
		piece = comma == NULL ? NULL : comma + 1;
	}
	apply(&request, options);
	free(request.output);
	free(request.suffix);
	free(pieces);
	return (pieces != NULL && options->output != NULL) || options_complain(&parser, "%s", strerror(ENOMEM));
}
