/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_log.h
 * \brief Logs of the events that bench_events.h makes.
 */
#ifndef BENCH_BENCH_LOG_H
#define BENCH_BENCH_LOG_H

#include "bench_events.h"

/**
 * Writes a log of BENCH_EVENTS events into memory and closes it; every second event is an allocation if there are any.
 */
void bench_write_log(mprof_writer **writer, uint32_t dialect, int has_allocations, uint64_t directives);

#endif
