/* SPDX-License-Identifier: MIT */
/* Writes spans as JSON of the trace event format, with a precision of nanoseconds. */
#include "spans.h"

#include "spans_file.h"

static uint64_t started;

static void add(int length)
{
	file_used += (size_t)length;
}

void spans_open(const char *path)
{
	file_open(path);
	add(snprintf((char *)file_reserve(), FILE_ROOM, "["));
}

void span_begin(uint32_t type)
{
	(void)type;
	started = file_time();
}

void span_end(uint32_t type, uint64_t number, uint32_t text)
{
	const unsigned long long start = started;
	const unsigned long long length = file_time() - started;

	add(snprintf((char *)file_reserve(), FILE_ROOM,
		     "{\"ph\":\"X\",\"name\":\"%s\",\"ts\":%llu.%03llu,\"dur\":%llu.%03llu,\"pid\":1,\"tid\":1,"
		     "\"args\":{\"number\":%llu,\"text\":\"%s\"}},\n",
		     span_types[type], start / 1000, start % 1000, length / 1000, length % 1000,
		     (unsigned long long)number, span_texts[text]));
}

void spans_close(void)
{
	add(snprintf((char *)file_reserve(), FILE_ROOM, "{}]\n"));
	file_close();
}
