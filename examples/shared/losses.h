/* SPDX-License-Identifier: MIT */
/**
 * \file common/losses.h
 * \brief What a dialect could not say of a log, by kind. The module for Mono says it too.
 */
#ifndef LOSSES_H
#define LOSSES_H

#include <mprof/writer.h>

#include <stddef.h>

/** Counts of one sort, by kind. */
typedef struct loss_list {
	const char *key;    /**< In JSON. */
	const char *what;   /**< For people: what each of them is. */
	const char *became; /**< What became of it; the dialect's name stands behind it. */
	const uint64_t *counts;
	size_t count;
	const char *(*name)(uint32_t kind);
} loss_list;

#define LOSS_LISTS 5

/** All sorts that there are. The counts stay those of \p stats. */
void losses_list(const mprof_writer_stats *stats, loss_list lists[LOSS_LISTS]);

/** Those that belong to no kind, such as what was to be declared. */
uint64_t losses_of_no_kind(const mprof_writer_stats *stats, const loss_list lists[LOSS_LISTS]);

/** A line for each kind on standard error; nothing if there is none. \p name: the file that was written. */
void losses_print(const mprof_writer_stats *stats, const char *name, mprof_dialect dialect);

#endif
