/* SPDX-License-Identifier: MIT */
/**
 * \file record/missing_log.h
 * \brief Explains why a recorded program has written no log.
 */
#ifndef MISSING_LOG_H
#define MISSING_LOG_H

#include "record/target.h"

typedef struct missing_log {
	const record_target *target; /**< Borrowed. */
	int status;                  /**< Exit status of the program. */
	int signal;                  /**< The signal that ended it; 0 if none. */
	int has_ring;                /**< --ring was given. */
	int is_native;               /**< The program is not one of Mono, as far as its file shows. */
	int is_sampled;              /**< A native program would have been sampled. */
} missing_log;

/** Prints one line to standard error. */
void missing_log_explain(const missing_log *missing);

#endif
