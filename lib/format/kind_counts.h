/* SPDX-License-Identifier: MIT */
/**
 * \file format/kind_counts.h
 * \brief The number of kinds of each sort. Public arrays by kind have room for 256, so that these may grow.
 */
#ifndef FORMAT_KIND_COUNTS_H
#define FORMAT_KIND_COUNTS_H

#include <mprof/format.h>

enum {
	EVENT_KIND_COUNT = MPROF_EVENT_STACK_END + 1, /**< With #MPROF_EVENT_UNKNOWN. */
	LOSS_CAUSE_COUNT = MPROF_LOSS_LIMIT + 1       /**< With 0, the causes that are not known. */
};

#endif
