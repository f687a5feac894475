/* SPDX-License-Identifier: MIT */
/*
 * 07: analyse a log.
 *
 * A profile reads a log in one pass and provides totals, statistics of methods and classes, and the call tree.
 *
 *     ./07_profile tutorial.mprof
 */
#include <mprof/profile.h>

#include <inttypes.h>
#include <stdio.h>

/* Prints what a node of the call tree calls, each callee with its own callees indented below. */
static void print_callees(const mprof_profile *profile, const mprof_reader *reader, uint32_t node, int depth)
{
	mprof_call_stats call = {.struct_size = sizeof(call)};
	char name[256];

	if (mprof_profile_get_row(profile, MPROF_TABLE_CALLS, node, &call) != MPROF_OK)
		return;
	for (node = call.first_child; node != 0; node = call.next_sibling) {
		if (mprof_profile_get_row(profile, MPROF_TABLE_CALLS, node, &call) != MPROF_OK)
			return;
		mprof_reader_format_method(reader, call.method, name, sizeof(name));
		printf("%8" PRIu64 " ns %6" PRIu64 " calls  %*s%s\n", call.total_ns, call.calls, 2 * depth, "", name);
		print_callees(profile, reader, node, depth + 1);
	}
}

int main(int argc, char **argv)
{
	mprof_profile_totals totals = {.struct_size = sizeof(totals)};
	mprof_profile *profile = NULL;
	mprof_reader *reader = NULL;
	int failed;

	failed = argc != 2 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK ||
		 mprof_profile_create(NULL, &profile) != MPROF_OK ||
		 mprof_profile_read(profile, reader, NULL, NULL) != MPROF_OK ||
		 mprof_profile_finish(profile, reader) != MPROF_OK ||
		 mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &totals) != MPROF_OK;
	if (!failed) {
		printf("%" PRIu64 " calls, %" PRIu64 " objects, %" PRIu64 " bytes\n", totals.calls, totals.allocations,
		       totals.allocated_bytes);
		print_callees(profile, reader, MPROF_CALL_ROOT, 0);
	}
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return failed;
}
