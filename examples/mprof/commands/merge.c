/* SPDX-License-Identifier: MIT */
/* mprof merge: makes one log of those of several processes. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "common/merge_logs.h"
#include "shared/codec_names.h"
#include "shared/text.h"

#include <mprof/writer.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"Usage: mprof merge [--compress=HOW] --output=OUT FILE...\n\n"
	"Makes one log of those of several processes of one machine, such as the logs of 'mprof record --children'.\n"
	"In it each process has its name, its parent and its threads, and all times are those of one clock. What two\n"
	"processes share, such as the functions of a library, counts together in reports; --process selects the\n"
	"threads of one process. Of damaged logs, all sound parts are written.\n\n"
	"  -o, --output=OUT  the merged log; replaced once all is written\n"
	"  --compress=HOW    compress block by block: zstd[:LEVEL] or deflate[:LEVEL]\n"
	"  --help            this text\n"
	"  --version         the version\n\n"
	"Exit status: 0 success, 1 a log is damaged or incomplete or OUT could not be written, 2 wrong usage,\n"
	"3 a FILE is not a log, or the logs cannot be merged.\n\n"
	"Examples:\n"
	"  mprof merge -o all.mprof make.mprof make.*.mprof\n"
	"  mprof merge --compress=zstd -o all.mprof app.mprof app.*.mprof\n";

enum { OPTION_COMPRESS = OPTION_OWN };

static const struct option options[] = {
	COMMON_OPTIONS,
	{"output", required_argument, NULL, 'o'},
	{"compress", required_argument, NULL, OPTION_COMPRESS},
	{NULL, 0, NULL, 0},
};

typedef struct merge_command {
	const char *out;
	uint32_t codec;
	uint32_t level;
} merge_command;

static int apply_option(void *user, int option, const char *value)
{
	merge_command *command = user;

	if (option == 'o') {
		command->out = value;
		return 1;
	}
	if (codec_names_parse(value, &command->codec, &command->level))
		return 1;
	fprintf(stderr, "mprof: --compress: '%s' is not " CODEC_VALUES "\n", value);
	return 0;
}

static int is_same_file(const char *one, const char *other)
{
	struct stat first;
	struct stat second;

	return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static int check_files(const merge_command *command, char **files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(files[i], "-") == 0) {
			fputs("mprof: merge: logs are read twice; give files and not '-'\n", stderr);
			return 0;
		}
		if (is_same_file(files[i], command->out)) {
			text_begin_message(command->out);
			fputs("output and input are the same file; choose another name\n", stderr);
			return 0;
		}
		for (size_t other = 0; other < i; other++) {
			if (is_same_file(files[i], files[other])) {
				text_begin_message(files[i]);
				fputs("the log is given twice\n", stderr);
				return 0;
			}
		}
	}
	return 1;
}

int command_merge(int argc, char **argv)
{
	merge_command command = {NULL, MPROF_CODEC_NONE, 0};
	merged_logs result;
	int first;
	int status = arguments_parse_files(argc, argv, options, help, apply_option, &command, &first);

	if (status >= 0)
		return status;
	if (command.out == NULL || command.out[0] == '\0') {
		fputs("mprof: merge: no --output\n", stderr);
		return arguments_refuse(argv[0]);
	}
	if (!check_files(&command, argv + first, (size_t)(argc - first)))
		return STATUS_USAGE;
	return merge_logs((const char *const *)(argv + first), (size_t)(argc - first), command.out, command.codec,
			  command.level, &result);
}
