/* SPDX-License-Identifier: MIT */
/*
 * 09: record samples from a signal handler.
 *
 * mprof_recorder_record_sample() takes no lock and allocates nothing, so a signal handler may call it. A frame is the
 * key of a method or a native address, the innermost first; the writer thread symbolizes addresses later. Here the
 * program sends the signal to itself; a profiler would use a timer (timer_create(), setitimer()) and unwind the stack.
 *
 *     ./09_sample sample.mprof && mprof report sample.mprof
 */
#include <mprof/recorder.h>

#include <signal.h>
#include <string.h>

enum { METHOD_RUN = 1, THREAD = 1, SAMPLES = 100 };

static mprof_recorder *recorder;

int busy_function(void);

static void record_sample(int signal_number)
{
	/* A real handler takes the address from its ucontext. */
	const mprof_frame frames[] = {mprof_frame_make_native((uint64_t)(uintptr_t)busy_function), METHOD_RUN};

	(void)signal_number;
	mprof_recorder_record_sample(recorder, THREAD, frames, 2);
}

int busy_function(void)
{
	return raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = record_sample};
	mprof_description description;
	int failed;

	if (argc != 2 || mprof_recorder_open_path(argv[1], NULL, &recorder, NULL) != MPROF_OK)
		return 1;
	mprof_description_init(&description, sizeof(description));
	description.name = "run";
	description.name_length = strlen(description.name);
	failed = mprof_recorder_define_method(recorder, METHOD_RUN, &description) != MPROF_OK ||
		 sigaction(SIGUSR1, &action, NULL) != 0;
	for (int i = 0; i < SAMPLES && !failed; i++)
		failed = busy_function() != 0;
	failed = mprof_recorder_close(recorder) != MPROF_OK || failed;
	mprof_recorder_destroy(recorder);
	return failed;
}
