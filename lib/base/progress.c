/* SPDX-License-Identifier: MIT */
/* Reports the progress of computations. */
#include "base/progress.h"

#include <string.h>

/* What has stopped remains stopped: the next step comes here again. */
static int report(progress *going)
{
	going->remaining = PROGRESS_SPAN;
	if (!going->is_stopped && going->function != NULL)
		going->is_stopped = going->function(going->user, going->done, going->total) != 0;
	if (going->is_stopped)
		going->remaining = 1;
	return !going->is_stopped;
}

void progress_init(progress *created, mprof_progress_function function, void *user, uint64_t total)
{
	memset(created, 0, sizeof(*created));
	created->function = function;
	created->user = user;
	created->total = total;
	created->remaining = PROGRESS_SPAN;
}

int progress_begin(progress *going, uint64_t steps)
{
	going->done = going->end;
	going->end = steps < going->total - going->done ? going->done + steps : going->total;
	return report(going);
}

int progress_end(progress *going)
{
	going->done = going->end = going->total;
	return report(going);
}

int progress_report(progress *going)
{
	going->done = going->end - going->done > PROGRESS_SPAN ? going->done + PROGRESS_SPAN : going->end;
	return report(going);
}
