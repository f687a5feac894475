/* SPDX-License-Identifier: MIT */
/**
 * \file format/events/event_detail.h
 * \brief Event details that a caller passes. The caller may be compiled for a smaller or larger struct.
 */
#ifndef FORMAT_EVENTS_EVENT_DETAIL_H
#define FORMAT_EVENTS_EVENT_DETAIL_H

#include <mprof/format.h>

#include "base/options.h"

/**
 * Whether a detail has a size, and all fields unknown to this library are 0. NULL is valid and stands for no detail.
 */
static inline int event_detail_is_valid(const mprof_event_detail *detail)
{
	mprof_event_detail own;

	if (detail == NULL || __builtin_expect(detail->struct_size == sizeof(*detail), 1))
		return 1;
	return struct_copy_in(&own, detail, sizeof(own)) == MPROF_OK;
}

/**
 * Returns a valid detail with all fields: \p detail itself or, if its struct lacks fields, \p own, which receives a
 * copy. Returns NULL for NULL.
 */
static inline const mprof_event_detail *event_detail_read(const mprof_event_detail *detail, mprof_event_detail *own)
{
	if (detail == NULL || __builtin_expect(detail->struct_size >= sizeof(*detail), 1))
		return detail;
	(void)struct_copy_in(own, detail, sizeof(*own));
	return own;
}

#endif
