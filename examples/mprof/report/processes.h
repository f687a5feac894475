/* SPDX-License-Identifier: MIT */
/**
 * \file report/processes.h
 * \brief Prints what a log describes: its processes, the timelines that are more than threads, and its clocks.
 */
#ifndef REPORT_PROCESSES_H
#define REPORT_PROCESSES_H

#include "report/view.h"

extern const report_view processes_described;
extern const report_view processes_timelines;
extern const report_view processes_clocks;

#endif
