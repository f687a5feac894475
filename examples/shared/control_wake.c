/* SPDX-License-Identifier: MIT */
/* The pipe of the control thread. */
#include "shared/control_wake.h"

#include <mprof/base.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_end_open(const control_wake *wake, int end)
{
	struct stat status;

	return fstat(wake->ends[end], &status) == 0 && status.st_dev == wake->device && status.st_ino == wake->inode;
}

int control_wake_open(control_wake *wake)
{
	struct stat status;

	if (pipe2(wake->ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return errno;
	for (int end = 0; end < 2; end++)
		wake->ends[end] = mprof_descriptor_move(wake->ends[end]);
	if (fstat(wake->ends[0], &status) != 0)
		return errno;
	wake->device = status.st_dev;
	wake->inode = status.st_ino;
	return 0;
}

void control_wake_close(const control_wake *wake)
{
	for (int end = 0; end < 2; end++)
		if (is_end_open(wake, end))
			close(wake->ends[end]);
}

int control_wake_is_open(const control_wake *wake)
{
	return is_end_open(wake, 0) && is_end_open(wake, 1);
}

void control_wake_send(const control_wake *wake)
{
	/* The write can fail only if the pipe is full; then the thread is woken anyway. */
	if (is_end_open(wake, 1))
		(void)!write(wake->ends[1], "", 1);
}

int control_wake_receive(const control_wake *wake)
{
	char bytes[64];
	int is_woken = 0;

	while (is_end_open(wake, 0) && read(wake->ends[0], bytes, sizeof(bytes)) > 0)
		is_woken = 1;
	return is_woken;
}
