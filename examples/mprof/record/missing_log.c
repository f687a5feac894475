/* SPDX-License-Identifier: MIT */
/* Explains why a recorded program has written no log. */
#include "record/missing_log.h"

#include <stdio.h>
#include <string.h>

/* Status 0 may be a crash: Mono's crash handler exits with 0. */
static void explain_mono(const missing_log *missing, const char *of_ring)
{
	if (missing->status == 0)
		fprintf(stderr,
			"mono ended with status 0: it did not load the profiler module, found nothing to run, called "
			"_exit(), or crashed (see its messages)%s; 'mprof doctor' checks the module\n",
			of_ring);
	else
		fprintf(stderr,
			"mono ended with status %d: it found nothing to run, did not load the profiler module, or was "
			"ended before it could record%s; 'mprof doctor' checks the module\n",
			missing->status, of_ring);
}

static void explain_sampled(const missing_log *missing, const char *of_ring)
{
	const char *subject = missing->target->subject;

	if (missing->target->file.obstacle != OBSTACLE_NONE)
		program_file_explain(&missing->target->file, subject);
	else
		fprintf(stderr,
			"%s has ended without main() or _exit(), or has executed a program that loads no preloaded "
			"libraries%s",
			subject, of_ring);
	fputc('\n', stderr);
}

void missing_log_explain(const missing_log *missing)
{
	const char *subject = missing->target->subject;
	const char *of_ring = missing->has_ring ? "; with --ring a log is written when the program ends by itself, "
						  "or by 'mprof control PID flush'"
						: "";

	fputs("mprof: no log was written: ", stderr);
	if (missing->signal != 0)
		fprintf(stderr, "%s was killed by signal %d (%s)%s%s\n", subject, missing->signal,
			strsignal(missing->signal), missing->has_ring ? "" : " before anything was recorded", of_ring);
	else if (!missing->is_native)
		explain_mono(missing, of_ring);
	else if (missing->target->file.is_instrumented)
		fprintf(stderr, "%s called no function that was built with -finstrument-functions\n", subject);
	else if (missing->is_sampled)
		explain_sampled(missing, of_ring);
	else
		fprintf(stderr,
			"%s is not built with -finstrument-functions, and did not run Mono, or Mono did not load the "
			"profiler module; --sample samples any native program that is linked dynamically\n",
			subject);
}
