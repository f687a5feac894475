/* SPDX-License-Identifier: MIT */
/**
 * \file record/attach.h
 * \brief Records a process that runs already.
 */
#ifndef RECORD_ATTACH_H
#define RECORD_ATTACH_H

#include "record/options.h"

#include <stdint.h>

typedef struct attach_request {
	const char *process;  /**< Its ID. */
	const char *output;   /**< The requested name of the log; NULL for the default. */
	uint64_t duration_ns; /**< 0: until the process ends, or an interrupt. */
	int replaces;         /**< An existing file may be replaced. */
	int is_quiet;
} attach_request;

/** Records a process. Returns the exit status. */
int attach_record(const attach_request *request, const record_request *options);

#endif
