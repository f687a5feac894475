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
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Reads requests: GET of the page, of the log and of names, with the token and the own name of the server, and nothing
 * else.
 */

/* Size of the head of a request that is accepted, in bytes. */
#define HTTP_MAX_HEAD 8192

/* What a request asks for. */
typedef enum http_resource {
	HTTP_PAGE, /**< "/TOKEN/" */
	HTTP_LOG,  /**< "/TOKEN/log/OFFSET": what the log has from there on. */
	HTTP_NAMES /**< "/TOKEN/names": names in the source of the functions that are known. */
} http_resource;

typedef struct http_request {
	unsigned int status; /**< 200, or the status that refuses it. */
	http_resource resource;
	uint64_t offset; /**< Of the log. */
} http_request;

static const struct {
	unsigned int status;
	const char *text;
} statuses[] = {
	{200, "OK"},
	{400, "Bad Request"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{416, "Range Not Satisfiable"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
};

/* The text of a status, such as "Not Found". */
static const char *http_status_text(unsigned int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return statuses[i].text;
	return "Error";
}

/* The length of a head with the empty line that ends it; 0 while it is incomplete. */
static size_t http_head_length(const char *bytes, size_t length)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4);

	return end != NULL ? (size_t)(end - bytes) + 4 : 0;
}

/* A part of the head: not terminated. */
typedef struct text_part {
	const char *start;
	size_t length;
} text_part;

static int is_text(text_part part, const char *text)
{
	return part.length == strlen(text) && memcmp(part.start, text, part.length) == 0;
}

/* Takes what precedes a separator from the start of a text. Returns 0 if the text does not contain the separator. */
static int take_part(text_part *text, const char *separator, text_part *part)
{
	const size_t length = strlen(separator);
	const char *end = memmem(text->start, text->length, separator, length);

	if (end == NULL)
		return 0;
	*part = (text_part){text->start, (size_t)(end - text->start)};
	text->start = end + length;
	text->length -= part->length + length;
	return 1;
}

static void trim_part(text_part *part)
{
	while (part->length > 0 && strchr(" \t", part->start[0]) != NULL) {
		part->start++;
		part->length--;
	}
	while (part->length > 0 && strchr(" \t", part->start[part->length - 1]) != NULL)
		part->length--;
}

/* A page of another name that resolves to this machine must not read the log (DNS rebinding). */
static int is_own_host(text_part host, unsigned int port)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char wanted[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(wanted, sizeof(wanted), "%s:%u", names[i], port);
		if (is_text(host, wanted))
			return 1;
		if (port == 80 && is_text(host, names[i]))
			return 1;
	}
	return 0;
}

/* Returns the status of the header fields: there has to be one field Host, with a name of this server. */
static unsigned int check_fields(text_part fields, unsigned int port)
{
	unsigned int hosts = 0;
	text_part line;
	text_part name;

	while (take_part(&fields, "\r\n", &line) && line.length > 0) {
		if (!take_part(&line, ":", &name) || name.length == 0 || strchr(" \t", name.start[0]) != NULL)
			return 400;
		trim_part(&line);
		if (name.length != strlen("Host") || strncasecmp(name.start, "Host", name.length) != 0)
			continue;
		hosts++;
		if (!is_own_host(line, port))
			return 403;
	}
	return hosts == 1 ? 200 : 400;
}

/* The time that this takes does not depend on which characters differ. */
static int is_token(const char *text, const char *token)
{
	unsigned int difference = 0;

	for (size_t i = 0; i < HTTP_TOKEN_LENGTH; i++)
		difference |= (unsigned char)text[i] ^ (unsigned char)token[i];
	return difference == 0;
}

static int parse_offset(text_part text, uint64_t *offset)
{
	*offset = 0;
	/* 18 digits do not overflow. */
	if (text.length == 0 || text.length > 18)
		return 0;
	for (size_t i = 0; i < text.length; i++) {
		if (text.start[i] < '0' || text.start[i] > '9')
			return 0;
		*offset = *offset * 10 + (uint64_t)(text.start[i] - '0');
	}
	return 1;
}

static unsigned int find_resource(text_part target, const char *token, http_request *request)
{
	static const char log[] = "log/";
	text_part rest = {target.start + HTTP_TOKEN_LENGTH + 2, target.length - HTTP_TOKEN_LENGTH - 2};

	if (target.length < HTTP_TOKEN_LENGTH + 2 || target.start[0] != '/' || !is_token(target.start + 1, token) ||
	    target.start[HTTP_TOKEN_LENGTH + 1] != '/')
		return 403;
	if (rest.length == 0) {
		request->resource = HTTP_PAGE;
		return 200;
	}
	if (is_text(rest, "names")) {
		request->resource = HTTP_NAMES;
		return 200;
	}
	if (rest.length < sizeof(log) || memcmp(rest.start, log, sizeof(log) - 1) != 0)
		return 404;
	rest.start += sizeof(log) - 1;
	rest.length -= sizeof(log) - 1;
	request->resource = HTTP_LOG;
	return parse_offset(rest, &request->offset) ? 200 : 404;
}

static int has_control_characters(text_part text)
{
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.start[i] < ' ' && strchr("\r\n\t", text.start[i]) == NULL)
			return 1;
	return memchr(text.start, '\0', text.length) != NULL;
}

/* Reads the head of a request, whose last four bytes are those of the empty line. */
static http_request http_request_parse(const char *head, size_t length, const http_site *site)
{
	http_request request = {400, HTTP_PAGE, 0};
	text_part rest = {head, length};
	text_part line;
	text_part method;
	text_part target;

	if (has_control_characters(rest) || !take_part(&rest, "\r\n", &line) || !take_part(&line, " ", &method) ||
	    !take_part(&line, " ", &target) || (!is_text(line, "HTTP/1.1") && !is_text(line, "HTTP/1.0")))
		return request;
	request.status = check_fields(rest, site->port);
	if (request.status == 200 && !is_text(method, "GET"))
		request.status = 405;
	if (request.status == 200)
		request.status = find_resource(target, site->token, &request);
	return request;
}

/*
 * Limits, and clients.
 */

/* Clients at one time. More wait until one is done, or until one that has not sent a request makes room. */
#define SERVER_MAX_CLIENTS 32

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
