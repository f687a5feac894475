/* SPDX-License-Identifier: MIT */
/**
 * \file report/absence.h
 * \brief Why a section of a report that was asked for has nothing.
 */
#ifndef REPORT_ABSENCE_H
#define REPORT_ABSENCE_H

#include "report/report.h"

/**
 * Prints a line for a section without content: its data was recorded and there is none, or it was not recorded and
 * which option records it, or the log does not have it.
 */
void absence_print(const log_report *report, report_section section);

#endif
