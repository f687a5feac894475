/* SPDX-License-Identifier: MIT */
/* Measures the frequency of a log's counter before the log is read. */
#include "common/counter_rate.h"

#include "common/exit_status.h"
#include "common/input.h"

/* The times of clock pairs are in microseconds, so the error is then a few parts in a million. */
#define ENOUGH_MICROSECONDS 1000000

int counter_rate_measure(const char *path, double *counters_per_second)
{
	mprof_session session = {.struct_size = sizeof(session)};
	log_input input;
	int status = STATUS_OK;

	if (input_open_quietly(&input, path) == STATUS_OK) {
		mprof_block block;

		do {
			mprof_reader_get_session(input.reader, &session);
		} while (session.last.time - session.start.time < ENOUGH_MICROSECONDS &&
			 input_next_block(&input, &block));
		mprof_reader_get_session(input.reader, &session);
		status = input_check_again(&input);
	}
	input_close(&input);
	*counters_per_second = session.counters_per_second;
	return status;
}
