/* SPDX-License-Identifier: MIT */
/* Sends and receives the bytes of messages between mprof and the process that reads debug information. */
#include "symbolize/protocol.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

int protocol_send(int fd, const void *bytes, size_t length)
{
	const char *rest = bytes;

	while (length > 0) {
		/* Not write(): if the other process has ended, its signal would end this one. */
		ssize_t sent = send(fd, rest, length, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return 0;
		rest += sent;
		length -= (size_t)sent;
	}
	return 1;
}

int64_t protocol_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the socket is readable. Returns 0 after the deadline and on an error. */
static int wait_readable(int fd, int64_t deadline_ms)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	int ready;

	do {
		int64_t rest = deadline_ms - protocol_now_ms();

		if (deadline_ms >= 0 && rest <= 0)
			return 0;
		ready = poll(&polled, 1, deadline_ms < 0 ? -1 : rest > INT_MAX ? INT_MAX : (int)rest);
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

int protocol_receive(int fd, void *bytes, size_t length, int64_t deadline_ms)
{
	char *rest = bytes;

	while (length > 0) {
		ssize_t received;

		if (!wait_readable(fd, deadline_ms))
			return 0;
		received = recv(fd, rest, length, 0);
		if (received < 0 && errno == EINTR)
			continue;
		if (received <= 0)
			return 0;
		rest += received;
		length -= (size_t)received;
	}
	return 1;
}
