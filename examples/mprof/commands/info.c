/* SPDX-License-Identifier: MIT */
/* mprof info: prints a summary of a log. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "common/summary.h"
#include "shared/text.h"

#include <inttypes.h>

static const char help[] =
	"Usage: mprof info [--json] FILE\n\n"
	"Prints a summary of a log: dialect, session, and the number of blocks and events of each kind.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --json       as one JSON document\n"
	"  --threads=N  threads that decode events (default: 1)\n"
	"  --help       this text\n"
	"  --version    the version\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof info app.mprof\n"
	"  mprof info --json app.mprof\n";

static void print_counts(const log_summary *summary)
{
	char text[TEXT_NUMBER_SIZE];

	puts("\nblocks");
	for (uint32_t kind = 0; kind < SUMMARY_BLOCK_KINDS; kind++) {
		if (summary->block_counts[kind] > 0)
			printf("  %-22s %14s\n", mprof_block_get_name(kind),
			       text_count(text, summary->block_counts[kind]));
	}
	if (summary->events > 0)
		puts("\nevents");
	for (uint32_t kind = 0; kind < KIND_ROOM; kind++) {
		if (summary->event_counts[kind] > 0)
			printf("  %-22s %14s\n", mprof_event_get_name(kind),
			       text_count(text, summary->event_counts[kind]));
	}
}

static void print_all(const log_summary *summary, const log_input *input, int as_json)
{
	json_writer json;

	if (as_json) {
		json_init(&json, stdout, 0);
		json_begin_document(&json);
		summary_print_json(summary, input, &json);
		json_end_object(&json);
	} else {
		summary_print_text(summary, input, stdout);
		print_counts(summary);
	}
}

int command_info(int argc, char **argv)
{
	static log_summary summary;
	read_arguments arguments;
	log_input input;
	int status = arguments_parse_simple(&arguments, argc, argv, help);

	if (status >= 0)
		return status;
	if (input_open(&input, arguments.file, 0) == STATUS_OK) {
		summary_read(&summary, &input);
		print_all(&summary, &input, arguments.as_json);
	}
	status = input.status;
	input_close(&input);
	return status;
}
