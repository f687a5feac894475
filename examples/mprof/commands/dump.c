/* SPDX-License-Identifier: MIT */
/* mprof dump and mprof follow: print everything in a log, in file order, also while its program writes it. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/input.h"
#include "common/output.h"
#include "dump/dump.h"
#include "live/growing_log.h"

#include <stdio.h>
#include <unistd.h>

/* How long mprof follow waits for more. */
#define WAIT_MS 100

static const char dump_help[] =
	"Usage: mprof dump [--json] [--blocks] FILE\n\n"
	"Prints every block, event and definition of a log, in file order.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json     one JSON object on each line\n"
	"  --blocks   blocks only, without their events and records\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Counters are in the unit of the log's own clock; 'mprof info' prints its rate per second.\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof dump app.mprof\n"
	"  mprof dump --json app.mprof | head\n";

enum { OPTION_BLOCKS = OPTION_OWN, OPTION_WAIT };

static void dump_blocks(log_input *input, const dump_form *form, int with_contents)
{
	definition_progress progress = {{0}};

	while (!output_is_broken() && dump_next_block(input, form, with_contents, &progress))
		;
}

static int apply_dump_option(void *user, int option, const char *value)
{
	(void)option;
	(void)value;
	*(int *)user = 0;
	return 1;
}

int command_dump(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{"json", no_argument, NULL, OPTION_JSON},
		{"blocks", no_argument, NULL, OPTION_BLOCKS},
		{NULL, 0, NULL, 0},
	};
	read_arguments arguments;
	log_input input;
	int with_contents = 1;
	int status = arguments_parse(&arguments, argc, argv, options, dump_help, apply_dump_option, &with_contents);

	if (status >= 0)
		return status;
	if (input_open(&input, arguments.file, 0) == STATUS_OK) {
		/* On a terminal, the progress line would mix with the output. */
		if (isatty(STDOUT_FILENO))
			input.progress.is_wanted = 0;
		dump_blocks(&input, arguments.as_json ? &dump_form_json : &dump_form_text, with_contents);
	}
	status = input.status;
	input_close(&input);
	return status;
}

/*
 * mprof follow
 */

static const char follow_help[] =
	"Usage: mprof follow [--json] [--blocks] [--wait] FILE\n\n"
	"Prints every block, event and definition of a log like 'mprof dump', and continues while the program\n"
	"writes it: until the log ends, or no process has it open for writing any more. A program that accepts\n"
	"commands is asked ten times a second to write what it has recorded.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json     one JSON object on each line\n"
	"  --blocks   blocks only, without their events and records\n"
	"  --wait     wait until FILE exists, and for more although no process has it open\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Exit status: 0 success, also after an interrupt; 1 the log is incomplete or damaged (what could be read\n"
	"was printed), 2 wrong usage, 3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof follow app.mprof\n"
	"  mprof follow --json --wait app.mprof | jq 'select(.event == \"exception\")'\n";

typedef struct follow_arguments {
	int blocks_only;
	int waits;
} follow_arguments;

static int apply_follow_option(void *user, int option, const char *value)
{
	follow_arguments *arguments = user;

	(void)value;
	if (option == OPTION_BLOCKS)
		arguments->blocks_only = 1;
	else
		arguments->waits = 1;
	return 1;
}

static void follow_log(growing_log *log, const dump_form *form, int with_contents)
{
	definition_progress progress = {{0}};

	while (!growing_log_is_interrupted() && !output_is_broken() && !log->input.is_over) {
		if (dump_next_block(&log->input, form, with_contents, &progress))
			continue;
		/* All that has arrived is printed before this waits for more. */
		fflush(stdout);
		growing_log_update(log);
		growing_log_wait(log, WAIT_MS);
	}
}

int command_follow(int argc, char **argv)
{
	static const struct option options[] = {
		COMMON_OPTIONS,
		{"json", no_argument, NULL, OPTION_JSON},
		{"blocks", no_argument, NULL, OPTION_BLOCKS},
		{"wait", no_argument, NULL, OPTION_WAIT},
		{NULL, 0, NULL, 0},
	};
	static growing_log log;
	read_arguments arguments;
	follow_arguments parsed = {0, 0};
	int status = arguments_parse(&arguments, argc, argv, options, follow_help, apply_follow_option, &parsed);

	if (status >= 0)
		return status;
	growing_log_catch_signals();
	if (growing_log_open(&log, arguments.file, parsed.waits) == STATUS_OK)
		follow_log(&log, arguments.as_json ? &dump_form_json : &dump_form_text, !parsed.blocks_only);
	status = growing_log_status(&log);
	growing_log_close(&log);
	return status;
}
