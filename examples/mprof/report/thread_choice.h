/* SPDX-License-Identifier: MIT */
/**
 * \file report/thread_choice.h
 * \brief The threads of a log that options choose: by their own ID or name, and by their process.
 */
#ifndef REPORT_THREAD_CHOICE_H
#define REPORT_THREAD_CHOICE_H

#include <stddef.h>
#include <stdint.h>

typedef struct thread_choice {
	const char *wanted;         /**< An ID, a name, or a pattern of names; NULL: all threads. */
	const char *wanted_process; /**< A name, a pattern of names, or a number of the log or of the operating
	                                 system; NULL: all processes. */
	uint64_t *threads;          /**< Those of \ref wanted, in ascending order. */
	size_t thread_count;
	uint64_t *processes;
	size_t process_count;
	uint64_t *process_threads; /**< Those of the processes, in ascending order. */
	size_t process_thread_count;
	int is_found; /**< The lists were made. */
} thread_choice;

/** Whether thread_choice_find() reads the log, which then has to be one that can be opened again. */
int thread_choice_reads_log(const thread_choice *choice);

/**
 * Finds the threads and processes, unless they were found before. Prints a message if there are none. Returns
 * STATUS_OK, STATUS_USAGE if the log has no such thread or process, or STATUS_NOTHING. Call thread_choice_release() in
 * all cases.
 */
int thread_choice_find(thread_choice *choice, const char *path);
void thread_choice_release(thread_choice *choice);

/** Chooses one thread, which is borrowed, in addition to the process. Not for thread_choice_release(). */
void thread_choice_only(thread_choice *choice, uint64_t *thread);

/** Whether the choice is a single ID, which need not exist in the log. */
int thread_choice_is_id(const thread_choice *choice);

/** Whether a thread is one of those that were chosen by themselves, or all are. */
int thread_choice_names(const thread_choice *choice, uint64_t thread);

/** Whether a thread is one of those that were chosen by themselves and by their process, or all are. */
int thread_choice_has(const thread_choice *choice, uint64_t thread);

#endif
