/* SPDX-License-Identifier: MIT */
/* mprof control: talks to a running recording. */
#include <mprof/base.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/control_connection.h"
#include "common/json.h"
#include "shared/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIME, EVENTS, BYTES, LOST, WAITS, PROGRAM_TIME, WRITER_TIME, TOTAL_COUNT };

/* The names of the totals in the answer to the command cost. */
static const char *const names[TOTAL_COUNT] = {"time_ns", "events", "bytes",        "lost_events",
					       "waits",   "cpu_ns", "writer_cpu_ns"};

typedef struct totals {
	uint64_t values[TOTAL_COUNT];
	int is_known[TOTAL_COUNT];
} totals;

/* Reads a line NAME=VALUE of the answer. */
static void read_total(void *user, char *line)
{
	totals *read = user;
	const char *value = strchr(line, '=');

	for (int i = 0; value != NULL && i < TOTAL_COUNT; i++) {
		if (strncmp(line, names[i], (size_t)(value - line)) != 0 || names[i][value - line] != '\0')
			continue;
		read->values[i] = strtoumax(value + 1, NULL, 10);
		read->is_known[i] = 1;
	}
}

/* Returns an exit status. */
static int read_totals(control_connection *connection, totals *read)
{
	memset(read, 0, sizeof(*read));
	return control_send(connection, "cost") ? control_receive_answer(connection, read_total, read) : STATUS_NOTHING;
}

/* Rate of a total per second; -1 if it is unknown. */
static double rate_of(const totals *first, const totals *last, int total)
{
	double seconds = (double)(last->values[TIME] - first->values[TIME]) / 1e9;

	if (!first->is_known[total] || !last->is_known[total] || seconds <= 0)
		return -1;
	return (double)(last->values[total] - first->values[total]) / seconds;
}

static void print_rate_json(json_writer *json, const char *key, double rate)
{
	if (rate < 0)
		json_null(json, key);
	else
		json_double(json, key, rate);
}

static void print_json(json_writer *json, const totals *first, const totals *last)
{
	double writer = rate_of(first, last, WRITER_TIME);
	double program = rate_of(first, last, PROGRAM_TIME);

	json_double(json, "interval_s", (double)(last->values[TIME] - first->values[TIME]) / 1e9);
	print_rate_json(json, "events_per_s", rate_of(first, last, EVENTS));
	print_rate_json(json, "bytes_per_s", rate_of(first, last, BYTES));
	print_rate_json(json, "lost_per_s", rate_of(first, last, LOST));
	print_rate_json(json, "waits_per_s", rate_of(first, last, WAITS));
	print_rate_json(json, "writer_cpu_percent", writer < 0 ? -1 : writer / 1e7);
	print_rate_json(json, "program_cpu_percent", program < 0 ? -1 : program / 1e7);
}

static void print_text(const totals *first, const totals *last)
{
	double writer = rate_of(first, last, WRITER_TIME);
	char text[TEXT_NUMBER_SIZE];

	printf("per second: %s events, ", text_count(text, (uint64_t)rate_of(first, last, EVENTS)));
	printf("%s written, ", text_bytes(text, (uint64_t)rate_of(first, last, BYTES)));
	printf("%s lost, ", text_count(text, (uint64_t)rate_of(first, last, LOST)));
	printf("%s waits for a buffer; processor: ", text_count(text, (uint64_t)rate_of(first, last, WAITS)));
	if (writer >= 0)
		printf("%.1f %% writing the log, ", writer / 1e7);
	printf("%.1f %% the whole program\n", rate_of(first, last, PROGRAM_TIME) / 1e7);
}

/*
 * Asks the program for its totals twice, seconds apart, and prints the difference per second: to json, or as text
 * if that is NULL. Returns an exit status; if it is not STATUS_OK, a message was printed.
 */
static int control_rates_print(control_connection *connection, unsigned seconds, json_writer *json)
{
	struct timespec rest = {.tv_sec = (time_t)seconds};
	totals first;
	totals last;
	int status = read_totals(connection, &first);

	if (status != STATUS_OK)
		return status;
	while (nanosleep(&rest, &rest) != 0)
		continue;
	status = read_totals(connection, &last);
	if (status != STATUS_OK)
		return status;
	if (last.values[TIME] <= first.values[TIME]) {
		fprintf(stderr, "mprof: control: the program does not provide its totals\n");
		return STATUS_NOTHING;
	}
	if (json != NULL)
		print_json(json, &first, &last);
	else
		print_text(&first, &last);
	return STATUS_OK;
}

static const char help[] =
	"Usage: mprof control [--json] PROCESS COMMAND\n\n"
	"Controls the recording of a program while it runs. PROCESS is its process ID, or that of the mprof record\n"
	"that runs it, or the path of its socket. COMMAND is\n"
	"  enable            record events from now on\n"
	"  disable           stop recording events; when this returns, all events recorded before are in the log\n"
	"  flush             write all events recorded so far, also those of --ring; when this returns, they are in\n"
	"                    the log\n"
	"  heapshot          take a heap snapshot; when this returns, it is in the log\n"
	"  sample HZ|on|off  change the rate of samples, resume or stop them\n"
	"  alloc on|off|stack[:BYTES]\n"
	"                    record allocations without or with call stacks, or stop that; with BYTES, the call\n"
	"                    stacks of a sample: one per BYTES allocated, on average; stack:all for all\n"
	"  calls on|off|PATTERN\n"
	"                    record all calls, none, or those of methods that match as with --only\n"
	"  only PATTERN|off  record allocations and samples only of methods that match and of what these call\n"
	"  not PATTERN|off   record no allocations and samples of methods that match\n"
	"  cost [SECONDS]    measure for some time (1) what recording costs\n"
	"  status            print what is recorded, to which log, and how much so far\n"
	"  mark TEXT         write a marker to the log\n\n"
	"Without --calls at the start, calls records methods that Mono compiles from then on, and functions of a\n"
	"native program that were compiled with -finstrument-functions. alloc, its call stacks and\n"
	"heapshot need --alloc, --alloc=stack and --heap at the start.\n\n"
	"  --json     the status or the cost as one JSON document\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Exit status: 0 for success, 1 if the program refused, 2 if the command line is wrong, 3 if the program "
	"could\n"
	"not be reached.\n\n"
	"Examples:\n"
	"  mprof control 4711 status\n"
	"  mprof control 4711 heapshot\n"
	"  mprof control 4711 sample 1000\n"
	"  mprof control 4711 calls 'Shop.*'\n"
	"  mprof control 4711 mark 'after the login'\n";

typedef enum value_use { NO_VALUE, OPTIONAL_VALUE, ONE_VALUE } value_use;

static const struct {
	const char *name;
	value_use use;
	const char *words; /* Allowed values, separated and surrounded by blanks; NULL for any. */
	uint64_t most;     /* Numbers from 1 to this are allowed as well. */
	const char *wanted;
} commands[] = {
	{"enable", NO_VALUE, NULL, 0, NULL},
	{"disable", NO_VALUE, NULL, 0, NULL},
	{"flush", NO_VALUE, NULL, 0, NULL},
	{"heapshot", NO_VALUE, NULL, 0, NULL},
	{"status", NO_VALUE, NULL, 0, NULL},
	{"cost", OPTIONAL_VALUE, " ", 3600, "a number of seconds from 1 to 3600"},
	{"sample", ONE_VALUE, " on off ", 10000, "on, off, or a number from 1 to 10000"},
	{"alloc", ONE_VALUE, " on off stack stack:all ", 0, "on, off, stack, stack:BYTES, or stack:all"},
	{"calls", ONE_VALUE, NULL, 0, "on, off, or a PATTERN"},
	{"only", ONE_VALUE, NULL, 0, "off or a PATTERN"},
	{"not", ONE_VALUE, NULL, 0, "off or a PATTERN"},
	{"mark", ONE_VALUE, NULL, 0, "TEXT"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

typedef struct control_arguments {
	int as_json;
	const char *process;
	unsigned cost_seconds; /* 0 unless the command is cost. */
	char line[CONTROL_LINE_MAX + 1];
} control_arguments;

static int refuse_argument(const char *what, const char *value)
{
	fprintf(stderr, "mprof: control: %s%s%s\n", what, value[0] == '\0' ? "" : ": ", value);
	return arguments_refuse("control");
}

static int is_process(const char *text)
{
	return strchr(text, '/') != NULL || (text[0] != '\0' && strspn(text, "0123456789") == strlen(text));
}

static int refuse_command(const char *word)
{
	nearest_name nearest;

	nearest_init(&nearest, word);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		nearest_offer_word(&nearest, commands[i].name, commands[i].name);
	fprintf(stderr, "mprof: control: unknown command: %s", word);
	if (nearest.found != NULL)
		fprintf(stderr, "; did you mean '%s'?", nearest.found);
	fputc('\n', stderr);
	nearest_release(&nearest);
	return arguments_refuse("control");
}

/* Whether it may be the interval of "alloc stack:BYTES"; the program checks its range. */
static int is_interval(const char *command, const char *value)
{
	static const char prefix[] = "stack:";
	const size_t start = sizeof(prefix) - 1;

	return strcmp(command, "alloc") == 0 && strncmp(value, prefix, start) == 0 && value[start] >= '0' &&
	       value[start] <= '9';
}

/* Whether the value is one of the words or a number in the range. */
static int is_allowed(size_t command, const char *value)
{
	size_t length = strlen(value);
	uintmax_t number;
	char *end;

	if (commands[command].words == NULL)
		return length > 0;
	for (const char *blank = commands[command].words; (blank = strchr(blank, ' ')) != NULL; blank++)
		if (length > 0 && strncmp(blank + 1, value, length) == 0 && blank[1 + length] == ' ')
			return 1;
	errno = 0;
	number = strtoumax(value, &end, 10);
	return value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 && number >= 1 &&
	       number <= commands[command].most;
}

/* Returns -1 to continue, or an exit status. */
static int parse_value(control_arguments *arguments, size_t command, int count, char **values)
{
	const char *name = commands[command].name;
	const char *value = count > 0 ? values[0] : NULL;
	int length;

	if (commands[command].use == NO_VALUE && count > 0)
		return refuse_argument("the command takes no arguments", value);
	if (count > 1) {
		fprintf(stderr,
			"mprof: control: %s takes one value, in quotes if it has blanks; unexpected argument: %s\n",
			name, values[1]);
		return arguments_refuse("control");
	}
	if (count == 0 && commands[command].use == ONE_VALUE) {
		fprintf(stderr, "mprof: control: %s needs %s\n", name, commands[command].wanted);
		return arguments_refuse("control");
	}
	if (value != NULL && !is_allowed(command, value) && !is_interval(name, value)) {
		fprintf(stderr, "mprof: control: %s: '%s' is not %s\n", name, value, commands[command].wanted);
		return arguments_refuse("control");
	}
	if (value != NULL && strpbrk(value, "\r\n") != NULL)
		return refuse_argument("the value must be one line", "");
	if (strcmp(name, "cost") == 0) {
		arguments->cost_seconds = value != NULL ? (unsigned)strtoul(value, NULL, 10) : 1;
		return -1;
	}
	length = snprintf(arguments->line, sizeof(arguments->line), "%s%s%s", name, value != NULL ? " " : "",
			  value != NULL ? value : "");
	return length < (int)sizeof(arguments->line) ? -1 : refuse_argument("the value is longer than 1000 bytes", "");
}

/* Returns -1 to continue, or an exit status. */
static int parse_command(control_arguments *arguments, int argc, char **argv)
{
	if (optind + 2 > argc)
		return refuse_argument("a PROCESS and a COMMAND are needed", "");
	arguments->process = argv[optind];
	if (!is_process(arguments->process))
		return refuse_argument("PROCESS is neither a process ID nor the path of a socket", arguments->process);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(argv[optind + 1], commands[i].name) == 0)
			return parse_value(arguments, i, argc - optind - 2, argv + optind + 2);
	return refuse_command(argv[optind + 1]);
}

/* Returns -1 to continue, or an exit status. */
static int parse_arguments(control_arguments *arguments, int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{"json", no_argument, NULL, OPTION_JSON},
		{NULL, 0, NULL, 0},
	};
	int option;

	memset(arguments, 0, sizeof(*arguments));
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
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
		default:
			return arguments_refuse_option(argc, argv, options, option);
		}
	}
	return parse_command(arguments, argc, argv);
}

/* Prints a line NAME=VALUE of the answer: to the json_writer, or as text if that is NULL. */
static void print_fact(void *json, char *line)
{
	char *value = strchr(line, '=');
	char *end;
	uintmax_t number;

	if (json == NULL) {
		text_name(stdout, line);
		putchar('\n');
		return;
	}
	if (value == NULL)
		return;
	*value++ = '\0';
	number = strtoumax(value, &end, 10);
	if (value[0] >= '0' && value[0] <= '9' && *end == '\0')
		json_large(json, line, number);
	else
		json_string(json, line, value);
}

int command_control(int argc, char **argv)
{
	static control_connection connection;
	control_arguments arguments;
	json_writer json;
	int status = parse_arguments(&arguments, argc, argv);

	if (status >= 0)
		return status;
	if (!control_connect(&connection, arguments.process))
		return STATUS_NOTHING;
	json_init(&json, stdout, 0);
	if (arguments.as_json)
		json_begin_document(&json);
	status = STATUS_NOTHING;
	if (arguments.cost_seconds != 0)
		status = control_rates_print(&connection, arguments.cost_seconds, arguments.as_json ? &json : NULL);
	else if (control_send(&connection, arguments.line))
		status = control_receive_answer(&connection, print_fact, arguments.as_json ? &json : NULL);
	if (arguments.as_json)
		json_end_object(&json);
	control_disconnect(&connection);
	return status;
}
