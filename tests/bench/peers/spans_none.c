/* SPDX-License-Identifier: MIT */
/* Records nothing: what the other tools take is compared with this. */
#include "spans.h"

void spans_open(const char *path)
{
	(void)path;
}

void span_begin(uint32_t type)
{
	(void)type;
}

void span_end(uint32_t type, uint64_t number, uint32_t text)
{
	(void)type;
	(void)number;
	(void)text;
}

void spans_close(void)
{
}
