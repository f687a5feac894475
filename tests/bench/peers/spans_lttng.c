/* SPDX-License-Identifier: MIT */
/* Records spans with LTTng-UST, as two events of CTF: the type as a number, the text as it is. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "spans_lttng_events.h"

#include "spans.h"

void spans_open(const char *path)
{
	(void)path;
}

void span_begin(uint32_t type)
{
	lttng_ust_tracepoint(mprof_spans, begin, type);
}

void span_end(uint32_t type, uint64_t number, uint32_t text)
{
	(void)type;
	lttng_ust_tracepoint(mprof_spans, end, number, span_texts[text]);
}

void spans_close(void)
{
}
