/* SPDX-License-Identifier: MIT */
/**
 * \file control_clients.c
 * \brief Reads lines, has them done, sends the answers.
 */
#include "control_clients.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void control_clients_init(control_clients *clients, MonoProfiler *profiler)
{
	memset(clients, 0, sizeof(*clients));
	clients->profiler = profiler;
	for (int i = 0; i < MAX_CLIENTS; i++)
		clients->clients[i].fd = -1;
}

static void end_client(control_client *client)
{
	close(client->fd);
	client->fd = -1;
}

void control_clients_add(control_clients *clients, int fd, int is_classic)
{
	control_client *place = &clients->clients[0];

	for (int i = 1; i < MAX_CLIENTS && place->fd >= 0; i++)
		if (clients->clients[i].fd < 0 || clients->clients[i].last_use < place->last_use)
			place = &clients->clients[i];
	if (place->fd >= 0)
		end_client(place);
	place->fd = fd;
	place->is_classic = is_classic;
	place->is_ending = 0;
	place->last_use = ++clients->uses;
	place->input_length = 0;
	place->output_sent = 0;
	place->output.length = 0;
}

void control_clients_prepare(const control_clients *clients, struct pollfd *polls)
{
	for (int i = 0; i < MAX_CLIENTS; i++) {
		const control_client *client = &clients->clients[i];

		polls[i].fd = client->fd;
		polls[i].events = client->output_sent < client->output.length ? POLLOUT : POLLIN;
		polls[i].revents = 0;
	}
}

/* Returns 1 if the answer is sent as a whole; 0 if the rest must wait, or the client is gone. */
static int send_answer(control_client *client)
{
	while (client->output_sent < client->output.length) {
		ssize_t sent = send(client->fd, client->output.text + client->output_sent,
				    client->output.length - client->output_sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			end_client(client);
		if (sent < 0)
			return 0;
		client->output_sent += (size_t)sent;
	}
	client->output_sent = 0;
	client->output.length = 0;
	if (client->is_ending)
		end_client(client);
	return client->fd >= 0;
}

/* Browsers can be made to send requests to any port of this machine; the lines in them are not ours. */
static int is_of_browser(const char *line)
{
	return strstr(line, " HTTP/") != NULL;
}

static void obey(control_clients *clients, control_client *client, char *line)
{
	size_t length;

	if (line[0] == '\r')
		line++;
	length = strlen(line);
	if (length > 0 && line[length - 1] == '\r')
		line[length - 1] = '\0';
	client->last_use = ++clients->uses;
	if (client->is_classic && is_of_browser(line)) {
		client->is_ending = 1;
		client->input_length = 0;
	}
	if (client->is_classic)
		control_classic_command(clients->profiler, line, &client->output);
	else
		control_command(clients->profiler, line, &client->output);
}

/* Where such a line ends nobody knows, so nothing that follows counts. */
static void refuse_line(control_client *client)
{
	const char *answer = client->is_classic ? "ERROR\n" : "ERROR the line is too long\n";

	client->is_ending = 1;
	client->output.length = strlen(answer);
	memcpy(client->output.text, answer, client->output.length);
}

/* Does the commands that have come, as long as the client takes the answers. */
static void obey_all(control_clients *clients, control_client *client)
{
	char line[MAX_COMMAND + 1];

	while (client->fd >= 0 && !client->is_ending && send_answer(client)) {
		const char *end = memchr(client->input, '\n', client->input_length);
		size_t length = end == NULL ? client->input_length : (size_t)(end - client->input);

		if (end == NULL && length < sizeof(client->input))
			return;
		if (end == NULL) {
			refuse_line(client);
			break;
		}
		memcpy(line, client->input, length);
		line[length] = '\0';
		client->input_length -= length + 1;
		memmove(client->input, end + 1, client->input_length);
		obey(clients, client, line);
	}
	if (client->fd >= 0)
		(void)send_answer(client);
}

static void hear(control_clients *clients, control_client *client)
{
	ssize_t count = recv(client->fd, client->input + client->input_length,
			     sizeof(client->input) - client->input_length, MSG_DONTWAIT);

	if (count < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return;
	if (count <= 0) {
		end_client(client);
		return;
	}
	client->input_length += (size_t)count;
	obey_all(clients, client);
}

void control_clients_serve(control_clients *clients, const struct pollfd *polls)
{
	for (int i = 0; i < MAX_CLIENTS; i++) {
		control_client *client = &clients->clients[i];

		/* The place may have changed hands since. */
		if (polls[i].revents == 0 || client->fd != polls[i].fd || client->fd < 0)
			continue;
		if (client->output_sent < client->output.length)
			obey_all(clients, client);
		else
			hear(clients, client);
	}
}
