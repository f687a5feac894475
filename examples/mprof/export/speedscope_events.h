/* SPDX-License-Identifier: MIT */
/**
 * \file export/speedscope_events.h
 * \brief Profiles of speedscope with single calls, one for each thread.
 */
#ifndef SPEEDSCOPE_EVENTS_H
#define SPEEDSCOPE_EVENTS_H

#include "export/targets.h"

/** Writes the calls of a log. Returns an exit status like export_target::write_report. */
int speedscope_write_events(const export_job *job, const log_report *report, export_file *file);

#endif
