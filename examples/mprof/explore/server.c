/* SPDX-License-Identifier: MIT */
/* A server for the page of mprof explore: one thread, which never waits for a single client. */
#include "explore/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A request has to arrive, and each part of an answer has to be taken, within this time. */
#define CLIENT_NS UINT64_C(10000000000)

/* A client has this long to begin with its request before another one may take its place, in nanoseconds. */
#define PATIENCE_NS UINT64_C(1000000000)

/* A request for bytes that the log does not have yet is answered after this time, without any. */
#define GROWTH_NS UINT64_C(15000000000)

/* What the client still sends is discarded for this time after an answer. */
#define DRAIN_NS UINT64_C(1000000000)

/* How long the next blocks of the log are read before clients get their turn. */
#define READ_NS UINT64_C(30000000)

/* Between looks at a log that grows, and at all else. */
#define GROWTH_MS 100
#define IDLE_MS 1000

/* Bytes of the log in one answer. */
#define PIECE_SIZE (1 << 20)

typedef enum client_state {
	CLIENT_NONE,    /* The entry is free. */
	CLIENT_READING, /* The request arrives. */
	CLIENT_WAITING, /* For the log to grow. */
	CLIENT_WRITING, /* The answer is sent. */
	CLIENT_DRAINING /* The answer was sent: closing before the client has sent all could discard it. */
} client_state;

typedef struct server_client {
	client_state state;
	int fd;
	uint64_t deadline_ns;
	char head[HTTP_MAX_HEAD]; /* Of the request, then of the answer. */
	size_t head_length;
	char *piece; /* The body, if it is of this client alone. */
	const char *body;
	size_t body_length;
	size_t sent; /* Bytes of head and body. */
	uint64_t offset;
} server_client;

/*
 * The log.
 */

/* Reads what has arrived, for a while: with its end, the log is complete. Returns whether there is more to read. */
static int update_log(explore_server *server)
{
	growing_log *log = server->log;
	const uint64_t end = growing_log_clock() + READ_NS;
	mprof_block block;

	if (log == NULL || server->is_log_complete)
		return 0;
	while (input_next_block(&log->input, &block)) {
		readable_names_add(&server->names, &log->input, &block);
		if (growing_log_clock() >= end)
			return 1;
	}
	if (!log->is_finished)
		growing_log_update(log);
	else
		server->is_log_complete = 1;
	server->is_log_complete |= log->input.is_over;
	return 0;
}

static uint64_t log_size(const explore_server *server)
{
	struct stat status;

	return server->log != NULL && fstat(server->log->input.fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/*
 * Answers.
 */

static void close_client(server_client *client)
{
	close(client->fd);
	free(client->piece);
	client->piece = NULL;
	client->state = CLIENT_NONE;
}

/* field: one more line of the head, with its end, or "". */
static void begin_answer(server_client *client, unsigned int status, const char *type, const char *field)
{
	client->head_length =
		(size_t)snprintf(client->head, sizeof(client->head),
				 "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
				 "Cache-Control: no-store\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n"
				 "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
				 "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
				 status, http_status_text(status), type, client->body_length, field);
	client->sent = 0;
	client->state = CLIENT_WRITING;
	client->deadline_ns = growing_log_clock() + CLIENT_NS;
}

static void refuse(server_client *client, unsigned int status)
{
	client->body = http_status_text(status);
	client->body_length = strlen(client->body);
	begin_answer(client, status, "text/plain", status == 405 ? "Allow: GET\r\n" : "");
}

/* Answers with what the log has from an offset on, if it has something, will not have more, or the time is over. */
static void answer_log(const explore_server *server, server_client *client)
{
	const int is_complete = server->is_log_complete;
	const uint64_t size = log_size(server);
	uint64_t length = size >= client->offset ? size - client->offset : 0;
	ssize_t count = 0;

	if (length == 0 && !is_complete && growing_log_clock() < client->deadline_ns)
		return;
	if (client->offset > size) {
		refuse(client, 416);
		return;
	}
	length = length < PIECE_SIZE ? length : PIECE_SIZE;
	if (length > 0) {
		client->piece = malloc(length);
		if (client->piece != NULL)
			count = pread(server->log->input.fd, client->piece, length, (off_t)client->offset);
		if (client->piece == NULL || count < 0) {
			refuse(client, 500);
			return;
		}
	}
	client->body = client->piece;
	client->body_length = (size_t)count;
	begin_answer(client, 200, "application/octet-stream",
		     is_complete && client->offset + (uint64_t)count == size ? "Mprof-Complete: 1\r\n" : "");
}

static void answer_names(explore_server *server, server_client *client)
{
	client->piece = readable_names_copy(&server->names, &client->body_length);
	client->body = client->piece;
	if (client->piece != NULL)
		begin_answer(client, 200, "text/plain; charset=utf-8", "");
	else
		refuse(client, 500);
}

static void answer(explore_server *server, server_client *client, size_t length)
{
	const http_request request = http_request_parse(client->head, length, &server->site);

	if (request.status != 200) {
		refuse(client, request.status);
	} else if (request.resource == HTTP_PAGE) {
		client->body = server->page;
		client->body_length = server->page_length;
		begin_answer(client, 200, "text/html; charset=utf-8", "");
	} else if (server->log == NULL) {
		refuse(client, 404);
	} else if (request.resource == HTTP_NAMES) {
		answer_names(server, client);
	} else {
		client->state = CLIENT_WAITING;
		client->offset = request.offset;
		client->deadline_ns = growing_log_clock() + GROWTH_NS;
		answer_log(server, client);
	}
}

/*
 * Connections.
 */

static int is_temporary(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static void receive_request(explore_server *server, server_client *client)
{
	const ssize_t count =
		recv(client->fd, client->head + client->head_length, sizeof(client->head) - client->head_length, 0);
	size_t length;

	if (count <= 0) {
		if (count == 0 || !is_temporary(errno))
			close_client(client);
		return;
	}
	client->head_length += (size_t)count;
	length = http_head_length(client->head, client->head_length);
	if (length > 0)
		answer(server, client, length);
	else if (client->head_length == sizeof(client->head))
		refuse(client, 431);
}

static void send_answer(server_client *client)
{
	const int is_head = client->sent < client->head_length;
	const char *from = is_head ? client->head + client->sent : client->body + (client->sent - client->head_length);
	const size_t whole = client->head_length + client->body_length;
	const ssize_t count =
		send(client->fd, from, (is_head ? client->head_length : whole) - client->sent, MSG_NOSIGNAL);

	if (count < 0) {
		if (!is_temporary(errno))
			close_client(client);
		return;
	}
	client->sent += (size_t)count;
	client->deadline_ns = growing_log_clock() + CLIENT_NS;
	if (client->sent < whole)
		return;
	shutdown(client->fd, SHUT_WR);
	client->state = CLIENT_DRAINING;
	client->deadline_ns = growing_log_clock() + DRAIN_NS;
}

/* What a client sends that has its answer, or waits for it, is discarded; if it is gone, it is forgotten. */
static void discard_input(server_client *client)
{
	char bytes[4096];
	const ssize_t count = recv(client->fd, bytes, sizeof(bytes), 0);

	if (count == 0 || (count < 0 && !is_temporary(errno)))
		close_client(client);
}

static void serve_client(explore_server *server, server_client *client)
{
	switch (client->state) {
	case CLIENT_READING:
		receive_request(server, client);
		break;
	case CLIENT_WRITING:
		send_answer(client);
		break;
	case CLIENT_WAITING:
	case CLIENT_DRAINING:
		discard_input(client);
		break;
	case CLIENT_NONE:
		break;
	}
}

/*
 * A free entry, or that of the client that has taken longest to send its request; NULL if all have sent theirs or have
 * just connected.
 */
static server_client *find_room(explore_server *server)
{
	const uint64_t now = growing_log_clock();
	server_client *oldest = NULL;

	for (size_t i = 0; i < SERVER_MAX_CLIENTS; i++) {
		server_client *client = &server->clients[i];

		if (client->state == CLIENT_NONE)
			return client;
		if (client->deadline_ns > now + CLIENT_NS - PATIENCE_NS)
			continue;
		if (client->state == CLIENT_READING && (oldest == NULL || client->deadline_ns < oldest->deadline_ns))
			oldest = client;
	}
	return oldest;
}

static void accept_client(explore_server *server)
{
	server_client *client = find_room(server);
	const int fd = client != NULL ? accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;

	if (fd < 0) {
		/* Without a descriptor it would fail again at once. */
		if (client != NULL && !is_temporary(errno))
			growing_log_sleep(GROWTH_MS);
		return;
	}
	if (client->state != CLIENT_NONE)
		close_client(client);
	client->fd = fd;
	client->head_length = 0;
	client->state = CLIENT_READING;
	client->deadline_ns = growing_log_clock() + CLIENT_NS;
}

static void end_client(const explore_server *server, server_client *client)
{
	if (client->state == CLIENT_READING && client->head_length > 0)
		refuse(client, 408);
	else if (client->state == CLIENT_WAITING)
		answer_log(server, client);
	else
		close_client(client);
}

/*
 * Answers those that wait for the log, and ends those whose time is over. Returns for how many milliseconds there is
 * nothing to do unless a client sends something.
 */
static int visit_clients(explore_server *server)
{
	const uint64_t now = growing_log_clock();
	int is_awaited = 0;
	int has_more = 0;

	for (size_t i = 0; i < SERVER_MAX_CLIENTS; i++)
		is_awaited |= server->clients[i].state == CLIENT_WAITING;
	if (is_awaited)
		has_more = update_log(server);
	for (size_t i = 0; i < SERVER_MAX_CLIENTS; i++) {
		server_client *client = &server->clients[i];

		if (client->state == CLIENT_WAITING)
			answer_log(server, client);
		if (client->state != CLIENT_NONE && client->deadline_ns <= now)
			end_client(server, client);
	}
	return has_more ? 0 : is_awaited ? GROWTH_MS : IDLE_MS;
}

const char *explore_server_run(explore_server *server)
{
	struct pollfd sources[SERVER_MAX_CLIENTS + 1];

	while (!growing_log_is_interrupted()) {
		int milliseconds = visit_clients(server);
		const int has_room = find_room(server) != NULL;

		/* Without room, clients wait to be accepted. */
		if (!has_room && milliseconds > GROWTH_MS)
			milliseconds = GROWTH_MS;
		sources[SERVER_MAX_CLIENTS] = (struct pollfd){has_room ? server->listener : -1, POLLIN, 0};
		for (size_t i = 0; i < SERVER_MAX_CLIENTS; i++) {
			const server_client *client = &server->clients[i];
			const int is_writing = client->state == CLIENT_WRITING;

			sources[i] = (struct pollfd){client->state != CLIENT_NONE ? client->fd : -1,
						     is_writing ? POLLOUT : POLLIN, 0};
		}
		if (poll(sources, SERVER_MAX_CLIENTS + 1, milliseconds) < 0) {
			if (!is_temporary(errno))
				return strerror(errno);
			continue;
		}
		for (size_t i = 0; i < SERVER_MAX_CLIENTS; i++)
			if (sources[i].revents != 0)
				serve_client(server, &server->clients[i]);
		if (sources[SERVER_MAX_CLIENTS].revents != 0)
			accept_client(server);
	}
	return NULL;
}

/*
 * The server.
 */

static int make_token(char token[HTTP_TOKEN_LENGTH + 1])
{
	unsigned char bytes[HTTP_TOKEN_LENGTH / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return 0;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 1;
}

const char *explore_server_open(explore_server *server, unsigned int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t size = sizeof(address);
	const int is_reused = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listener = -1;
	readable_names_begin(&server->names);
	server->clients = calloc(SERVER_MAX_CLIENTS, sizeof(*server->clients));
	if (server->clients == NULL)
		return strerror(ENOMEM);
	if (!make_token(server->site.token))
		return strerror(errno);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (server->listener < 0)
		return strerror(errno);
	/* Connections of an earlier server that are not quite closed do not keep the port. */
	(void)setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &is_reused, sizeof(is_reused));
	if (bind(server->listener, (const struct sockaddr *)&address, size) != 0 ||
	    listen(server->listener, SERVER_MAX_CLIENTS) != 0 ||
	    getsockname(server->listener, (struct sockaddr *)&address, &size) != 0)
		return strerror(errno);
	server->site.port = ntohs(address.sin_port);
	return NULL;
}

char *explore_server_link(const explore_server *server)
{
	char *link = NULL;

	return asprintf(&link, "http://127.0.0.1:%u/%s/", server->site.port, server->site.token) >= 0 ? link : NULL;
}

void explore_server_close(explore_server *server)
{
	for (size_t i = 0; i < SERVER_MAX_CLIENTS && server->clients != NULL; i++)
		if (server->clients[i].state != CLIENT_NONE)
			close_client(&server->clients[i]);
	free(server->clients);
	server->clients = NULL;
	readable_names_release(&server->names);
	if (server->listener >= 0)
		close(server->listener);
	server->listener = -1;
}
