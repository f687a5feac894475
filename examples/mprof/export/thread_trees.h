/* SPDX-License-Identifier: MIT */
/**
 * \file export/thread_trees.h
 * \brief The call stacks of each thread of a log on its own, for formats that name the thread of a call stack.
 *
 * The profile of a log adds up all threads, so the log is read once more for each of them, without its other blocks.
 */
#ifndef EXPORT_THREAD_TREES_H
#define EXPORT_THREAD_TREES_H

#include "export/stack_tree.h"
#include "export/targets.h"

/** With more threads, the trees would take too much memory. */
#define THREAD_TREES_MAX 64

/** Size of the name of a thread with its ID, in bytes. */
#define THREAD_LABEL_SIZE 160

/** Bytes to read for the trees of all threads without export_job::by_thread. */
#define THREAD_TREES_MAX_BYTES UINT64_C(256000000)

typedef struct thread_tree {
	char label[THREAD_LABEL_SIZE];    /**< The ID, and the name if it has one. */
	stack_tree *trees[EXPORT_VALUES]; /**< By value; NULL if the thread has no such data. */
} thread_tree;

/** Initialized with 0. */
typedef struct thread_trees {
	thread_tree *threads;
	size_t thread_count; /**< 0 if they are not known: there is only one, or the log is too large. */
} thread_trees;

/** The only thread of the report as a label, for #THREAD_LABEL_SIZE bytes; "" if there are several. */
void thread_trees_only_label(const export_job *job, const log_report *report, char label[THREAD_LABEL_SIZE]);

/** Makes the trees of a log with several threads. Returns 0 if out of memory; call thread_trees_release() anyway. */
int thread_trees_read(thread_trees *set, const export_job *job, const log_report *report);

/** Whether the trees of all threads add up to the tree of the whole log. */
int thread_trees_add_up(const thread_trees *set, const stack_tree *whole);

void thread_trees_release(thread_trees *set);

#endif
