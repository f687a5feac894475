/* SPDX-License-Identifier: MIT */
/* Follows a log while its program runs. */
#include "live/growing_log.h"

#include "common/exit_status.h"
#include "live/part_log.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SEARCH_INTERVAL_NS UINT64_C(1000000000)
#define OPEN_INTERVAL_MS 50

static volatile sig_atomic_t is_interrupted;

static void note_signal(int number)
{
	(void)number;
	is_interrupted = 1;
}

void growing_log_catch_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = note_signal;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int growing_log_is_interrupted(void)
{
	return is_interrupted;
}

uint64_t growing_log_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void growing_log_sleep(unsigned milliseconds)
{
	struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};

	if (!is_interrupted)
		nanosleep(&time, NULL);
}

static void search_writer(growing_log *log)
{
	if (log_writer_find(&log->writer, log->input.fd))
		flush_requests_open(&log->flushes, log->writer.process);
	log->next_search_ns = growing_log_clock() + SEARCH_INTERVAL_NS;
}

int growing_log_open(growing_log *log, const char *path, int waits)
{
	part_search search;

	memset(log, 0, sizeof(*log));
	log->path = path;
	log->waits_forever = waits;
	log->flushes.connection.fd = -1;
	while (waits && strcmp(path, "-") != 0 && access(path, F_OK) != 0 && !is_interrupted)
		growing_log_sleep(OPEN_INTERVAL_MS);
	/* While mprof record runs the program, its log may have the name of a part. */
	while ((search = part_log_find(path, log->part, sizeof(log->part))) == PART_SOON && !is_interrupted)
		growing_log_sleep(OPEN_INTERVAL_MS);
	if (input_open_growing(&log->input, search == PART_FOUND ? log->part : path) != STATUS_OK)
		return STATUS_NOTHING;
	log->input.name = path;
	if (log->input.is_file)
		search_writer(log);
	return STATUS_OK;
}

/* Whether the writer of a file is gone. Bytes that it has written before may still be unread. */
static int is_writer_gone(growing_log *log)
{
	if (log_writer_is_there(&log->writer))
		return 0;
	if (log->waits_forever && growing_log_clock() < log->next_search_ns)
		return 0;
	/* Another process may have inherited the descriptor. */
	flush_requests_close(&log->flushes);
	search_writer(log);
	return log->writer.process == 0 && !log->waits_forever;
}

static int is_shorter_than_read(const growing_log *log)
{
	struct stat status;
	off_t position = lseek(log->input.fd, 0, SEEK_CUR);

	return fstat(log->input.fd, &status) == 0 && position > status.st_size;
}

void growing_log_update(growing_log *log)
{
	if (log->is_finished || log->input.is_over)
		return;
	if (!log->input.is_file) {
		log->is_finished = log->input.is_source_over;
	} else if (is_shorter_than_read(log)) {
		input_failed(&log->input, log->input.reached, MPROF_ERR_TRUNCATED,
			     "the file was truncated or replaced while it was read");
		return;
	} else {
		log->is_finished = is_writer_gone(log);
		if (!log->is_finished)
			flush_requests_update(&log->flushes, growing_log_clock());
	}
	if (log->is_finished)
		(void)mprof_reader_finish(log->input.reader);
}

void growing_log_wait(growing_log *log, unsigned milliseconds)
{
	struct pollfd source = {log->input.fd, POLLIN, 0};

	if (log->is_finished || log->input.is_over || is_interrupted)
		return;
	/* A file is always ready. */
	if (log->input.is_file)
		growing_log_sleep(milliseconds);
	else
		(void)poll(&source, 1, (int)milliseconds);
}

int growing_log_status(const growing_log *log)
{
	if (growing_log_is_interrupted())
		return STATUS_OK;
	return log->input.status != STATUS_OK && log->input.reached == 0 ? STATUS_NOTHING : log->input.status;
}

void growing_log_close(growing_log *log)
{
	flush_requests_close(&log->flushes);
	input_close(&log->input);
}
