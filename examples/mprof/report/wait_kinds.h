/* SPDX-License-Identifier: MIT */
/**
 * \file report/wait_kinds.h
 * \brief What threads waited for, by their samples.
 */
#ifndef REPORT_WAIT_KINDS_H
#define REPORT_WAIT_KINDS_H

#include "common/json.h"
#include "report/report.h"

/** Prints nothing if the samples were taken by processor time, in which threads do not wait. */
void report_wait_kinds_text(const log_report *report);

void report_wait_kinds_json(const log_report *report, json_writer *json);

#endif
