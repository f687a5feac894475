/* SPDX-License-Identifier: MIT */
/* Prints compilation time by method, including nested compilations. */
#include "decode/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_methods(const void *left, const void *right)
{
	const mprof_method_stats *a = left;
	const mprof_method_stats *b = right;
	int order = decode_larger_first(a->jit_ns, b->jit_ns);

	return order != 0 ? order : decode_larger_first(b->id, a->id);
}

static void print_methods(const log_decode *decode, const mprof_method_stats *methods, size_t count, uint64_t counters)
{
	char text[DECODE_NUMBER_SIZE];

	for (size_t i = 0; i < count && methods[i].jit_ns > 0; i++) {
		double seconds = decode_seconds(decode, methods[i].jit_ns);

		decode_percent((double)methods[i].jit_ns, (double)counters);
		printf(" (%sms) ", decode_number(text, seconds * 1000.0, 3));
		decode_method(decode, methods[i].id);
		putchar('\n');
	}
}

void decode_compilations(log_decode *decode)
{
	size_t count = mprof_profile_get_row_count(decode->profile, MPROF_TABLE_METHODS);
	mprof_method_stats *methods = decode_room(decode, count, sizeof(*methods));
	uint64_t defined = mprof_reader_get_method_count(decode->input.reader);
	uint64_t counters = 0;

	if (methods == NULL)
		return;
	mprof_profile_get_rows(decode->profile, MPROF_TABLE_METHODS, 0, methods, sizeof(*methods), count, &count);
	for (size_t i = 0; i < count; i++)
		counters += methods[i].jit_ns;
	if (counters > 0) {
		qsort(methods, count, sizeof(*methods), compare_methods);
		decode_separator();
		printf("Reporting jit time (on %" PRIu64 " methods)\n", defined);
		print_methods(decode, methods, count, counters);
	} else if (decode->session.flags & MPROF_INTRO_FLAG_JIT) {
		printf("No jit time reported (on %" PRIu64 " methods)\n", defined);
	}
	free(methods);
}
