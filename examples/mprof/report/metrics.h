/* SPDX-License-Identifier: MIT */
/**
 * \file report/metrics.h
 * \brief Metrics, and those of them that are histograms.
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "report/view.h"

extern const report_view metrics_view;
extern const report_view metrics_histograms;

#endif
