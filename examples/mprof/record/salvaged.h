/* SPDX-License-Identifier: MIT */
/**
 * \file record/salvaged.h
 * \brief Memory shared with the program. It contains events not written yet; if the program is killed, they complete
 * its log.
 */
#ifndef SALVAGED_H
#define SALVAGED_H

#include "record/log_output.h"

#include <stdint.h>

/** Size of the value of the modules' option salvage, in bytes. */
#define SALVAGE_OPTION_SIZE 64

typedef struct salvaged_logs {
	int fd;          /**< The memory; -1 if none. */
	size_t logs;     /**< Logs that were completed, except those of programs that executed another one. */
	uint64_t events; /**< Events that were added to them. */
	uint64_t lost;   /**< Lost events that were counted in them. */
} salvaged_logs;

/**
 * Creates the memory, and formats its path as the value of the modules' option salvage. If the system refuses, the
 * value is "", and programs keep salvage files beside their logs.
 */
void salvaged_create(salvaged_logs *salvaged, char option[SALVAGE_OPTION_SIZE]);

/**
 * Completes the logs of the processes that have ended. Prints a line for each that cannot be completed. \p file: a
 * salvage file that was named by the user, or NULL.
 */
void salvaged_complete(salvaged_logs *salvaged, const log_output *log, const char *file);

void salvaged_release(salvaged_logs *salvaged);

#endif
