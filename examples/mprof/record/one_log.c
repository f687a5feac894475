/* SPDX-License-Identifier: MIT */
/* Makes one log of those of all processes of a recorded program. */
#include "record/record.h"

#include "common/arguments.h"
#include "common/merge_logs.h"
#include "record/log_output.h"
#include "shared/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most paths that a run has grow the list a few times only. */
#define FIRST_PATHS 16

void one_log_add(void *user, const char *path, const char *name)
{
	one_log *logs = user;
	char **paths = logs->paths;

	if (path == NULL || claim_is_busy(path)) {
		text_begin_message(name);
		fputs("a process that is still running writes the log: it stays apart; 'mprof merge' adds it later\n",
		      stderr);
		return;
	}
	if (logs->count % FIRST_PATHS == 0)
		paths = realloc(paths, (logs->count + FIRST_PATHS) * sizeof(*paths));
	if (paths != NULL) {
		logs->paths = paths;
		paths[logs->count] = strdup(path);
	}
	if (paths == NULL || paths[logs->count] == NULL)
		logs->lacks_memory = 1;
	else
		logs->count++;
}

/* Gives the first log another name, since the merged one gets its own. Returns 0 after a message. */
static int move_first(one_log *logs, const char *wanted, pid_t process)
{
	char label[24];
	char *moved;
	struct stat created;

	snprintf(label, sizeof(label), "%ld", (long)process);
	moved = claim_labelled_name(wanted, label);
	if (moved != NULL && access(moved, F_OK) == 0 && claim_numbered(&moved, &created) == CLAIM_NO_MEMORY)
		moved = NULL;
	if (moved == NULL || rename(wanted, moved) != 0) {
		text_begin_message(wanted);
		fprintf(stderr, "the logs are not merged: %s\n", strerror(moved == NULL ? ENOMEM : errno));
		free(moved);
		return 0;
	}
	free(logs->paths[0]);
	logs->paths[0] = moved;
	return 1;
}

static void explain_kept(const one_log *logs, const char *wanted)
{
	text_begin_message(wanted);
	fprintf(stderr, "the %zu logs of the single processes are kept, since it does not have all of them\n",
		logs->count);
}

/* The name belongs to the first log again. */
static void move_back(one_log *logs, char *wanted)
{
	if (rename(logs->paths[0], wanted) != 0)
		return;
	free(logs->paths[0]);
	logs->paths[0] = wanted;
}

int one_log_merge(one_log *logs, pid_t process)
{
	merged_logs result;
	char *wanted;
	int status;

	if (logs->count < 2 || logs->lacks_memory)
		return logs->lacks_memory ? STATUS_DAMAGED : STATUS_OK;
	wanted = strdup(logs->paths[0]);
	if (wanted == NULL || !move_first(logs, wanted, process)) {
		free(wanted);
		return STATUS_DAMAGED;
	}
	status = merge_logs((const char *const *)logs->paths, logs->count, wanted, logs->codec, logs->level, &result);
	if (!result.is_written) {
		fputs("mprof: record: the log of each process is kept\n", stderr);
		move_back(logs, wanted);
		if (logs->paths[0] != wanted)
			free(wanted);
		return STATUS_DAMAGED;
	}
	if (!result.is_whole)
		explain_kept(logs, wanted);
	for (size_t i = 0; i < logs->count; i++) {
		if (result.is_whole)
			unlink(logs->paths[i]);
		free(logs->paths[i]);
	}
	logs->paths[0] = wanted;
	logs->count = 1;
	return status;
}

void one_log_release(one_log *logs)
{
	for (size_t i = 0; i < logs->count; i++)
		free(logs->paths[i]);
	free(logs->paths);
	memset(logs, 0, sizeof(*logs));
}
