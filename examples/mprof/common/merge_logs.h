/* SPDX-License-Identifier: MIT */
/**
 * \file common/merge_logs.h
 * \brief Merges the logs of several processes into one file.
 */
#ifndef COMMON_MERGE_LOGS_H
#define COMMON_MERGE_LOGS_H

#include <mprof/writer.h>

#include <stddef.h>

typedef struct merged_logs {
	mprof_writer_stats stats;
	int is_written; /**< The merged log has its name. */
	int is_whole;   /**< Everything that the logs have is in the merged log: they are not needed any more. */
} merged_logs;

/**
 * Merges logs into \p out, which gets its name when it is complete and synced to disk, and may be one of them. \p codec
 * and \p level: how blocks are compressed, as in mprof_writer_options. Prints what is wrong with each log, and what is
 * left out. Returns the exit status.
 */
int merge_logs(const char *const *paths, size_t count, const char *out, uint32_t codec, uint32_t level,
	       merged_logs *result);

#endif
