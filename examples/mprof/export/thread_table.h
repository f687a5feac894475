/* SPDX-License-Identifier: MIT */
/**
 * \file export/thread_table.h
 * \brief Names and numbers of the threads of a log, and of its processes, for formats with single events.
 *
 * A thread has the number that the system gave it, if its ID in the log is that, so that a trace can be merged with one
 * of the system, and viewers find the main thread. The formats have room for 31 bits. Other IDs, such as addresses, and
 * a thread that has an ID after another one, get a number that no thread of Linux has.
 */
#ifndef EXPORT_THREAD_TABLE_H
#define EXPORT_THREAD_TABLE_H

#include "report/report.h"
#include "shared/key_map.h"

/** Size of the name of a thread, with the null byte; longer names are truncated. */
#define THREAD_NAME_SIZE 512

typedef struct thread_table {
	const log_report *report;
	key_map threads; /**< By ID: where the profile has the thread. */
	uint64_t pid;    /**< Of the process; if the log does not state it, a number that no process of Linux has. */
	uint64_t last_created; /**< The last number that is not from the system. */
	key_map processes;     /**< Those that the log describes, by number: #thread_process. */
	key_map timelines;     /**< By thread: the row of its timeline, from 1. */
} thread_table;

/** A process that the log describes, or that a thread belongs to. */
typedef struct thread_process {
	uint64_t number;
	uint64_t pid;      /**< thread_table::pid if it is the recorded one. Two processes have not the same. */
	uint64_t index;    /**< Of the profile, from 1; 0 if it is not described. */
	uint64_t is_noted; /**< For the format: 1 once it is in the trace. */
} thread_process;

typedef struct thread_identity {
	uint64_t tid;
	thread_process *process; /**< NULL: the recorded one. Valid until another thread is identified. */
	int is_created;          /**< The number is not that of the system. */
	/** The name, "Thread" if it has none, and also the ID if that is not its number and it has no name. */
	char name[THREAD_NAME_SIZE];
} thread_identity;

/** The report is borrowed. Returns 0 if out of memory. Call thread_names_table_release() in both cases. */
int thread_names_table_init(thread_table *table, const log_report *report);
void thread_names_table_release(thread_table *table);

/** Gives a thread a number, a different one each time. */
void thread_names_table_identify(thread_table *table, uint64_t thread, thread_identity *identity);

/**
 * The description of a thread by the log. Its parent is 0 if that is not described, or if parents lead in a circle.
 * Returns 0 if the log does not describe the thread.
 */
int thread_names_table_timeline(const thread_table *table, uint64_t thread, mprof_timeline_stats *timeline);

/** The process of a thread by its number in the log; 0 if the log does not state it. */
uint64_t thread_names_table_process_of(const thread_table *table, uint64_t thread);

/** A process by its number in the log; NULL for the recorded one, and if out of memory. */
thread_process *thread_names_table_find_process(thread_table *table, uint64_t number);

/** The name of a process, and its command line, NULL if that is not known. */
const char *thread_names_table_name_process(const thread_table *table, const thread_process *process,
					    const char **command);

/** A number for a row that is no thread. */
uint64_t thread_names_table_add_row(thread_table *table);

/** The name with the ID, for formats without numbers of threads, because several threads may have the same name. */
void thread_names_table_name(const thread_table *table, uint64_t thread, char name[THREAD_NAME_SIZE]);

/** The name of the process: the program, or the log if it does not state the program. */
const char *thread_names_table_process(const log_report *report);

#endif
