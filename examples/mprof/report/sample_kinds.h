/* SPDX-License-Identifier: MIT */
/**
 * \file report/sample_kinds.h
 * \brief The tables of samples of kinds: what the samples of each kind stand for, and where they were taken.
 */
#ifndef REPORT_SAMPLE_KINDS_H
#define REPORT_SAMPLE_KINDS_H

#include "report/view.h"

extern const report_view sample_kinds_view;
extern const report_view sample_kinds_groups; /**< By thread, processor and mode. */

#endif
