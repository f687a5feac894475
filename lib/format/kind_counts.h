/* SPDX-License-Identifier: MIT */
/**
 * \file format/kind_counts.h
 * \brief The numbers of event kinds and loss causes. Public arrays by kind have 256 elements, so these may grow.
 */
#ifndef FORMAT_KIND_COUNTS_H
#define FORMAT_KIND_COUNTS_H

#include <mprof/format.h>

enum {
	EVENT_KIND_COUNT = MPROF_EVENT_MONITOR_HOLDER + 1, /**< Including #MPROF_EVENT_UNKNOWN. */
	LOSS_CAUSE_COUNT = MPROF_LOSS_LIMIT + 1            /**< Including 0, which stands for unknown causes. */
};

#endif
