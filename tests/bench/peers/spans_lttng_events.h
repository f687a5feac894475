/* SPDX-License-Identifier: MIT */
/* The events of spans_lttng.c, which LTTng's headers read several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER mprof_spans

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./spans_lttng_events.h"

#if !defined(BENCH_PEERS_SPANS_LTTNG_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_PEERS_SPANS_LTTNG_EVENTS_H

#include <stdint.h>

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(mprof_spans, begin, LTTNG_UST_TP_ARGS(uint32_t, type),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint32_t, type, type)))

LTTNG_UST_TRACEPOINT_EVENT(mprof_spans, end, LTTNG_UST_TP_ARGS(uint64_t, number, const char *, text),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, number, number)
						       lttng_ust_field_string(text, text)))

#endif

#include <lttng/tracepoint-event.h>
