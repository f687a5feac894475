/* SPDX-License-Identifier: MIT */
/**
 * \file export/table_logs.h
 * \brief Reads the logs of an export into tables.
 */
#ifndef EXPORT_TABLE_LOGS_H
#define EXPORT_TABLE_LOGS_H

#include "export/table_sink.h"
#include "export/targets.h"

/**
 * Adds the rows of all logs of the job; a log that cannot be read is left out after a message. Returns #STATUS_OK,
 * #STATUS_DAMAGED after a message if something is missing, or #STATUS_NOTHING after a message if no log could be read
 * or the sink has failed.
 */
int table_logs_add(const export_job *job, table_sink *sink);

#endif
