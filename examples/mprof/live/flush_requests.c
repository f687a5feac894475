/* SPDX-License-Identifier: MIT */
/* Sends flush requests over the control connection of a program. */
#include "live/flush_requests.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void note_ring(void *user, char *line)
{
	/* A flush would end the recording in the ring buffer: it writes what the buffer has. */
	if (strncmp(line, "ring_bytes=", 11) == 0)
		*(int *)user = 1;
}

void flush_requests_open(flush_requests *requests, pid_t process)
{
	char text[24];
	int has_ring = 0;

	memset(requests, 0, sizeof(*requests));
	snprintf(text, sizeof(text), "%ld", (long)process);
	if (!control_connect_quietly(&requests->connection, text)) {
		requests->connection.fd = -1;
		return;
	}
	if (!control_send(&requests->connection, "status") ||
	    control_receive_answer(&requests->connection, note_ring, &has_ring) != 0 || has_ring)
		flush_requests_close(requests);
}

/* Returns 1 if the answer is complete. Closes the connection if the program refused or is gone. */
static int receive_answer(flush_requests *requests)
{
	static const char done[] = "DONE\n";
	control_connection *connection = &requests->connection;
	ssize_t count = recv(connection->fd, connection->received + connection->length,
			     sizeof(connection->received) - connection->length, MSG_DONTWAIT);

	if (count == 0) {
		flush_requests_close(requests);
		return 0;
	}
	if (count > 0)
		connection->length += (size_t)count;
	if (connection->length == 0 || connection->received[connection->length - 1] != '\n')
		return 0;
	if (connection->length != sizeof(done) - 1 || memcmp(connection->received, done, sizeof(done) - 1) != 0) {
		flush_requests_close(requests);
		return 0;
	}
	connection->length = 0;
	return 1;
}

void flush_requests_update(flush_requests *requests, uint64_t now_ns)
{
	static const char request[] = "flush\n";

	if (requests->connection.fd < 0)
		return;
	if (requests->is_pending) {
		if (!receive_answer(requests))
			return;
		requests->is_pending = 0;
		requests->served_ns = requests->sent_ns;
	}
	if (send(requests->connection.fd, request, sizeof(request) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) !=
	    (ssize_t)sizeof(request) - 1) {
		flush_requests_close(requests);
		return;
	}
	requests->is_pending = 1;
	requests->sent_ns = now_ns;
}

void flush_requests_close(flush_requests *requests)
{
	if (requests->connection.fd >= 0)
		control_disconnect(&requests->connection);
	requests->connection.fd = -1;
}
