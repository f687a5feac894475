/* SPDX-License-Identifier: MIT */
/**
 * \file format/event_detail.h
 * \brief Details of events that a caller passes, who may have been compiled for smaller or larger ones.
 */
#ifndef FORMAT_EVENT_DETAIL_H
#define FORMAT_EVENT_DETAIL_H

#include <mprof/format.h>

#include "base/options.h"

/** Whether a detail has a size, and says nothing that is unknown here. NULL is one that says nothing. */
static inline int event_detail_is_valid(const mprof_event_detail *detail)
{
	mprof_event_detail own;

	if (detail == NULL || __builtin_expect(detail->struct_size == sizeof(*detail), 1))
		return 1;
	return struct_copy_in(&own, detail, sizeof(own)) == MPROF_OK;
}

/**
 * A valid detail with all fields: \p detail itself, or \p own, to which it is copied if it lacks some. NULL for NULL.
 */
static inline const mprof_event_detail *event_detail_read(const mprof_event_detail *detail, mprof_event_detail *own)
{
	if (detail == NULL || __builtin_expect(detail->struct_size >= sizeof(*detail), 1))
		return detail;
	(void)struct_copy_in(own, detail, sizeof(*own));
	return own;
}

#endif
