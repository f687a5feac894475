/* SPDX-License-Identifier: MIT */
/* mprof decode: prints the text of the decoder that came with Mono's first profilers. */
#include "common/arguments.h"
#include "commands/commands.h"
#include "decode/decode.h"
#include "shared/text.h"

#include <stdio.h>

static const char help[] =
	"Usage: mprof decode FILE\n\n"
	"Prints a log like mprof-decoder, the decoder that came with the profiler of Mono 2: the same sections,\n"
	"layout and wording, and the same numbers where they are correct. Reads every dialect, and truncated logs.\n"
	"FILE may be '-' and may be compressed with gzip.\n\n"
	"  --help     this text\n"
	"  --version  the version\n\n"
	"Exit status: 0 success, 1 the log is incomplete or damaged (what could be read was printed), 2 wrong usage,\n"
	"3 not a log or nothing could be read.\n\n"
	"Examples:\n"
	"  mprof decode app.mprof\n";

static const struct option options[] = {
	COMMON_OPTIONS,
	{NULL, 0, NULL, 0},
};

static void print_all(log_decode *decode)
{
	decode_allocations(decode);
	decode_calls(decode);
	decode_compilations(decode);
	decode_samples(decode);
	decode_monitors(decode);
	decode_collections(decode);
	decode_summaries(decode);
	decode_heap(decode);
}

int command_decode(int argc, char **argv)
{
	static log_decode decode;
	read_arguments arguments;
	int status = arguments_parse(&arguments, argc, argv, options, help, NULL, NULL);

	if (status >= 0)
		return status;
	status = decode_read(&decode, arguments.file);
	if (status != STATUS_NOTHING)
		print_all(&decode);
	if (decode.has_failed) {
		text_begin_message(decode.input.name);
		fprintf(stderr, "%s\n", mprof_status_get_text(MPROF_ERR_MEMORY));
		status = status == STATUS_OK ? STATUS_DAMAGED : status;
	}
	decode_release(&decode);
	return status;
}
