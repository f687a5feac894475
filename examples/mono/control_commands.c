/* SPDX-License-Identifier: MIT */
/* Parses commands and formats their answers. */
#include "control_commands.h"

#include "control_actions.h"
#include "options_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct named_action {
	const char *name;
	const char *(*act)(MonoProfiler *profiler);
} named_action;

static const named_action actions[] = {
	{"enable", control_enable},
	{"disable", control_disable},
	{"flush", control_flush},
	{"heapshot", control_heapshot},
};

static const named_action classic_actions[] = {
	{"enable", control_enable},
	{"disable", control_disable},
	{"heap-snapshot", control_heapshot},
};

static const named_action *find_action(const named_action *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, list[i].name) == 0)
			return &list[i];
	return NULL;
}

/* Text that does not fit is dropped, except the last line of an answer, for which room is reserved. */
__attribute__((format(printf, 2, 3))) static void add_line(command_reply *reply, const char *format, ...)
{
	size_t room = sizeof(reply->text) - OPTIONS_MESSAGE_SIZE - reply->length;
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

static void add_result(command_reply *reply, const char *failure)
{
	size_t room = sizeof(reply->text) - reply->length;
	int length = failure == NULL ? snprintf(reply->text + reply->length, room, "DONE\n")
				     : snprintf(reply->text + reply->length, room, "ERROR %.200s\n", failure);

	if (length > 0)
		reply->length += (size_t)length;
}

static void add_counts(MonoProfiler *profiler, command_reply *reply)
{
	mprof_recorder_stats stats;

	memset(&stats, 0, sizeof(stats));
	stats.struct_size = sizeof(stats);
	if (mprof_recorder_get_stats(profiler->recorder, &stats) != MPROF_OK)
		return;
	add_line(reply, "events=%" PRIu64, stats.events);
	add_line(reply, "samples=%" PRIu64, stats.samples);
	add_line(reply, "heap_shots=%" PRIu64, stats.heap_shots);
	add_line(reply, "bytes=%" PRIu64, stats.bytes);
	add_line(reply, "lost_events=%" PRIu64, stats.lost_events);
	if (stats.status != MPROF_OK)
		add_line(reply, "error=%s",
			 stats.system_error != 0 ? strerror(stats.system_error)
						 : mprof_status_get_text((mprof_status)stats.status));
}

static void add_status(MonoProfiler *profiler, command_reply *reply)
{
	char kinds[OPTIONS_KINDS_SIZE];

	options_describe_kinds(profiler->options.kinds, kinds, sizeof(kinds));
	add_line(reply, "pid=%ld", (long)getpid());
	add_line(reply, "recording=%s", mprof_recorder_is_enabled(profiler->recorder) ? "enabled" : "disabled");
	add_line(reply, "kinds=%s", kinds);
	add_line(reply, "log=%s", profiler->full_path);
	if (profiler->options.ring_bytes != 0)
		add_line(reply, "ring_bytes=%" PRIu64, profiler->options.ring_bytes);
	add_counts(profiler, reply);
}

void control_command(MonoProfiler *profiler, const char *line, command_reply *reply)
{
	const named_action *action = find_action(actions, sizeof(actions) / sizeof(actions[0]), line);
	const char *failure = NULL;

	reply->length = 0;
	if (atomic_load(&profiler->ended))
		failure = "the log is closed";
	else if (action != NULL)
		failure = action->act(profiler);
	else if (strcmp(line, "status") == 0)
		add_status(profiler, reply);
	else if (strncmp(line, "mark ", 5) == 0 && line[5] != '\0')
		failure = control_mark(profiler, line + 5);
	else
		failure = "unknown command; the commands are enable, disable, flush, heapshot, status and mark TEXT";
	add_result(reply, failure);
}

static int set_shot_counter(MonoProfiler *profiler, const char *value)
{
	char *end;
	long long count;

	if (strcmp(value, "all") == 0)
		return control_set_heap_shots(profiler, -1) == NULL;
	if (strcmp(value, "none") == 0)
		return control_set_heap_shots(profiler, 0) == NULL;
	errno = 0;
	count = strtoll(value, &end, 10);
	return value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 &&
	       control_set_heap_shots(profiler, count) == NULL;
}

void control_classic_command(MonoProfiler *profiler, const char *line, command_reply *reply)
{
	static const char counter[] = "heap-snapshot-counter=";
	const named_action *action =
		find_action(classic_actions, sizeof(classic_actions) / sizeof(classic_actions[0]), line);
	int done = 0;

	if (atomic_load(&profiler->ended))
		done = 0;
	else if (action != NULL)
		done = action->act(profiler) == NULL;
	else if (strncmp(line, counter, sizeof(counter) - 1) == 0)
		done = set_shot_counter(profiler, line + sizeof(counter) - 1);
	reply->length = (size_t)snprintf(reply->text, sizeof(reply->text), "%s", done ? "DONE\n" : "ERROR\n");
}
