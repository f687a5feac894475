/* SPDX-License-Identifier: MIT */
/**
 * \file record/next_command.h
 * \brief Names the command that shows what was recorded.
 */
#ifndef RECORD_NEXT_COMMAND_H
#define RECORD_NEXT_COMMAND_H

#include "common/summary.h"
#include "record/options.h"

/**
 * Prints a line on standard error with the command that fits the contents of a log, and a second one where two fit.
 * Prints nothing for a log without events. \p name: the path of the log, for messages.
 */
void next_command_print(const record_request *request, const log_summary *summary, const char *name);

#endif
