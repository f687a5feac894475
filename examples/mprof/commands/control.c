/* SPDX-License-Identifier: MIT */
/* mprof control: sends commands to a program that is being recorded. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/exit_status.h"
#include "commands/control_connection.h"
#include "common/json.h"
#include "common/nearest.h"
#include "shared/text.h"

#include <mprof/version.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"Usage: mprof control [--json] PROCESS COMMAND\n\n"
	"Controls the recording of a Mono program while it runs. PROCESS is its process ID, or that of the\n"
	"mprof record that runs it, or the path of its socket. COMMAND is\n"
	"  enable     record events from now on\n"
	"  disable    stop recording events; when this returns, all events recorded before are in the log\n"
	"  flush      write all events recorded so far; when this returns, they are in the log\n"
	"  heapshot   take a heap snapshot; when this returns, it is in the log\n"
	"  status     print what is recorded, to which log, and how much so far\n"
	"  mark TEXT  write a marker to the log\n\n"
	"  --json     the status as one JSON document\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Exit status: 0 for success, 1 if the program refused, 2 if the command line is wrong, 3 if the program "
	"could\n"
	"not be reached.\n\n"
	"Examples:\n"
	"  mprof control 4711 status\n"
	"  mprof control 4711 heapshot\n"
	"  mprof control 4711 mark 'after the login'\n";

static const char *const commands[] = {"enable", "disable", "flush", "heapshot", "status"};

typedef struct control_arguments {
	int as_json;
	const char *process;
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

/* Returns -1 to continue, or an exit status. */
static int parse_mark(control_arguments *arguments, int argc, char **argv)
{
	int length;

	if (optind + 2 >= argc)
		return refuse_argument("mark needs a TEXT", "");
	if (optind + 3 < argc)
		return refuse_argument("mark takes one TEXT, in quotes if it has blanks; unexpected argument",
				       argv[optind + 3]);
	length = snprintf(arguments->line, sizeof(arguments->line), "mark %s", argv[optind + 2]);
	if (length >= (int)sizeof(arguments->line))
		return refuse_argument("the TEXT is longer than 1018 bytes", "");
	if (argv[optind + 2][0] == '\0' || strpbrk(argv[optind + 2], "\r\n") != NULL)
		return refuse_argument("the TEXT must be one line", "");
	return -1;
}

static int refuse_command(const char *word)
{
	nearest_name nearest;

	nearest_init(&nearest, word);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		nearest_offer_word(&nearest, commands[i], commands[i]);
	nearest_offer_word(&nearest, "mark", "mark");
	fprintf(stderr, "mprof: control: unknown command: %s", word);
	if (nearest.found != NULL)
		fprintf(stderr, "; did you mean '%s'?", nearest.found);
	fputc('\n', stderr);
	nearest_release(&nearest);
	return arguments_refuse("control");
}

/* Returns -1 to continue, or an exit status. */
static int parse_command(control_arguments *arguments, int argc, char **argv)
{
	if (optind + 2 > argc)
		return refuse_argument("a PROCESS and a COMMAND are needed", "");
	arguments->process = argv[optind];
	if (!is_process(arguments->process))
		return refuse_argument("PROCESS is neither a process ID nor the path of a socket", arguments->process);
	if (strcmp(argv[optind + 1], "mark") == 0)
		return parse_mark(arguments, argc, argv);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[optind + 1], commands[i]) != 0)
			continue;
		snprintf(arguments->line, sizeof(arguments->line), "%s", commands[i]);
		return optind + 2 == argc ? -1 : refuse_argument("the command takes no arguments", argv[optind + 2]);
	}
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

/* Prints a line NAME=VALUE of the status. */
static void print_fact(json_writer *json, char *line)
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

/* Returns the exit status. */
static int print_answer(control_connection *connection, json_writer *json)
{
	char line[4096];

	while (control_receive(connection, line, sizeof(line))) {
		if (strcmp(line, "DONE") == 0)
			return STATUS_OK;
		if (strncmp(line, "ERROR", 5) == 0) {
			fprintf(stderr, "mprof: control: %s\n", line[5] == ' ' ? line + 6 : "refused");
			return STATUS_DAMAGED;
		}
		print_fact(json, line);
	}
	return STATUS_NOTHING;
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
	if (control_send(&connection, arguments.line))
		status = print_answer(&connection, arguments.as_json ? &json : NULL);
	if (arguments.as_json)
		json_end_object(&json);
	control_disconnect(&connection);
	return status;
}
