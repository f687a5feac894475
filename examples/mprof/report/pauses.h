/* SPDX-License-Identifier: MIT */
/**
 * \file report/pauses.h
 * \brief Prints pauses: stops of the world, collections, waits for monitors.
 */
#ifndef REPORT_PAUSES_H
#define REPORT_PAUSES_H

#include "common/json.h"
#include "report/report.h"

void report_pauses_text(const log_report *report);
void report_pauses_json(const log_report *report, json_writer *json);

#endif
