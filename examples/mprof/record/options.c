/* SPDX-License-Identifier: MIT */
/* Checks the options that are passed on to the recording module. */
#include "record/options.h"

#include "record/memory_limit.h"

#include "shared/codec_names.h"
#include "shared/dialects.h"
#include "shared/resolution.h"
#include "shared/signal_names.h"

#include <mprof/format.h>
#include <mprof/version.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Maximum number of signals for which the module accepts an action. */
#define MAX_SIGNALS 4

typedef enum value_kind {
	VALUE_NONE,
	VALUE_NUMBER,
	VALUE_SIZE,
	VALUE_WORDS,
	VALUE_DIALECT,
	VALUE_RESOLUTION,
	VALUE_CODEC,
	VALUE_HEAP,
	VALUE_ALLOCATION,
	VALUE_TEXT,
	VALUE_PATTERN,
	VALUE_SIGNAL
} value_kind;

typedef struct record_option {
	const char *name;
	int argument; /* no_argument, required_argument or optional_argument of getopt_long(). */
	value_kind kind;
	uint64_t least; /* Range of numbers and of sizes. */
	uint64_t most;
	const char *words; /* Allowed values, separated and surrounded by blanks. */
} record_option;

/* The options that apply to native programs as well, separated and surrounded by blanks. */
static const char native_options[] = " calls all only not depth sample sample-source sample-depth sample-stack gzip "
				     "compress resolution max-size ring drop buffers "
				     "interval drain-threads salvage format start-disabled control no-control ";

/* The options that select what is recorded, separated and surrounded by blanks. */
static const char kind_options[] =
	" calls alloc jit gc exceptions threads classes all sample sample-real heap summary free moves handles monitor "
	"finalizers counters jitdump perf-map oprofile ";

/* Native programs are sampled where their stacks can be walked. */
#if defined(__linux__) && defined(__x86_64__)
#define SAMPLES_NATIVE_PROGRAMS 1
#else
#define SAMPLES_NATIVE_PROGRAMS 0
#endif

#define PLAIN(name)                                                                                                    \
	{                                                                                                              \
		name, no_argument, VALUE_NONE, 0, 0, NULL                                                              \
	}
#define NUMBER(name, argument, least, most)                                                                            \
	{                                                                                                              \
		name, argument, VALUE_NUMBER, least, most, NULL                                                        \
	}
#define BYTES(name, least)                                                                                             \
	{                                                                                                              \
		name, required_argument, VALUE_SIZE, least, 0, NULL                                                    \
	}
#define WORDS(name, argument, words)                                                                                   \
	{                                                                                                              \
		name, argument, VALUE_WORDS, 0, 0, words                                                               \
	}
#define SOME(name, kind)                                                                                               \
	{                                                                                                              \
		name, required_argument, kind, 0, 0, NULL                                                              \
	}

static const record_option record_options[] = {
	PLAIN("calls"),
	{"alloc", optional_argument, VALUE_ALLOCATION, UINT64_C(1) << 10, UINT64_C(1) << 30, " stack caller objects "},
	PLAIN("jit"),
	PLAIN("gc"),
	WORDS("exceptions", optional_argument, " stack clauses stack+clauses clauses+stack "),
	PLAIN("threads"),
	PLAIN("classes"),
	PLAIN("all"),
	NUMBER("sample", optional_argument, 1, 10000),
	NUMBER("sample-real", optional_argument, 1, 10000),
	{"heap", optional_argument, VALUE_HEAP, 0, 0, NULL},
	PLAIN("summary"),
	PLAIN("free"),
	PLAIN("moves"),
	WORDS("handles", optional_argument, " normal pinned weak weak-track "),
	PLAIN("monitor"),
	PLAIN("finalizers"),
	NUMBER("counters", optional_argument, 1, 3600000),
	WORDS("sample-source", required_argument, " perf timer runtime "),
	NUMBER("sample-depth", required_argument, 1, 249),
	WORDS("sample-stack", required_argument, " auto fp copy "),
	NUMBER("stack-depth", required_argument, 1, 249),
	SOME("only", VALUE_PATTERN),
	SOME("not", VALUE_PATTERN),
	NUMBER("depth", required_argument, 1, 1000000000),
	PLAIN("no-wrappers"),
	PLAIN("all-wrappers"),
	PLAIN("async"),
	NUMBER("gzip", optional_argument, 1, 9),
	SOME("compress", VALUE_CODEC),
	SOME("resolution", VALUE_RESOLUTION),
	BYTES("max-size", UINT64_C(1) << 16),
	BYTES("ring", UINT64_C(1) << 20),
	BYTES("heap-memory", UINT64_C(1) << 20),
	PLAIN("no-heap-fields"),
	SOME("salvage", VALUE_TEXT),
	PLAIN("drop"),
	NUMBER("buffers", required_argument, 2, 65536),
	NUMBER("interval", required_argument, 1, 3600000),
	NUMBER("drain-threads", required_argument, 1, 64),
	SOME("format", VALUE_DIALECT),
	PLAIN("start-disabled"),
	SOME("control", VALUE_TEXT),
	PLAIN("no-control"),
	NUMBER("port", required_argument, 1024, 65535),
	SOME("signal", VALUE_SIGNAL),
	PLAIN("jitdump"),
	PLAIN("perf-map"),
	PLAIN("oprofile"),
};

#define OPTION_COUNT (sizeof(record_options) / sizeof(record_options[0]))

size_t record_options_count(void)
{
	return OPTION_COUNT;
}

void record_options_list(struct option *list, int value)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		list[i] = (struct option){record_options[i].name, record_options[i].argument, NULL, value};
}

/* Reads a decimal number: the module accepts no other base. */
static int read_decimal(const char *text, uint64_t *number, const char **rest)
{
	char *end;

	errno = 0;
	*number = strtoumax(text, &end, 10);
	*rest = end;
	return text[0] >= '0' && text[0] <= '9' && errno == 0;
}

static int check_number(const record_option *option, const char *value)
{
	const char *rest;
	uint64_t number;

	if (read_decimal(value, &number, &rest) && *rest == '\0' && number >= option->least && number <= option->most)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not a number from %" PRIu64 " to %" PRIu64 "\n", option->name, value,
		option->least, option->most);
	return 0;
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

/* Returns 0 if it is not a size, or too large. */
static int read_size(const char *value, uint64_t *size)
{
	const char *suffix;
	int shift = read_decimal(value, size, &suffix) ? shift_of(suffix) : -1;

	if (shift < 0 || *size > UINT64_MAX >> 1 >> shift)
		return 0;
	*size <<= shift;
	return 1;
}

static int check_size(const record_option *option, const char *value)
{
	uint64_t size;

	if (read_size(value, &size) && size >= option->least)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not a number of bytes from %" PRIu64 "k on; k, m and g multiply it\n",
		option->name, value, option->least >> 10);
	return 0;
}

static int is_word_of(const char *words, const char *word, size_t length)
{
	for (const char *blank = words; (blank = strchr(blank, ' ')) != NULL; blank++)
		if (length > 0 && strncmp(blank + 1, word, length) == 0 && blank[1 + length] == ' ')
			return 1;
	return 0;
}

static int check_words(const record_option *option, const char *value)
{
	const char *separator = " ";

	if (is_word_of(option->words, value, strlen(value)))
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not one of", option->name, value);
	for (const char *word = option->words + 1; *word != '\0'; word += strcspn(word, " ") + 1) {
		fprintf(stderr, "%s%.*s", separator, (int)strcspn(word, " "), word);
		separator = ", ";
	}
	fputc('\n', stderr);
	return 0;
}

/* Whether a word is "stack:BYTES", where BYTES is the mean number of allocated bytes between two call stacks. */
static int is_sampled_stack(const record_option *option, const char *word, size_t length)
{
	static const char prefix[] = "stack:";
	const size_t start = sizeof(prefix) - 1;
	char value[24];
	uint64_t size;

	if (strncmp(word, prefix, start) != 0 || length - start >= sizeof(value))
		return 0;
	snprintf(value, sizeof(value), "%.*s", (int)(length - start), word + start);
	return read_size(value, &size) && size >= option->least && size <= option->most;
}

/* One detail, or several joined by +. */
static int check_allocation(const record_option *option, const char *value)
{
	const char *word = value;

	for (;;) {
		size_t length = strcspn(word, "+");

		if (!is_word_of(option->words, word, length) && !is_sampled_stack(option, word, length))
			break;
		if (word[length] == '\0')
			return 1;
		word += length + 1;
	}
	fprintf(stderr,
		"mprof: --%s: '%s' is not one of stack, stack:BYTES from %" PRIu64 "k to %" PRIu64
		"g, caller, objects, or several joined by +\n",
		option->name, value, option->least >> 10, option->most >> 30);
	return 0;
}

static int check_dialect(const record_option *option, const char *value)
{
	char dialects[DIALECTS_LIST_SIZE];

	if (dialects_find(value) != MPROF_DIALECT_DEFAULT)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not one of %s\n", option->name, value, dialects_list(dialects));
	return 0;
}

static int check_resolution(const record_option *option, const char *value)
{
	uint32_t nanoseconds;

	if (resolution_parse(value, &nanoseconds))
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not " RESOLUTION_VALUES "\n", option->name, value);
	return 0;
}

static int check_codec(const record_option *option, const char *value)
{
	uint32_t codec;
	uint32_t level;

	if (!codec_names_parse(value, &codec, &level)) {
		fprintf(stderr, "mprof: --%s: '%s' is not " CODEC_VALUES "\n", option->name, value);
		return 0;
	}
	if (codec_names_is_supported(codec))
		return 1;
	fprintf(stderr,
		"mprof: --%s: libmprof was built without %s; compress the log with 'mprof convert --compress' "
		"of another build\n",
		option->name, codec == MPROF_CODEC_ZSTD ? "libzstd" : "zlib");
	return 0;
}

static int check_heap(const record_option *option, const char *value)
{
	const char *unit = value + strspn(value, "0123456789");

	if (unit != value && unit - value < 9 && value[0] != '0' &&
	    (strcmp(unit, "gc") == 0 || strcmp(unit, "ms") == 0))
		return 1;
	if (is_word_of(" every-gc ondemand ", value, strlen(value)))
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not every-gc, ondemand, or a number such as 5gc or 500ms\n", option->name,
		value);
	return 0;
}

/* A comma separates the module's options, so a value must not contain one. */
static int check_text(const record_option *option, const char *value)
{
	if (value[0] != '\0' && strchr(value, ',') == NULL)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' %s\n", option->name, value,
		value[0] == '\0' ? "is empty" : "has a comma, which the module's options cannot contain");
	return 0;
}

static int check_signal(const record_option *option, const char *value)
{
	const char *colon = strchr(value, ':');
	char name[32];

	if (colon == NULL || !is_word_of(" toggle flush heapshot ", colon + 1, strlen(colon + 1))) {
		fprintf(stderr,
			"mprof: --%s: '%s' is not SIGNAL:ACTION, such as USR1:flush; actions are toggle, "
			"flush and heapshot\n",
			option->name, value);
		return 0;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(colon - value), value);
	if (signal_names_number(name) != 0)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' cannot be used; the signals are " SIGNAL_NAMES "\n", option->name, name);
	return 0;
}

/* A pattern must not be empty after its prefix. */
static int check_pattern(const record_option *option, const char *value)
{
	static const char *const subjects[] = {"assembly:", "namespace:", "class:", "method:"};

	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		if (strcmp(value, subjects[i]) != 0)
			continue;
		fprintf(stderr, "mprof: --%s: '%s' has no pattern after the colon\n", option->name, value);
		return 0;
	}
	return check_text(option, value);
}

int record_options_check(const char *name, const char *value)
{
	const record_option *option = record_options;

	while (strcmp(option->name, name) != 0)
		option++;
	if (strcmp(name, "gzip") == 0 && !mprof_version_has_feature(MPROF_FEATURE_GZIP)) {
		fprintf(stderr,
			"mprof: --gzip: libmprof was built without zlib; compress the log with gzip afterwards\n");
		return 0;
	}
	if (value == NULL)
		return 1;
	switch (option->kind) {
	case VALUE_NUMBER:
		return check_number(option, value);
	case VALUE_SIZE:
		return check_size(option, value);
	case VALUE_WORDS:
		return check_words(option, value);
	case VALUE_DIALECT:
		return check_dialect(option, value);
	case VALUE_RESOLUTION:
		return check_resolution(option, value);
	case VALUE_CODEC:
		return check_codec(option, value);
	case VALUE_HEAP:
		return check_heap(option, value);
	case VALUE_ALLOCATION:
		return check_allocation(option, value);
	case VALUE_TEXT:
		return check_text(option, value);
	case VALUE_PATTERN:
		return check_pattern(option, value);
	case VALUE_SIGNAL:
		return check_signal(option, value);
	case VALUE_NONE:
		break;
	}
	return 1;
}

/* Finds the first word from \p words on with this name. Returns the text after the name, or NULL. */
static const char *find_word(const char *words, const char *name)
{
	size_t length = strlen(name);

	while ((words = strchr(words, ',')) != NULL) {
		words++;
		if (strncmp(words, name, length) == 0 && strchr("=,", words[length]) != NULL)
			return words + length;
	}
	return NULL;
}

void record_options_explain_arguments(char *const *arguments)
{
	for (; *arguments != NULL; arguments++) {
		const char *name = *arguments + 2;

		for (size_t i = 0; strncmp(*arguments, "--", 2) == 0 && i < OPTION_COUNT; i++) {
			if (strlen(record_options[i].name) != strcspn(name, "=") ||
			    strncmp(name, record_options[i].name, strcspn(name, "=")) != 0)
				continue;
			fprintf(stderr,
				"mprof: record: %s is an argument of the program, since it comes after it; -- before "
				"the program shows that this is meant\n",
				*arguments);
			return;
		}
	}
}

int record_options_has(const char *words, const char *name)
{
	return find_word(words, name) != NULL;
}

/*
 * Each signal has at most one action, and the number of signals is limited. Signals are compared by number: they may
 * have several names.
 */
static int check_signals(const char *words)
{
	int numbers[MAX_SIGNALS];
	size_t count = 0;

	while ((words = find_word(words, "signal")) != NULL) {
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(words + 1, ":"), words + 1);
		if (count == MAX_SIGNALS) {
			fprintf(stderr, "mprof: --signal: at most %d signals can have an action\n", MAX_SIGNALS);
			return 0;
		}
		numbers[count] = signal_names_number(name);
		for (size_t i = 0; i < count; i++) {
			if (numbers[i] != numbers[count])
				continue;
			fprintf(stderr, "mprof: --signal: %s already has an action\n", name);
			return 0;
		}
		count++;
	}
	return 1;
}

static int has_heapshot_signal(const char *words)
{
	while ((words = find_word(words, "signal")) != NULL) {
		const char *action = words + strcspn(words, ":");

		if (strncmp(action, ":heapshot", 9) == 0)
			return 1;
	}
	return 0;
}

/* Whether any word with this name has a value that contains \p text. */
static int has_value_with(const char *words, const char *name, const char *text)
{
	while ((words = find_word(words, name)) != NULL) {
		const char *found = words[0] == '=' ? strstr(words, text) : NULL;

		if (found != NULL && found < words + strcspn(words, ","))
			return 1;
	}
	return 0;
}

/* Refuses options that the module does not accept together with a sample of the allocations. */
static int check_sampled_stacks(const char *words)
{
	const char *format = words;
	int is_older = 0;

	if (!has_value_with(words, "alloc", "stack:"))
		return 1;
	if (has_value_with(words, "alloc", "caller")) {
		fprintf(stderr,
			"mprof: --alloc=stack:BYTES and --alloc=caller exclude each other: a call stack contains "
			"the caller\n");
		return 0;
	}
	while ((format = find_word(format, "format")) != NULL) {
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(format + 1, ","), format + 1);
		is_older = dialects_is_older((mprof_dialect)dialects_find(name));
	}
	if (is_older)
		fprintf(stderr, "mprof: --alloc=stack:BYTES needs --format=mprof2\n");
	return !is_older;
}

int record_options_check_all(const char *words)
{
	if (find_word(words, "ring") != NULL && find_word(words, "compress") != NULL) {
		fprintf(stderr, "mprof: --ring and --compress exclude each other: use --gzip\n");
		return 0;
	}
	if (find_word(words, "ring") != NULL && find_word(words, "max-size") != NULL) {
		fprintf(stderr, "mprof: --ring and --max-size exclude each other: --ring already limits the size\n");
		return 0;
	}
	if (has_heapshot_signal(words) && find_word(words, "heap") == NULL) {
		fprintf(stderr, "mprof: --signal: the action heapshot needs --heap or --heap=ondemand\n");
		return 0;
	}
	return check_sampled_stacks(words) && check_signals(words);
}

int record_options_check_ring(const char *words, uint64_t limit)
{
	const char *salvage = find_word(words, "salvage");
	uint64_t needed = 0;

	for (const char *ring = words; (ring = find_word(ring, "ring")) != NULL;) {
		char value[32];
		uint64_t bytes;

		snprintf(value, sizeof(value), "%.*s", (int)strcspn(ring + 1, ","), ring + 1);
		if (read_size(value, &bytes))
			needed = memory_limit_of_ring(bytes);
	}
	/* The pages of a file on a disk can be written back. */
	if (needed <= limit || (salvage != NULL && strncmp(salvage, "=no", 3) != 0))
		return 1;
	fprintf(stderr,
		"mprof: --ring: the ring needs up to %" PRIu64
		" MiB, but the memory of the control group is limited to "
		"%" PRIu64 " MiB; choose a smaller one, or --salvage=FILE on a disk, which is slower\n",
		(needed >> 20) + 1, limit >> 20);
	return 0;
}

/* Functions have no namespaces of their own: theirs are part of their names. */
static int has_namespace_pattern(const char *words)
{
	static const char *const names[] = {"only", "not"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (const char *word = words; (word = find_word(word, names[i])) != NULL;)
			if (strncmp(word, "=namespace:", 11) == 0)
				return 1;
	return 0;
}

/* Prints the options that native programs do not have; returns their number. */
static int print_others(const char *words)
{
	int count = 0;

	for (const char *word = words; (word = strchr(word, ',')) != NULL;) {
		size_t length = strcspn(++word, "=,");

		if (!is_word_of(native_options, word, length))
			fprintf(stderr, "%s--%.*s", count++ == 0 ? "mprof: record: " : ", ", (int)length, word);
	}
	return count;
}

/* How to record the memory of native programs, if it is what was asked for. */
static void print_memory_hint(const char *words)
{
	if (find_word(words, "alloc") != NULL || find_word(words, "heap") != NULL || find_word(words, "free") != NULL)
		fputs("; LD_PRELOAD=libmprof-malloc.so records the memory of native programs, see 'man mprof'", stderr);
}

int record_options_check_native(const char *words)
{
	if (print_others(words) > 0) {
		fputs(": only Mono programs can be recorded this way, not native ones", stderr);
		print_memory_hint(words);
		fputc('\n', stderr);
		return 0;
	}
	if (has_namespace_pattern(words)) {
		fputs("mprof: record: a native program has no namespace: patterns; its functions are matched with "
		      "their whole names, such as Shop::*\n",
		      stderr);
		return 0;
	}
	return record_options_check_native_samples(words);
}

void record_options_explain_others(const char *words, const char *program)
{
	if (print_others(words) == 0)
		return;
	fprintf(stderr, ": %s is a native program: this is recorded only of Mono programs that it runs", program);
	print_memory_hint(words);
	fputc('\n', stderr);
}

int record_options_check_native_samples(const char *words)
{
	if (find_word(words, "sample") == NULL)
		return 1;
	if (!SAMPLES_NATIVE_PROGRAMS)
		fputs("mprof: record: --sample: native programs are sampled only on Linux for x86-64\n", stderr);
	else if (has_value_with(words, "sample-source", "runtime"))
		fputs("mprof: record: --sample-source=runtime: a native program has no runtime that takes samples\n",
		      stderr);
	else
		return 1;
	return 0;
}

int record_options_can_sample_native(void)
{
	return SAMPLES_NATIVE_PROGRAMS;
}

int record_options_select_kind(const char *words)
{
	for (const char *word = words; (word = strchr(word, ',')) != NULL;) {
		size_t length = strcspn(++word, "=,");

		if (is_word_of(kind_options, word, length))
			return 1;
	}
	return 0;
}

void record_options_remove(char *words, const char *name)
{
	const char *found;

	while ((found = find_word(words, name)) != NULL) {
		char *start = words + (found - words) - strlen(name) - 1;

		memmove(start, found + strcspn(found, ","), strlen(found + strcspn(found, ",")) + 1);
	}
}

int record_options_check_mono(const char *words)
{
	if (find_word(words, "sample-stack") == NULL)
		return 1;
	fputs("mprof: record: --sample-stack: only native programs can be recorded this way, not Mono ones\n", stderr);
	return 0;
}
