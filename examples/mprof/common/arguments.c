/* SPDX-License-Identifier: MIT */
/* Reads the arguments of commands; what they return. */
#include "common/arguments.h"

#include <mprof/base.h>
#include <mprof/reader.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The name most similar to a mistyped one.
 */

/*
 * Weight of one edit. For a name that contains the typed text, each additional character counts 1: less than any edit.
 */
#define MISTAKE (NEAREST_LENGTH + 1)

void nearest_init(nearest_name *nearest, const char *wanted)
{
	memset(nearest, 0, sizeof(*nearest));
	nearest->misses = SIZE_MAX;
	nearest->is_start = wanted[0] != '\0' && wanted[strlen(wanted) - 1] == '*';
	for (; *wanted != '\0' && nearest->length < NEAREST_LENGTH; wanted++) {
		if (strchr("*?[]", *wanted) == NULL)
			nearest->wanted[nearest->length++] = (char)tolower((unsigned char)*wanted);
	}
}

static size_t smallest_of(size_t a, size_t b, size_t c)
{
	size_t least = a < b ? a : b;

	return least < c ? least : c;
}

/* The edit distance: insertions, deletions, substitutions and transpositions that convert the typed text to the key. */
static size_t count_mistakes(const nearest_name *nearest, const char *key, size_t key_length)
{
	size_t rows[3][NEAREST_LENGTH + 1];
	size_t *before = rows[0];
	size_t *above = rows[1];
	size_t *row = rows[2];

	for (size_t column = 0; column <= nearest->length; column++)
		above[column] = column;
	for (size_t i = 1; i <= key_length; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= nearest->length; j++) {
			const char *typed = nearest->wanted;

			row[j] = smallest_of(above[j] + 1, row[j - 1] + 1, above[j - 1] + (key[i - 1] != typed[j - 1]));
			if (i > 1 && j > 1 && key[i - 1] == typed[j - 2] && key[i - 2] == typed[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[nearest->length];
}

static void compare_name(nearest_name *nearest, const char *key, const char *name, size_t least_part,
			 size_t most_mistakes)
{
	char lower[NEAREST_LENGTH + 1];
	size_t length = 0;
	size_t misses;
	char *copy;

	for (; length < NEAREST_LENGTH && key[length] != '\0'; length++)
		lower[length] = (char)tolower((unsigned char)key[length]);
	if (nearest->is_start && length > nearest->length)
		length = nearest->length;
	lower[length] = '\0';
	if (nearest->length >= least_part && strstr(lower, nearest->wanted) != NULL) {
		misses = length - nearest->length;
	} else {
		size_t difference = length > nearest->length ? length - nearest->length : nearest->length - length;
		size_t mistakes;

		if (difference > most_mistakes || difference * MISTAKE >= nearest->misses)
			return;
		mistakes = count_mistakes(nearest, lower, length);
		if (mistakes > most_mistakes)
			return;
		misses = mistakes * MISTAKE;
	}
	if (misses >= nearest->misses)
		return;
	copy = strdup(name);
	if (copy == NULL)
		return;
	free(nearest->found);
	nearest->found = copy;
	nearest->misses = misses;
}

void nearest_offer(nearest_name *nearest, const char *key, const char *name)
{
	/* A name of which more is different is as good as any other. */
	compare_name(nearest, key, name, 1, nearest->length / 2 + 1);
}

void nearest_offer_word(nearest_name *nearest, const char *key, const char *name)
{
	compare_name(nearest, key, name, 4, nearest->length > 5 ? 2 : 1);
}

/* Offers the long options of a command. The mistyped option may start with "--" and have a value. */
static void nearest_offer_options(nearest_name *nearest, const struct option *options)
{
	nearest->length = strcspn(nearest->wanted, "=");
	nearest->wanted[nearest->length] = '\0';
	while (nearest->length > 0 && nearest->wanted[0] == '-')
		memmove(nearest->wanted, nearest->wanted + 1, nearest->length--);
	for (; options->name != NULL; options++)
		nearest_offer_word(nearest, options->name, options->name);
}

void nearest_release(nearest_name *nearest)
{
	free(nearest->found);
	nearest->found = NULL;
}

/*
 * The number of threads that decode the events of logs.
 */

static uint32_t chosen_threads;

/* Sets the number, for all logs that are opened later. */
static void threads_set(uint32_t number)
{
	chosen_threads = number;
}

/* One unless asked: several take more processor time, and gain nothing where other programs use the processors. */
uint32_t arguments_threads(void)
{
	return chosen_threads > 1 ? chosen_threads : 1;
}

/*
 * Command lines.
 */

/* Room for the letters of options. */
#define LETTERS_SIZE 32

int arguments_refuse(const char *command)
{
	fprintf(stderr, "mprof: see 'mprof %s --help'\n", command);
	return STATUS_USAGE;
}

int arguments_number(const char *option, const char *text, uint64_t least, uint64_t largest, uint64_t *number)
{
	char *end;
	uintmax_t value;

	errno = 0;
	value = strtoumax(text, &end, 0);
	if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || value < least || value > largest) {
		fprintf(stderr, "mprof: %s: '%s' is not a number from %" PRIu64, option, text, least);
		if (largest < UINT64_MAX)
			fprintf(stderr, " to %" PRIu64, largest);
		fputs(largest < UINT64_MAX ? "\n" : " on\n", stderr);
		return 0;
	}
	*number = value;
	return 1;
}

static int refuse_further(char **argv)
{
	fprintf(stderr, "mprof: %s: unexpected argument '%s' after OUT\n", argv[0], argv[optind]);
	return arguments_refuse(argv[0]);
}

static int parse_pair(read_arguments *arguments, int argc, char **argv)
{
	if (optind + 1 >= argc) {
		fprintf(stderr, "mprof: %s: no %s\n", argv[0], optind == argc ? "FILE" : "OUT");
		return arguments_refuse(argv[0]);
	}
	arguments->file = argv[optind++];
	arguments->out = argv[optind++];
	return optind < argc ? refuse_further(argv) : -1;
}

static int parse_file(read_arguments *arguments, int argc, char **argv)
{
	if (optind == argc) {
		fprintf(stderr, "mprof: %s: no FILE\n", argv[0]);
		return arguments_refuse(argv[0]);
	}
	if (optind + 1 < argc) {
		fprintf(stderr, "mprof: %s: more than one FILE: '%s'%s\n", argv[0], argv[optind + 1],
			strcmp(argv[0], "report") == 0 ? "; 'mprof diff' compares two logs" : "");
		return arguments_refuse(argv[0]);
	}
	arguments->file = argv[optind];
	return -1;
}

/*
 * In messages, getopt_long() would use argv[0] as the program's name, but it is the name of the command. Therefore its
 * messages are disabled, and this function prints them.
 */
int arguments_refuse_option(int argc, char **argv, const struct option *options, int result)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	const char *text = optind > 0 && optind <= argc ? argv[optind - 1] : "";
	nearest_name nearest;

	/*
	 * For a letter: within an argument of several letters, optind is not incremented, so argv[optind - 1] is
	 * another argument.
	 */
	if (optopt > 0 && optopt < OPTION_HELP)
		text = letter;
	fprintf(stderr, "mprof: %s: ", argv[0]);
	nearest_init(&nearest, text);
	if (result == ':') {
		fprintf(stderr, "option '%s' needs a value\n", text);
	} else {
		if (strncmp(text, "--", 2) == 0)
			nearest_offer_options(&nearest, options);
		fprintf(stderr, "unknown option '%s'", text);
		if (nearest.found != NULL)
			fprintf(stderr, "; did you mean '--%s'?", nearest.found);
		fputc('\n', stderr);
	}
	nearest_release(&nearest);
	return arguments_refuse(argv[0]);
}

/* The letters for getopt_long(): that of the help, and those that the list of options has. */
static void list_letters(char letters[LETTERS_SIZE], const struct option *options)
{
	size_t length = 2;

	memcpy(letters, ":h", length);
	for (; options->name != NULL; options++) {
		if (options->val >= OPTION_HELP || length + 2 >= LETTERS_SIZE)
			continue;
		letters[length++] = (char)options->val;
		if (options->has_arg == required_argument)
			letters[length++] = ':';
	}
	letters[length] = '\0';
}

static int take_threads(const char *value)
{
	uint64_t number;

	if (!arguments_number("--threads", value, 1, MPROF_READER_MAX_THREADS, &number))
		return 0;
	threads_set((uint32_t)number);
	return 1;
}

static int parse_options(read_arguments *arguments, int argc, char **argv, const struct option *options,
			 const char *help, option_function take, void *user)
{
	char letters[LETTERS_SIZE];
	int option;

	memset(arguments, 0, sizeof(*arguments));
	list_letters(letters, options);
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (option) {
		case 'h':
		case OPTION_HELP:
			fputs(help, stdout);
			return STATUS_OK;
		case OPTION_VERSION:
			printf("mprof %s\n", mprof_version_get_string());
			return STATUS_OK;
		case OPTION_JSON:
			arguments->as_json = 1;
			break;
		case OPTION_THREADS:
			if (!take_threads(optarg))
				return arguments_refuse(argv[0]);
			break;
		case '?':
		case ':':
			return arguments_refuse_option(argc, argv, options, option);
		default:
			if (!take(user, option, optarg))
				return arguments_refuse(argv[0]);
		}
	}
	return -1;
}

int arguments_parse(read_arguments *arguments, int argc, char **argv, const struct option *options, const char *help,
		    option_function take, void *user)
{
	int status = parse_options(arguments, argc, argv, options, help, take, user);

	return status >= 0 ? status : parse_file(arguments, argc, argv);
}

int arguments_parse_pair(read_arguments *arguments, int argc, char **argv, const struct option *options,
			 const char *help, option_function take, void *user)
{
	int status = parse_options(arguments, argc, argv, options, help, take, user);

	return status >= 0 ? status : parse_pair(arguments, argc, argv);
}

int arguments_parse_one_or_two(read_arguments *arguments, int argc, char **argv, const struct option *options,
			       const char *help, option_function take, void *user)
{
	int status = parse_options(arguments, argc, argv, options, help, take, user);

	if (status >= 0)
		return status;
	if (optind + 1 >= argc)
		return parse_file(arguments, argc, argv);
	arguments->file = argv[optind];
	arguments->out = argv[optind + 1];
	if (optind + 2 == argc)
		return -1;
	fprintf(stderr, "mprof: %s: more than two files: '%s'\n", argv[0], argv[optind + 2]);
	return arguments_refuse(argv[0]);
}

int arguments_parse_files(int argc, char **argv, const struct option *options, const char *help, option_function take,
			  void *user, int *first)
{
	read_arguments arguments;
	int status = parse_options(&arguments, argc, argv, options, help, take, user);

	*first = optind;
	if (status >= 0 || optind < argc)
		return status;
	fprintf(stderr, "mprof: %s: no FILE\n", argv[0]);
	return arguments_refuse(argv[0]);
}

int arguments_parse_optional(int argc, char **argv, const struct option *options, const char *help,
			     option_function take, void *user, const char **file)
{
	read_arguments arguments;
	int status = parse_options(&arguments, argc, argv, options, help, take, user);

	*file = NULL;
	if (status >= 0 || optind == argc)
		return status;
	status = parse_file(&arguments, argc, argv);
	*file = arguments.file;
	return status;
}

int arguments_parse_none(int argc, char **argv, const struct option *options, const char *help)
{
	read_arguments arguments;
	int status = parse_options(&arguments, argc, argv, options, help, NULL, NULL);

	if (status >= 0 || optind == argc)
		return status;
	fprintf(stderr, "mprof: %s: unexpected argument '%s': the command takes none\n", argv[0], argv[optind]);
	return arguments_refuse(argv[0]);
}

int arguments_parse_simple(read_arguments *arguments, int argc, char **argv, const char *help)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		THREADS_OPTION,
		{"json", no_argument, NULL, OPTION_JSON},
		{NULL, 0, NULL, 0},
	};

	return arguments_parse(arguments, argc, argv, options, help, NULL, NULL);
}
