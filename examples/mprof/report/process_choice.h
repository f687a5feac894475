/* SPDX-License-Identifier: MIT */
/**
 * \file report/process_choice.h
 * \brief The processes of a log that an option chooses, and their threads.
 */
#ifndef REPORT_PROCESS_CHOICE_H
#define REPORT_PROCESS_CHOICE_H

#include <stddef.h>
#include <stdint.h>

typedef struct process_choice {
	const char *wanted; /**< A name, or a number of the log or of the operating system; NULL: all processes. */
	uint64_t *processes;
	size_t process_count;
	uint64_t *threads; /**< In ascending order. */
	size_t thread_count;
} process_choice;

/**
 * Finds the processes and their threads. Prints a message if there are none. Returns STATUS_OK, STATUS_USAGE if the
 * log has no such process, or STATUS_NOTHING. \p path can be opened again.
 */
int process_choice_read(process_choice *choice, const char *path);
void process_choice_release(process_choice *choice);

/** Whether a thread is one of those that were chosen, or all are. */
int process_choice_has(const process_choice *choice, uint64_t thread);

#endif
