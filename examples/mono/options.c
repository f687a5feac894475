/* SPDX-License-Identifier: MIT */
/**
 * \file options.c
 * \brief Reads, explains and describes the module's options.
 */
#include "options.h"

#include <mprof/format.h>
#include <mprof/version.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct kind_word {
	const char *word;
	uint32_t kinds;
} kind_word;

/* Later words of the same kind are those of the profilers before this one. */
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
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* What one word of the text asks for; value is NULL without '='. */
typedef struct option_word {
	const char *name;
	const char *value;
} option_word;

typedef struct parse_state {
	module_options *options;
	char *message;
	uint32_t wanted;   /* Kinds asked for. */
	uint32_t unwanted; /* Kinds asked not to be. */
} parse_state;

__attribute__((format(printf, 2, 3))) static int complain(parse_state *state, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(state->message, OPTIONS_MESSAGE_SIZE, format, arguments);
	va_end(arguments);
	return 0;
}

/* 1 if the word names kinds, and they are taken. */
static int parse_kind(parse_state *state, const char *word)
{
	int negated = strncmp(word, "no-", 3) == 0;
	const char *name = negated ? word + 3 : word;

	for (size_t i = 0; i < COUNT_OF(kind_words); i++) {
		uint32_t kinds = kind_words[i].kinds;

		if (strcmp(name, kind_words[i].word) != 0)
			continue;
		/* The last word on a kind wins. */
		state->wanted = negated ? state->wanted & ~kinds : state->wanted | kinds;
		state->unwanted = negated ? state->unwanted | kinds : state->unwanted & ~kinds;
		return 1;
	}
	return 0;
}

/* 1 if the word is a switch, and it is taken. */
static int parse_switch(module_options *options, const char *word)
{
	if (strcmp(word, "drop") == 0)
		options->drop = 1;
	else if (strcmp(word, "no-wrappers") == 0)
		options->no_wrappers = 1;
	else if (strcmp(word, "quiet") == 0)
		options->quiet = 1;
	else if (strcmp(word, "gzip") == 0)
		options->gzip_level = 1;
	else if (strcmp(word, "help") == 0)
		options->help = 1;
	else
		return 0;
	return 1;
}

static int parse_number(parse_state *state, const char *value, uint32_t least, uint32_t most, uint32_t *number)
{
	char *end;
	unsigned long parsed;

	errno = 0;
	parsed = strtoul(value, &end, 10);
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || parsed < least || parsed > most)
		return complain(state, "'%s' is not a number from %u to %u", value, (unsigned)least, (unsigned)most);
	*number = (uint32_t)parsed;
	return 1;
}

static int parse_format(parse_state *state, const char *value)
{
	if (strcmp(value, "mprof2") == 0)
		state->options->dialect = MPROF_DIALECT_MPROF2;
	else if (strcmp(value, "mail") == 0)
		state->options->dialect = MPROF_DIALECT_MAIL;
	else
		return complain(state, "format '%s' cannot be written; there are mprof2 and mail", value);
	return 1;
}

static int parse_output(parse_state *state, const char *value)
{
	if (value[0] == '\0')
		return complain(state, "output needs the name of a file");
	free(state->options->output);
	state->options->output = strdup(value);
	return state->options->output != NULL || complain(state, "%s", strerror(ENOMEM));
}

static int is_output(const char *name)
{
	return strcmp(name, "output") == 0 || strcmp(name, "out") == 0 || strcmp(name, "o") == 0;
}

static int parse_valued(parse_state *state, const option_word *word)
{
	module_options *options = state->options;

	if (is_output(word->name))
		return parse_output(state, word->value);
	if (strcmp(word->name, "format") == 0)
		return parse_format(state, word->value);
	if (strcmp(word->name, "gzip") == 0)
		return parse_number(state, word->value, 1, 9, &options->gzip_level);
	if (strcmp(word->name, "buffers") == 0)
		return parse_number(state, word->value, 2, 65536, &options->max_buffers);
	if (strcmp(word->name, "buffer-events") == 0)
		return parse_number(state, word->value, 16, 1048576, &options->buffer_events);
	if (strcmp(word->name, "interval") == 0)
		return parse_number(state, word->value, 1, 3600000, &options->drain_interval_ms);
	return complain(state, "unknown option '%s='", word->name);
}

static int parse_word(parse_state *state, char *text)
{
	option_word word = {text, NULL};
	char *equals = strchr(text, '=');

	if (text[0] == '\0')
		return 1;
	if (equals != NULL) {
		*equals = '\0';
		word.value = equals + 1;
		return parse_valued(state, &word);
	}
	if (parse_kind(state, text) || parse_switch(state->options, text))
		return 1;
	if (is_output(text) || strcmp(text, "format") == 0 || strcmp(text, "buffers") == 0 ||
	    strcmp(text, "buffer-events") == 0 || strcmp(text, "interval") == 0)
		return complain(state, "option '%s' needs '=' and a value", text);
	return complain(state, "unknown option '%s'", text);
}

int options_parse(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE])
{
	const char *colon = text == NULL ? NULL : strchr(text, ':');
	parse_state state = {options, message, 0, 0};
	char *words = strdup(colon == NULL ? "" : colon + 1);
	int well = 1;

	memset(options, 0, sizeof(*options));
	if (words == NULL)
		return complain(&state, "%s", strerror(ENOMEM));
	for (char *word = words; well && word != NULL;) {
		char *comma = strchr(word, ',');

		if (comma != NULL)
			*comma = '\0';
		well = parse_word(&state, word);
		word = comma == NULL ? NULL : comma + 1;
	}
	free(words);
	options->kinds = (state.wanted != 0 ? state.wanted : RECORD_ALL) & ~state.unwanted;
	return well;
}

void options_release(module_options *options)
{
	free(options->output);
	options->output = NULL;
}

static const char help_text[] =
	"usage: mono --profile=mprof[:OPTION,...] PROGRAM [ARGUMENTS]\n"
	"\n"
	"What to record (without any of these: all of them; no-WORD leaves one out)\n"
	"  calls            methods entered and left\n"
	"  alloc            objects allocated\n"
	"  jit              methods compiled\n"
	"  gc               collections and sizes of the heap\n"
	"  exceptions       exceptions thrown\n"
	"  threads          starts and ends of threads\n"
	"  classes          classes loaded\n"
	"  all              all of these\n"
	"Loaded assemblies, modules and domains, and names of threads, are always recorded.\n"
	"\n"
	"Which calls\n"
	"  no-wrappers      leave out methods that the runtime makes itself, such as transitions to native code\n"
	"Calls in precompiled code (on Debian that of mscorlib and mcs) cannot be seen; mono -O=-aot does without it.\n"
	"\n"
	"Where to and how\n"
	"  output=FILE      the log; %p becomes the process, %t the time, %% a percent sign (PROGRAM.mprof)\n"
	"  format=FORMAT    mprof2, or mail for readers of the format of 2007 (mprof2)\n"
	"  gzip[=LEVEL]     compress, 1 is fast and 9 is small (not compressed; LEVEL 1)\n"
	"  buffers=N        most buffers besides one for each thread (512)\n"
	"  buffer-events=N  events in one buffer (4096)\n"
	"  interval=MS      longest time that an event stays in memory of a quiet thread (1000)\n"
	"  drop             never hold the program up: lose events when all buffers are full, and say how many\n"
	"  quiet            no lines at the start and at the end\n"
	"  help             print this and exit\n";

void options_print_help(FILE *out)
{
	fputs(help_text, out);
	fprintf(out, "\nlibmprof %s\n", mprof_version_string());
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
