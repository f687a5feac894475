/* SPDX-License-Identifier: MIT */
/* Names and numbers threads and the process of a log. */
#include "export/thread_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Linux gives no process and no thread a number from here on. */
#define FIRST_CREATED UINT64_C(4194304)

#define LAST_NUMBER UINT64_C(0x7fffffff)

/* An entry of thread_table::threads. */
typedef struct thread_entry {
	uint64_t id;
	uint64_t index; /* Of the profile, from 1; 0: the profile does not have it. */
	uint64_t is_numbered;
} thread_entry;

static uint64_t find_pid(const mprof_profile *profile)
{
	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PROPERTIES); i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};
		uint64_t pid;

		if (mprof_profile_get_row(profile, MPROF_TABLE_PROPERTIES, i, &property) != MPROF_OK ||
		    strcmp(property.key, "pid") != 0)
			continue;
		pid = strtoull(property.value, NULL, 10);
		if (pid > 0 && pid <= LAST_NUMBER)
			return pid;
	}
	return FIRST_CREATED;
}

/* An entry of thread_table::timelines. */
typedef struct timeline_entry {
	uint64_t thread;
	uint64_t row;
} timeline_entry;

static int add_timelines(thread_table *table)
{
	const mprof_profile *profile = table->report->profile;
	mprof_timeline_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_TIMELINES); i++) {
		timeline_entry *entry;

		if (mprof_profile_get_row(profile, MPROF_TABLE_TIMELINES, i, &stats) != MPROF_OK)
			continue;
		entry = key_map_put(&table->timelines, stats.thread);
		if (entry == NULL)
			return 0;
		entry->row = i + 1;
	}
	return 1;
}

/* Whether a process before this one has the number. There are few processes. */
static int pid_is_taken(const thread_table *table, size_t count, uint64_t pid)
{
	mprof_process_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < count; i++) {
		if (mprof_profile_get_row(table->report->profile, MPROF_TABLE_PROCESSES, i, &stats) == MPROF_OK &&
		    stats.system_id == pid)
			return 1;
	}
	return 0;
}

/* Beyond these, processes get other numbers than those of the system. */
#define MAX_PIDS 1024

static int add_processes(thread_table *table)
{
	const mprof_profile *profile = table->report->profile;
	mprof_process_stats stats = {.struct_size = sizeof(stats)};

	for (size_t i = 0; i < mprof_profile_get_row_count(profile, MPROF_TABLE_PROCESSES); i++) {
		thread_process *process;

		if (mprof_profile_get_row(profile, MPROF_TABLE_PROCESSES, i, &stats) != MPROF_OK)
			continue;
		process = key_map_put(&table->processes, stats.number);
		if (process == NULL)
			return 0;
		process->index = i + 1;
		process->pid = stats.system_id;
		if (stats.system_id == 0 || stats.system_id > LAST_NUMBER || i >= MAX_PIDS ||
		    pid_is_taken(table, i, stats.system_id))
			process->pid = thread_names_table_add_row(table);
	}
	return 1;
}

thread_process *thread_names_table_find_process(thread_table *table, uint64_t number)
{
	thread_process *process = number != 0 ? key_map_put(&table->processes, number) : NULL;

	if (process != NULL && process->pid == 0)
		process->pid = thread_names_table_add_row(table);
	return process != NULL && process->pid != table->pid ? process : NULL;
}

const char *thread_names_table_name_process(const thread_table *table, const thread_process *process,
					    const char **command)
{
	mprof_process_stats stats = {.struct_size = sizeof(stats)};

	*command = NULL;
	if (process->index == 0 || mprof_profile_get_row(table->report->profile, MPROF_TABLE_PROCESSES,
							 (size_t)process->index - 1, &stats) != MPROF_OK)
		return "Process";
	if (stats.command != NULL && stats.command[0] != '\0')
		*command = stats.command;
	return stats.name != NULL && stats.name[0] != '\0' ? stats.name : "Process";
}

static int find_timeline(const thread_table *table, uint64_t thread, mprof_timeline_stats *timeline)
{
	const timeline_entry *entry = key_map_find(&table->timelines, thread);

	timeline->struct_size = sizeof(*timeline);
	return entry != NULL && mprof_profile_get_row(table->report->profile, MPROF_TABLE_TIMELINES,
						      (size_t)entry->row - 1, timeline) == MPROF_OK;
}

/* The most threads from one to the outermost of its parents; a circle has more. */
#define MAX_PARENTS 64

int thread_names_table_timeline(const thread_table *table, uint64_t thread, mprof_timeline_stats *timeline)
{
	mprof_timeline_stats parent;
	int count = 0;

	if (!find_timeline(table, thread, timeline))
		return 0;
	parent = *timeline;
	while (parent.parent != 0 && count < MAX_PARENTS && find_timeline(table, parent.parent, &parent))
		count++;
	if (count == 0 || count == MAX_PARENTS)
		timeline->parent = 0;
	return 1;
}

int thread_names_table_init(thread_table *table, const log_report *report)
{
	const size_t count = mprof_profile_get_row_count(report->profile, MPROF_TABLE_THREADS);
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	memset(table, 0, sizeof(*table));
	table->report = report;
	table->threads.value_size = sizeof(thread_entry) - sizeof(uint64_t);
	table->processes.value_size = sizeof(thread_process) - sizeof(uint64_t);
	table->timelines.value_size = sizeof(uint64_t);
	table->pid = find_pid(report->profile);
	table->last_created = FIRST_CREATED;
	for (size_t i = 0; i < count; i++) {
		thread_entry *entry;

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_THREADS, i, &stats) != MPROF_OK)
			continue;
		entry = key_map_put(&table->threads, stats.id);
		if (entry == NULL)
			return 0;
		entry->index = i + 1;
	}
	return add_timelines(table) && add_processes(table);
}

void thread_names_table_release(thread_table *table)
{
	key_map_clear(&table->threads);
	key_map_clear(&table->processes);
	key_map_clear(&table->timelines);
}

/* The name of a thread; NULL if it has none. */
static const char *find_name(const thread_table *table, const thread_entry *entry, mprof_thread_stats *stats)
{
	stats->struct_size = sizeof(*stats);
	if (entry == NULL || entry->index == 0 ||
	    mprof_profile_get_row(table->report->profile, MPROF_TABLE_THREADS, (size_t)entry->index - 1, stats) !=
		    MPROF_OK ||
	    stats->name == NULL || *stats->name == '\0')
		return NULL;
	return stats->name;
}

uint64_t thread_names_table_add_row(thread_table *table)
{
	do
		table->last_created++;
	while (key_map_find(&table->threads, table->last_created) != NULL);
	return table->last_created;
}

void thread_names_table_identify(thread_table *table, uint64_t thread, thread_identity *identity)
{
	thread_entry *entry = key_map_find(&table->threads, thread);
	mprof_thread_stats stats = {0};
	const char *name = find_name(table, entry, &stats);
	const int is_usable = thread > 0 && thread <= LAST_NUMBER && entry != NULL;

	identity->process = thread_names_table_find_process(
		table, name != NULL || (entry != NULL && entry->index != 0) ? stats.process : 0);
	identity->is_created = !is_usable || entry->is_numbered;
	identity->tid = identity->is_created ? thread_names_table_add_row(table) : thread;
	if (entry != NULL)
		entry->is_numbered = 1;
	if (name != NULL)
		snprintf(identity->name, THREAD_NAME_SIZE, "%s", name);
	else if (is_usable)
		snprintf(identity->name, THREAD_NAME_SIZE, "Thread");
	else
		snprintf(identity->name, THREAD_NAME_SIZE, "Thread 0x%" PRIx64, thread);
}

uint64_t thread_names_table_process_of(const thread_table *table, uint64_t thread)
{
	const thread_entry *entry = key_map_find(&table->threads, thread);
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	return entry != NULL && entry->index != 0 &&
			       mprof_profile_get_row(table->report->profile, MPROF_TABLE_THREADS,
						     (size_t)entry->index - 1, &stats) == MPROF_OK
		       ? stats.process
		       : 0;
}

void thread_names_table_name(const thread_table *table, uint64_t thread, char name[THREAD_NAME_SIZE])
{
	mprof_thread_stats stats;
	const char *found = find_name(table, key_map_find(&table->threads, thread), &stats);

	if (found != NULL)
		snprintf(name, THREAD_NAME_SIZE, "%s (0x%" PRIx64 ")", found, thread);
	else
		snprintf(name, THREAD_NAME_SIZE, "Thread 0x%" PRIx64, thread);
}

const char *thread_names_table_process(const log_report *report)
{
	return report->summary.program[0] != '\0' ? report->summary.program : report->input.name;
}
