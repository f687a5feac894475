/* SPDX-License-Identifier: MIT */
/* Reads lines, executes them as commands, and sends the answers. */
#include "control_clients.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void control_clients_init(control_clients *clients, command_function run, void *user)
{
	memset(clients, 0, sizeof(*clients));
	clients->run = run;
	clients->user = user;
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
	control_client *client = &clients->clients[0];

	for (int i = 1; i < MAX_CLIENTS && client->fd >= 0; i++)
		if (clients->clients[i].fd < 0 || clients->clients[i].last_use < client->last_use)
			client = &clients->clients[i];
	if (client->fd >= 0)
		end_client(client);
	client->fd = fd;
	client->is_classic = is_classic;
	client->is_ending = 0;
	client->last_use = ++clients->uses;
	client->input_length = 0;
	client->output_sent = 0;
	client->output.length = 0;
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

/* Returns 1 if the whole answer was sent; 0 if the rest must wait, or the client has disconnected. */
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

/* A web page can make a browser send requests to any port of this machine. Their lines must not be executed. */
static int is_of_browser(const char *line)
{
	return strstr(line, " HTTP/") != NULL;
}

static void run_command_line(control_clients *clients, control_client *client, char *line)
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
	clients->run(clients->user, line, client->is_classic, &client->output);
}

/*
 * Answers a line that is too long. Its end has not been received, so no later command can be found: the client is
 * closed after the answer.
 */
static void refuse_line(control_client *client)
{
	const char *answer = client->is_classic ? "ERROR\n" : "ERROR the line is longer than 1023 bytes\n";

	client->is_ending = 1;
	client->output.length = strlen(answer);
	memcpy(client->output.text, answer, client->output.length);
}

/* Executes the commands received so far, as long as the client reads the answers. */
static void run_complete_lines(control_clients *clients, control_client *client)
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
		run_command_line(clients, client, line);
	}
	if (client->fd >= 0)
		(void)send_answer(client);
}

static void receive_commands(control_clients *clients, control_client *client)
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
	run_complete_lines(clients, client);
}

void control_clients_serve(control_clients *clients, const struct pollfd *polls)
{
	for (int i = 0; i < MAX_CLIENTS; i++) {
		control_client *client = &clients->clients[i];

		/* The entry may have been reused for another client since poll() was called. */
		if (polls[i].revents == 0 || client->fd != polls[i].fd || client->fd < 0)
			continue;
		if (client->output_sent < client->output.length)
			run_complete_lines(clients, client);
		else
			receive_commands(clients, client);
	}
}
