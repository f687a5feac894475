/* SPDX-License-Identifier: MIT */
/* mprof follow: prints a log while its program writes it. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/output.h"
#include "dump/dump.h"
#include "live/growing_log.h"

#include <stdio.h>

#define WAIT_MS 100

static const char help[] =
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

enum { OPTION_BLOCKS = OPTION_OWN, OPTION_WAIT };

typedef struct follow_arguments {
	int blocks_only;
	int waits;
} follow_arguments;

static int apply_option(void *user, int option, const char *value)
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
	int status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &parsed);

	if (status >= 0)
		return status;
	growing_log_catch_signals();
	if (growing_log_open(&log, arguments.file, parsed.waits) == STATUS_OK)
		follow_log(&log, arguments.as_json ? &dump_form_json : &dump_form_text, !parsed.blocks_only);
	status = growing_log_status(&log);
	growing_log_close(&log);
	return status;
}
