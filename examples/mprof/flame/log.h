/* SPDX-License-Identifier: MIT */
/**
 * \file flame/log.h
 * \brief The call stacks of one log, and notes about the log as a whole.
 */
#ifndef FLAME_LOG_H
#define FLAME_LOG_H

#include "export/stack_tree.h"

typedef struct flame_log {
	const char *name; /**< As given. Borrowed. */
	stack_tree *tree;
	char program[256];
	sampling_facts sampling;
	char *header;   /**< Lines about the log. */
	char *warnings; /**< Lines about what is missing or estimated; "" if nothing is. */
} flame_log;

/**
 * Reads a log and makes its tree. Returns an exit status; with #STATUS_NOTHING, a message was printed. Call
 * flame_log_release() in any case.
 */
int flame_log_read(flame_log *log, const char *path, const report_options *options, export_value value,
		   uint64_t heap_shot);
void flame_log_release(flame_log *log);

#endif
