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

/** Events of bench_write_calls(). */
#define BENCH_CALL_EVENTS ((size_t)1 << 21)

/**
 * Writes a log of calls alone into memory and closes it. As in most programs, the same few call paths occur all the
 * time, and each leave is that of the latest call.
 */
void bench_write_calls(mprof_writer **writer);

#endif
