/* SPDX-License-Identifier: MIT */
/**
 * \file live/part_log.h
 * \brief The part to which a program writes its log while mprof record runs it.
 */
#ifndef LIVE_PART_LOG_H
#define LIVE_PART_LOG_H

#include <stddef.h>

typedef enum part_search {
	PART_NONE,  /**< The log is at its own path, or there is none. */
	PART_FOUND, /**< The log is a part. */
	PART_SOON   /**< The path has just been created: the program may be about to start. */
} part_search;

/**
 * If the path is that of a log that a program is still to get, finds the part that the program writes now: that of the
 * process that mprof record started, or else the largest one. \p part, of \p size bytes, receives its path.
 */
part_search part_log_find(const char *path, char *part, size_t size);

#endif
