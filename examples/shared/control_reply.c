/* SPDX-License-Identifier: MIT */
/* Replies to requests, and what recording costs. */
#include "shared/control_reply.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Room for the last line. */
#define LAST_LINE_SIZE 256

void control_reply_add(command_reply *reply, const char *format, ...)
{
	size_t room = sizeof(reply->text) - LAST_LINE_SIZE - reply->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(reply->text + reply->length, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length + 1 >= room)
		return;
	/* A line feed in a value, such as a path, would start another line. */
	for (int i = 0; i < length; i++)
		if (reply->text[reply->length + (size_t)i] == '\n')
			reply->text[reply->length + (size_t)i] = '?';
	reply->length += (size_t)length;
	reply->text[reply->length++] = '\n';
}

void control_reply_add_counts(command_reply *reply, mprof_recorder *recorder)
{
	mprof_recorder_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	if (mprof_recorder_get_stats(recorder, &stats) != MPROF_OK)
		return;
	control_reply_add(reply, "events=%" PRIu64, stats.events);
	control_reply_add(reply, "samples=%" PRIu64, stats.samples);
	control_reply_add(reply, "heap_shots=%" PRIu64, stats.heap_shots);
	control_reply_add(reply, "bytes=%" PRIu64, stats.bytes);
	control_reply_add(reply, "lost_events=%" PRIu64, stats.lost_events);
	if (stats.status != MPROF_OK)
		control_reply_add(reply, "error=%s",
				  stats.system_error != 0 ? strerror(stats.system_error)
							  : mprof_status_get_text((mprof_status)stats.status));
}

void control_reply_end(command_reply *reply, const char *failure)
{
	size_t room = sizeof(reply->text) - reply->length;
	int length = failure == NULL ? snprintf(reply->text + reply->length, room, "DONE\n")
				     : snprintf(reply->text + reply->length, room, "ERROR %.200s\n", failure);

	if (length > 0)
		reply->length += (size_t)length;
}

/* The name that the recorder gives its writer thread, with the line feed of the system's file. */
#define WRITER_NAME "mprof-writer\n"

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec : 0;
}

/* Reads the first line of a file of a thread of this process. Returns 0 if it cannot be read. */
static int read_line(const char *thread, const char *file, char *line, size_t size)
{
	char path[64];
	FILE *stream;
	int is_read;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/%s", thread, file);
	stream = fopen(path, "re");
	if (stream == NULL)
		return 0;
	is_read = fgets(line, (int)size, stream) != NULL;
	fclose(stream);
	return is_read;
}

/* Reads the processor time of the writer thread. Returns 0 if it is unknown. */
static int writer_time(uint64_t *time_ns)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *entry;
	char line[128];
	int is_found = 0;

	while (threads != NULL && !is_found && (entry = readdir(threads)) != NULL)
		is_found = read_line(entry->d_name, "comm", line, sizeof(line)) && strcmp(line, WRITER_NAME) == 0 &&
			   read_line(entry->d_name, "schedstat", line, sizeof(line)) &&
			   sscanf(line, "%" SCNu64, time_ns) == 1;
	if (threads != NULL)
		closedir(threads);
	return is_found;
}

void control_cost_add(command_reply *reply, mprof_recorder *recorder)
{
	mprof_recorder_stats stats;
	uint64_t writer_ns;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	if (mprof_recorder_get_stats(recorder, &stats) != MPROF_OK)
		return;
	control_reply_add(reply, "time_ns=%" PRIu64, read_clock(CLOCK_MONOTONIC));
	control_reply_add(reply, "events=%" PRIu64, stats.events);
	control_reply_add(reply, "bytes=%" PRIu64, stats.bytes);
	control_reply_add(reply, "lost_events=%" PRIu64, stats.lost_events);
	control_reply_add(reply, "waits=%" PRIu64, stats.waits);
	control_reply_add(reply, "cpu_ns=%" PRIu64, read_clock(CLOCK_PROCESS_CPUTIME_ID));
	if (writer_time(&writer_ns))
		control_reply_add(reply, "writer_cpu_ns=%" PRIu64, writer_ns);
}
