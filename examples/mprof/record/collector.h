/* SPDX-License-Identifier: MIT */
/**
 * \file record/collector.h
 * \brief Lets the processes of a program know until when mprof record collects their logs, see shared/late_log.h.
 */
#ifndef RECORD_COLLECTOR_H
#define RECORD_COLLECTOR_H

/** Size of the module's option, with the comma before it. */
#define COLLECTOR_OPTION_SIZE 64

/** Creates the file in memory. \p option receives the option for the module, or "" on failure. Returns a descriptor. */
int collector_create(char option[COLLECTOR_OPTION_SIZE]);

/** From here on processes name their logs themselves. Waits for those that are doing so or that create a log. */
void collector_end(int fd);

void collector_release(int fd);

#endif
