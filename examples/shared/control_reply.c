/* SPDX-License-Identifier: MIT */
/* Formats the answers to commands. */
#include "control_reply.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
