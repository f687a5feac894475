/* SPDX-License-Identifier: MIT */
/**
 * \file import/import.h
 * \brief The formats of other programs that 'mprof import' reads.
 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "import/job.h"

typedef struct import_format {
	const char *name;        /**< As in --from. */
	const char *description; /**< For the list of formats. */
	const char *lacks;       /**< What a log cannot represent, as a sentence fragment. */
	const char *next;        /**< The command that shows the log. */
	int has_event;           /**< It has the option --event. */

	/** Whether a file that begins with these bytes is in the format. */
	int (*recognizes)(const uint8_t *start, size_t length);

	/** Reads the file and writes the log, or ends the program with a message. */
	void (*convert)(import_job *job);
} import_format;

extern const import_format import_mlpd;
extern const import_format import_perf_script;
extern const import_format import_cpuprofile;
extern const import_format import_heapsnapshot;
extern const import_format import_hprof;

#endif
