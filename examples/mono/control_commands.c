/* SPDX-License-Identifier: MIT */
/* Parses commands and formats their answers. */
#include "control_commands.h"

#include "control_actions.h"
#include "control_changes.h"
#include "options_words.h"

#include "shared/control_cost.h"

#include <errno.h>
#include <inttypes.h>
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

static void add_status(MonoProfiler *profiler, command_reply *reply)
{
	char kinds[OPTIONS_KINDS_SIZE];

	options_describe_kinds(profiler_kinds(profiler), kinds, sizeof(kinds));
	control_reply_add(reply, "pid=%ld", (long)getpid());
	control_reply_add(reply, "recording=%s",
			  mprof_recorder_is_enabled(profiler->recorder) ? "enabled" : "disabled");
	control_reply_add(reply, "kinds=%s", kinds);
	control_reply_add(reply, "log=%s", profiler->full_path);
	if (profiler->options.ring_bytes != 0)
		control_reply_add(reply, "ring_bytes=%" PRIu64, profiler->options.ring_bytes);
	control_changes_describe(profiler, reply);
	control_reply_add_counts(reply, profiler->recorder);
}

static void run_command(MonoProfiler *profiler, const char *line, command_reply *reply)
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
	else if (strcmp(line, "cost") == 0)
		control_cost_add(reply, profiler->recorder);
	else if (control_change(profiler, line, reply, &failure))
		;
	else if (strncmp(line, "mark ", 5) == 0 && line[5] != '\0')
		failure = control_mark(profiler, line + 5);
	else
		failure = "unknown command; the commands are enable, disable, flush, heapshot, status, cost, sample, "
			  "alloc, calls, only, not and mark TEXT";
	control_reply_end(reply, failure);
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

static void run_classic_command(MonoProfiler *profiler, const char *line, command_reply *reply)
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

void control_command(void *profiler, const char *line, int is_classic, command_reply *reply)
{
	(is_classic ? run_classic_command : run_command)(profiler, line, reply);
}
