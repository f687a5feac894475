/* SPDX-License-Identifier: MIT */
/* Detects errors of standard output. */
#include "common/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int lacks_memory;

void output_out_of_memory(void)
{
	if (!lacks_memory)
		fputs("mprof: out of memory: the output is incomplete\n", stderr);
	lacks_memory = 1;
}

int output_lacks_memory(void)
{
	return lacks_memory;
}

int output_is_broken(void)
{
	return ferror(stdout);
}

int output_finish(int status)
{
	if (lacks_memory && status == 0)
		status = 1;
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* The reader closed the pipe, as head(1) does: this is not an error. */
	if (errno == EPIPE)
		return status;
	fprintf(stderr, "mprof: standard output: %s\n", errno != 0 ? strerror(errno) : "the output is incomplete");
	return status != 0 ? status : 1;
}
