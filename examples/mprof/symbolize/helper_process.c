/* SPDX-License-Identifier: MIT */
/* Starts and stops the process that reads debug information. */
#include "symbolize/helper_process.h"

#ifdef WITH_LIBDW
#include "symbolize/helper.h"
#endif

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* No process is started after this number of failures: a log with many bad files would otherwise take very long. */
#define MAX_FAILURES 3

/* Time for a part of an answer. The first one about a module with gigabytes of debug information takes a second. */
#define ANSWER_MS 10000

int helper_process_is_supported(void)
{
#ifdef WITH_LIBDW
	return 1;
#else
	return 0;
#endif
}

void helper_process_init(helper_process *helper)
{
	memset(helper, 0, sizeof(*helper));
	helper->fd = -1;
}

#ifdef WITH_LIBDW
static int start_process(helper_process *helper)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return 0;
	/* What is buffered would otherwise be written by both processes. */
	(void)fflush(NULL);
	helper->process = fork();
	if (helper->process == 0) {
		close(ends[0]);
		helper_run(ends[1]);
	}
	close(ends[1]);
	if (helper->process < 0) {
		close(ends[0]);
		return 0;
	}
	helper->fd = ends[0];
	helper->serial++;
	return 1;
}
#else
static int start_process(helper_process *helper)
{
	(void)helper;
	return 0;
}
#endif

int helper_process_start(helper_process *helper)
{
	return helper->fd >= 0 || (helper->failures < MAX_FAILURES && start_process(helper));
}

void helper_process_stop(helper_process *helper)
{
	if (helper->fd < 0)
		return;
	close(helper->fd);
	helper->fd = -1;
	(void)kill(helper->process, SIGKILL);
	(void)waitpid(helper->process, NULL, 0);
}

void helper_process_fail(helper_process *helper)
{
	helper->failures++;
	helper_process_stop(helper);
}

int helper_process_send(helper_process *helper, const lines_request *request, const char *build_id, const char *file)
{
	if (protocol_send(helper->fd, request, sizeof(*request)) &&
	    protocol_send(helper->fd, build_id, request->build_id_length) &&
	    protocol_send(helper->fd, file, request->file_length))
		return 1;
	helper_process_fail(helper);
	return 0;
}

int helper_process_receive(helper_process *helper, void *bytes, size_t length)
{
	if (protocol_receive(helper->fd, bytes, length, protocol_now_ms() + ANSWER_MS))
		return 1;
	helper_process_fail(helper);
	return 0;
}
