/* SPDX-License-Identifier: MIT */
/**
 * \file record/salvaged.h
 * \brief What a program had not written when it died: memory shared with it, from which its log is completed.
 */
#ifndef SALVAGED_H
#define SALVAGED_H

#include "record/log_output.h"

#include <stdint.h>

/** Bytes for the option of the modules. */
#define SALVAGE_OPTION_SIZE 64

typedef struct salvaged_logs {
	int fd;          /**< The memory; -1 if there is none. */
	size_t logs;     /**< Logs that were completed. */
	uint64_t events; /**< Events that were added to them. */
	uint64_t lost;   /**< Losses that were added to them. */
} salvaged_logs;

/**
 * Creates the memory and formats the option of the modules that names it, "salvage=...". Where the system refuses, the
 * option is "", and programs keep files beside their logs.
 */
void salvaged_create(salvaged_logs *salvaged, char option[SALVAGE_OPTION_SIZE]);

/** Completes the logs of the processes that have ended. Prints a line for each that cannot be completed. */
void salvaged_complete(salvaged_logs *salvaged, const log_output *log);

void salvaged_release(salvaged_logs *salvaged);

#endif
