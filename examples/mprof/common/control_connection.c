/* SPDX-License-Identifier: MIT */
/* Connects to a program that is being recorded, and exchanges commands and answers with it. */
#include "common/control_connection.h"

#include "common/arguments.h"
#include "shared/control_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Returns a descriptor, or -1 with errno set. */
static int connect_path(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * Returns 1 if the process listens, and \p user owns it: in a shared directory, other users may create a socket of that
 * name, and a process of another PID namespace may have the same number. The system translates the number, and returns
 * 0 for a process that has none in the namespace of this one.
 */
static int is_peer(int fd, uid_t user, pid_t process)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user &&
	       (peer.pid == process || peer.pid == 0);
}

/*
 * Connects to the socket that a process has in one of the directories below \p root. Returns a descriptor, or -1 with
 * *error set unless there is none.
 */
static int connect_in(const char *root, const char *name, uid_t user, pid_t process, int *error)
{
	char directories[CONTROL_DIRECTORY_COUNT][CONTROL_DIRECTORY_SIZE];
	char path[CONTROL_DIRECTORY_SIZE + 96];

	control_paths_list(directories, user);
	for (int i = 0; i < CONTROL_DIRECTORY_COUNT; i++) {
		int fd;

		if (directories[i][0] == '\0')
			continue;
		snprintf(path, sizeof(path), "%.40s%.95s/%.20s.sock", root, directories[i], name);
		fd = connect_path(path);
		if (fd >= 0 && is_peer(fd, user, process))
			return fd;
		if (fd >= 0)
			close(fd);
		else if (errno != ENOENT && errno != ECONNREFUSED)
			*error = errno;
	}
	return -1;
}

/* The number of a process in its own PID namespace, after which its socket is named. Returns 0 if that is unknown. */
static int find_inner_name(const char *process, char *name, size_t size)
{
	char path[64];
	char line[256];
	const char *last = NULL;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%.20s/status", process);
	status = fopen(path, "re");
	if (status == NULL)
		return 0;
	while (last == NULL && fgets(line, sizeof(line), status) != NULL) {
		if (strncmp(line, "NSpid:", 6) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		last = strrchr(line, '\t');
	}
	fclose(status);
	if (last == NULL)
		return 0;
	snprintf(name, size, "%s", last + 1);
	return strcmp(name, process) != 0;
}

/* Returns a descriptor, or -1 with errno set; ENOENT if the process accepts no commands. */
static int connect_process(const char *process)
{
	char root[48];
	char inner[24];
	struct stat status;
	int error = ENOENT;
	int ignored;
	int fd;

	snprintf(root, sizeof(root), "/proc/%.20s", process);
	if (stat(root, &status) != 0) {
		errno = ESRCH;
		return -1;
	}
	fd = connect_in("", process, status.st_uid, (pid_t)atoi(process), &error);
	if (fd < 0 && find_inner_name(process, inner, sizeof(inner))) {
		fd = connect_in("", inner, status.st_uid, (pid_t)atoi(process), &ignored);
		/* A container has its own directories, too. */
		snprintf(root, sizeof(root), "/proc/%.20s/root", process);
		if (fd < 0)
			fd = connect_in(root, inner, status.st_uid, (pid_t)atoi(process), &ignored);
	}
	errno = error;
	return fd;
}

/* Connects to the first child process that accepts commands: the program is a child of "mprof record". */
static int connect_child(const char *process)
{
	char path[64];
	char child[16];
	int fd = -1;
	FILE *children;

	snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/children", process, process);
	children = fopen(path, "re");
	while (children != NULL && fd < 0 && fscanf(children, "%15s", child) == 1)
		fd = connect_process(child);
	if (children != NULL)
		fclose(children);
	return fd;
}

/* Returns a descriptor, or -1 after a message. */
static int connect_any(const char *process)
{
	int fd = connect_process(process);

	if (fd < 0 && errno == ENOENT) {
		fd = connect_child(process);
		errno = ENOENT;
	}
	if (fd < 0 && errno == ESRCH)
		fprintf(stderr, "mprof: control: there is no process %s\n", process);
	else if (fd < 0 && errno == ENOENT)
		fprintf(stderr,
			"mprof: control: process %s accepts no commands: it is not recorded, or uses another socket\n",
			process);
	else if (fd < 0)
		fprintf(stderr, "mprof: control: process %s: %s\n", process, strerror(errno));
	return fd;
}

int control_connect(control_connection *connection, const char *process)
{
	connection->length = 0;
	if (strchr(process, '/') == NULL) {
		connection->fd = connect_any(process);
		return connection->fd >= 0;
	}
	connection->fd = connect_path(process);
	if (connection->fd < 0)
		fprintf(stderr, "mprof: control: %s: %s\n", process, strerror(errno));
	return connection->fd >= 0;
}

int control_connect_quietly(control_connection *connection, const char *process)
{
	connection->length = 0;
	connection->fd = connect_process(process);
	if (connection->fd < 0 && errno == ENOENT)
		connection->fd = connect_child(process);
	return connection->fd >= 0;
}

static int send_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return 0;
		if (sent > 0) {
			text += sent;
			length -= (size_t)sent;
		}
	}
	return 1;
}

int control_send(control_connection *connection, const char *line)
{
	char text[CONTROL_LINE_MAX + 2];
	int length = snprintf(text, sizeof(text), "%s\n", line);

	if (send_all(connection->fd, text, (size_t)length))
		return 1;
	fprintf(stderr, "mprof: control: %s\n", strerror(errno));
	return 0;
}

/* Receives the next line of the answer, without line feed. Returns 1, or 0 after a message. */
static int receive_line(control_connection *connection, char *line, size_t size)
{
	for (;;) {
		const char *end = memchr(connection->received, '\n', connection->length);
		ssize_t count;

		if (end != NULL) {
			size_t length = (size_t)(end - connection->received);

			snprintf(line, size, "%.*s", (int)length, connection->received);
			connection->length -= length + 1;
			memmove(connection->received, end + 1, connection->length);
			return 1;
		}
		count = connection->length == sizeof(connection->received)
				? 0
				: recv(connection->fd, connection->received + connection->length,
				       sizeof(connection->received) - connection->length, 0);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			fprintf(stderr, "mprof: control: %s\n",
				count < 0 ? strerror(errno) : "the program ended without an answer");
			return 0;
		}
		connection->length += (size_t)count;
	}
}

int control_receive_answer(control_connection *connection, control_line_function take, void *user)
{
	char line[4096];

	while (receive_line(connection, line, sizeof(line))) {
		if (strcmp(line, "DONE") == 0)
			return STATUS_OK;
		if (strncmp(line, "ERROR", 5) == 0) {
			fprintf(stderr, "mprof: control: %s\n", line[5] == ' ' ? line + 6 : "refused");
			return STATUS_DAMAGED;
		}
		take(user, line);
	}
	return STATUS_NOTHING;
}

void control_disconnect(control_connection *connection)
{
	close(connection->fd);
}
