/* SPDX-License-Identifier: MIT */
/* mprof dump: prints everything in a log, in file order. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/input.h"
#include "dump/dump.h"
#include "common/output.h"

#include <stdio.h>
#include <unistd.h>

static const char help[] =
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

enum { OPTION_BLOCKS = OPTION_OWN };

static void dump_blocks(log_input *input, const dump_form *form, int with_contents)
{
	definition_progress progress = {{0}};

	while (!output_is_broken() && dump_next_block(input, form, with_contents, &progress))
		;
}

static int apply_option(void *user, int option, const char *value)
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
	int status = arguments_parse(&arguments, argc, argv, options, help, apply_option, &with_contents);

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
