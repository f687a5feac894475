/* SPDX-License-Identifier: MIT */
/**
 * \file report/processes.h
 * \brief Prints what a log describes: its processes, the timelines that are more than threads, and its clocks.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include "report/view.h"

/** Prints " of NAME (NUMBER)" for a thread of a process, if the log has several. */
void processes_print_of(const log_report *report, uint64_t number);

#endif
