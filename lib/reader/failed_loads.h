/* SPDX-License-Identifier: MIT */
/**
 * \file reader/failed_loads.h
 * \brief Recognizes failed class loads that are written as allocations (doc/dialects.md, quirk 10).
 */
#ifndef READER_FAILED_LOADS_H
#define READER_FAILED_LOADS_H

#include <mprof/format.h>

#include <stddef.h>

/**
 * Makes allocations whose size no object can have ends of a class load with #MPROF_EVENT_FLAG_FAILED. For the events of
 * a dialect with dialect_rules::has_failed_loads_as_allocations.
 */
void failed_loads_convert(mprof_event *events, size_t count);

#endif
