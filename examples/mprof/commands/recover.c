/* SPDX-License-Identifier: MIT */
/* mprof recover: completes the log of a program that was killed. */
#include "commands/commands.h"
#include "common/arguments.h"
#include "shared/salvage.h"

#include <mprof/recorder.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"Usage: mprof recover [OPTION] FILE\n\n"
	"Completes the log FILE of a program that was killed, from the file FILE.salvage, in which the program kept "
	"what\n"
	"it had not written yet: events, samples, names, the contents of a ring. The log then has an end, and "
	"FILE.salvage\n"
	"is removed. 'mprof record' does this itself when the program ends. If FILE is a salvage file, the log is the "
	"one\n"
	"that it names.\n\n"
	"Both files are verified first: what is damaged, another file, or the log of another recording is refused and "
	"not\n"
	"changed.\n\n"
	"  --log=FILE  the log, if it is not at the path in the salvage file\n"
	"  --help      this text\n"
	"  --version   the version\n\n"
	"Exit status: 0 the log is complete, 1 it is complete but events are lost, 2 wrong usage, 3 nothing could be\n"
	"recovered.\n\n"
	"Examples:\n"
	"  mprof recover app.mprof\n"
	"  mprof recover --log=moved/app.mprof app.mprof.salvage\n";

enum { OPTION_LOG = OPTION_OWN };

static const struct option options[] = {
	COMMON_OPTIONS, {"log", required_argument, NULL, OPTION_LOG}, {NULL, 0, NULL, 0}};

static int take_option(void *user, int option, const char *value)
{
	const char **log = user;

	if (option == OPTION_LOG)
		*log = value;
	return 1;
}

static int ends_with_suffix(const char *path)
{
	size_t length = strlen(path);
	size_t suffix = strlen(SALVAGE_SUFFIX);

	return length > suffix && strcmp(path + length - suffix, SALVAGE_SUFFIX) == 0;
}

static int report_failure(const char *name, const mprof_error *error)
{
	fprintf(stderr, "mprof: %s: ", name);
	if (error->status == MPROF_ERR_MALFORMED || error->status == MPROF_ERR_CHECKSUM)
		fprintf(stderr, "at byte %" PRIu64 " of the %s: ", error->offset,
			error->status == MPROF_ERR_CHECKSUM ? "log" : "salvage file");
	fprintf(stderr, "%s%s%s\n", error->what, error->system_error != 0 ? ": " : "",
		error->system_error != 0 ? strerror(error->system_error) : "");
	return STATUS_NOTHING;
}

static int recover(const char *name, const char *log)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_recovery_options options;
	mprof_error error = {.struct_size = sizeof(error)};
	char beside[SALVAGE_PATH_MAX];
	/* With --log, the other file is a salvage file whatever its name is. */
	int is_salvage_file = log != NULL || ends_with_suffix(name);
	mprof_status status;

	if (!is_salvage_file && !salvage_path_of(name, beside)) {
		fprintf(stderr, "mprof: %s: %s\n", name, strerror(ENAMETOOLONG));
		return STATUS_NOTHING;
	}
	mprof_recovery_options_init(&options, sizeof(options));
	options.log_path = is_salvage_file ? log : name;
	status = mprof_recorder_recover(is_salvage_file ? name : beside, &options, &recovery, &error);
	if (status == MPROF_ERR_IO && error.system_error == ENOENT && !is_salvage_file && access(beside, F_OK) != 0) {
		fprintf(stderr, "mprof: %s: nothing to recover: there is no %s\n", name, beside);
		return STATUS_NOTHING;
	}
	if (status != MPROF_OK)
		return report_failure(name, &error);
	if (recovery.was_complete)
		printf("%s: the log was complete\n", name);
	else
		printf("%s: %" PRIu64 " events salvaged, %" PRIu64 " lost, %" PRIu64 " bytes\n", name, recovery.events,
		       recovery.lost_events, recovery.log_bytes);
	return recovery.lost_events > 0 ? STATUS_DAMAGED : STATUS_OK;
}

int command_recover(int argc, char **argv)
{
	read_arguments arguments;
	const char *log = NULL;
	int status = arguments_parse(&arguments, argc, argv, options, help, take_option, &log);

	return status >= 0 ? status : recover(arguments.file, log);
}
