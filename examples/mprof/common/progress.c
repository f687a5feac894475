/* SPDX-License-Identifier: MIT */
/* Shows on a terminal how much of a log has been read. */
#include "common/progress.h"

#include "shared/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int is_reached(const struct timespec *now, const struct timespec *deadline)
{
	return now->tv_sec > deadline->tv_sec || (now->tv_sec == deadline->tv_sec && now->tv_nsec >= deadline->tv_nsec);
}

void progress_start(progress_line *progress, const char *name, uint64_t total)
{
	progress->name = name;
	progress->total = total;
	progress->done = 0;
	progress->is_wanted = isatty(STDERR_FILENO);
	progress->is_shown = 0;
	clock_gettime(CLOCK_MONOTONIC, &progress->next);
	progress->next.tv_sec++;
}

void progress_add(progress_line *progress, uint64_t bytes)
{
	const long interval = 200000000;
	struct timespec now;

	progress->done += bytes;
	if (!progress->is_wanted)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!is_reached(&now, &progress->next))
		return;
	progress->next = now;
	progress->next.tv_nsec += interval;
	if (progress->next.tv_nsec >= 1000000000) {
		progress->next.tv_nsec -= 1000000000;
		progress->next.tv_sec++;
	}
	fputc('\r', stderr);
	text_begin_message(progress->name);
	if (progress->total > 0)
		fprintf(stderr, "%" PRIu64 " %% read\033[K", progress->done * 100 / progress->total);
	else
		fprintf(stderr, "%" PRIu64 " MB read\033[K", progress->done / 1000000);
	progress->is_shown = 1;
}

void progress_hide(progress_line *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = 0;
}
