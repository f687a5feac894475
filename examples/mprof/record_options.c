/* SPDX-License-Identifier: MIT */
#include "record_options.h"

#include "arguments.h"

#include <mprof/version.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum value_kind { VALUE_NONE, VALUE_NUMBER, VALUE_SIZE, VALUE_WORDS, VALUE_HEAP, VALUE_TEXT } value_kind;

typedef struct record_option {
	const char *name;
	int argument; /* As getopt_long() has it. */
	value_kind kind;
	uint64_t least; /* Of numbers, and of bytes. */
	uint64_t most;
	const char *words; /* That a value may be, with blanks around and between. */
} record_option;

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
#define TEXT(name)                                                                                                     \
	{                                                                                                              \
		name, required_argument, VALUE_TEXT, 0, 0, NULL                                                        \
	}

static const record_option record_options[] = {
	PLAIN("calls"),
	WORDS("alloc", optional_argument, " stack caller objects + "),
	PLAIN("jit"),
	PLAIN("gc"),
	PLAIN("exceptions"),
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
	NUMBER("sample-depth", required_argument, 1, 128),
	NUMBER("stack-depth", required_argument, 1, 128),
	TEXT("only"),
	TEXT("not"),
	NUMBER("depth", required_argument, 1, 1000000000),
	PLAIN("no-wrappers"),
	PLAIN("all-wrappers"),
	NUMBER("gzip", optional_argument, 1, 9),
	BYTES("max-size", UINT64_C(1) << 16),
	BYTES("ring", UINT64_C(1) << 20),
	BYTES("heap-memory", UINT64_C(1) << 20),
	PLAIN("drop"),
	NUMBER("buffers", required_argument, 2, 65536),
	NUMBER("interval", required_argument, 1, 3600000),
	WORDS("format", required_argument, " mprof2 mono unity drop mail "),
	PLAIN("start-disabled"),
	TEXT("control"),
	PLAIN("no-control"),
	NUMBER("port", required_argument, 1024, 65535),
	TEXT("signal"),
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

static int check_number(const record_option *option, const char *value)
{
	char name[32];
	uint64_t number;

	snprintf(name, sizeof(name), "--%s", option->name);
	if (!arguments_number(name, value, option->most, &number))
		return 0;
	if (number >= option->least)
		return 1;
	fprintf(stderr, "mprof: %s: '%s' is less than %" PRIu64 "\n", name, value, option->least);
	return 0;
}

/* A number of bytes with k, m or g behind it; the digits behind it may be any. */
static int check_size(const record_option *option, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	const char *suffix = value + digits;
	uint64_t number = 0;
	int well = digits > 0 && digits < 16 && strspn(suffix, "kmgKMG") == strlen(suffix) && strlen(suffix) <= 1;

	for (size_t i = 0; well && i < digits; i++)
		number = number * 10 + (uint64_t)(value[i] - '0');
	for (const char *unit = "kmg"; well && *suffix != '\0' && *unit != '\0'; unit++) {
		number <<= 10;
		if (tolower((unsigned char)*suffix) == *unit)
			break;
	}
	if (well && number >= option->least)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' is not a number of bytes from %" PRIu64 "k on; k, m and g multiply it\n",
		option->name, value, option->least >> 10);
	return 0;
}

static int is_word_of(const char *words, const char *word, size_t length)
{
	for (const char *place = words; (place = strchr(place, ' ')) != NULL; place++)
		if (length > 0 && strncmp(place + 1, word, length) == 0 && place[1 + length] == ' ')
			return 1;
	return 0;
}

/* One of the words; several with + between if that is one of them. */
static int check_words(const record_option *option, const char *value)
{
	int has_several = strstr(option->words, " + ") != NULL;
	const char *word = value;

	for (;;) {
		size_t length = has_several ? strcspn(word, "+") : strlen(word);

		if (!is_word_of(option->words, word, length))
			break;
		if (word[length] == '\0')
			return 1;
		word += length + 1;
	}
	fprintf(stderr, "mprof: --%s: '%s' is none of%s\n", option->name, value, option->words);
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
	fprintf(stderr, "mprof: --%s: '%s' is none of every-gc, ondemand, and numbers such as 5gc and 500ms\n",
		option->name, value);
	return 0;
}

/* The module's options are separated by commas. */
static int check_text(const record_option *option, const char *value)
{
	if (value[0] != '\0' && strchr(value, ',') == NULL)
		return 1;
	fprintf(stderr, "mprof: --%s: '%s' %s\n", option->name, value,
		value[0] == '\0' ? "is empty" : "has a comma, which cannot be passed on");
	return 0;
}

int record_options_check(const char *name, const char *value)
{
	const record_option *option = record_options;

	while (strcmp(option->name, name) != 0)
		option++;
	if (strcmp(name, "gzip") == 0 && !mprof_version_has(MPROF_FEATURE_GZIP)) {
		fprintf(stderr, "mprof: --gzip: this library was built without compression\n");
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
	case VALUE_HEAP:
		return check_heap(option, value);
	case VALUE_TEXT:
		return check_text(option, value);
	case VALUE_NONE:
		break;
	}
	return 1;
}
