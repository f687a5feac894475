/* SPDX-License-Identifier: MIT */
/**
 * \file shared/losses.h
 * \brief Data that a dialect cannot represent, by kind. Also used by the module for Mono.
 */
#ifndef SHARED_LOSSES_H
#define SHARED_LOSSES_H

#include <mprof/writer.h>

#include <stddef.h>

/** Counts of one category, by kind. */
typedef struct loss_list {
	const char *key;    /**< JSON key. */
	const char *what;   /**< Noun for messages. */
	const char *became; /**< What happened to the data; the dialect's name follows. */
	const uint64_t *counts;
	size_t count;
	const char *(*name)(uint32_t kind);
} loss_list;

#define LOSS_LISTS 5

/** Lists all categories. The counts point into \p stats. */
void losses_list(const mprof_writer_stats *stats, loss_list lists[LOSS_LISTS]);

/** The number of losses without a kind, such as directives. */
uint64_t losses_of_no_kind(const mprof_writer_stats *stats, const loss_list lists[LOSS_LISTS]);

/** Prints a line for each kind on standard error; nothing if there is no loss. \p name: the file that was written. */
void losses_print(const mprof_writer_stats *stats, const char *name, mprof_dialect dialect);

#endif
