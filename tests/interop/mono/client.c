/* SPDX-License-Identifier: MIT */
/*
 * Sends its standard input to a socket and prints the answers, until both have ended. With "deaf" it reads no answers,
 * but sends a line repeatedly until sending has been impossible for a second, prints a message, and waits for the end
 * of its standard input. With "many" it does the same with 100 connections that send nothing.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	fprintf(stderr, "client: %s: %s\n", path, strerror(errno));
	return -1;
}

static int talk(int fd)
{
	char text[4096];
	ssize_t count;

	while ((count = read(STDIN_FILENO, text, sizeof(text))) > 0)
		if (send(fd, text, (size_t)count, MSG_NOSIGNAL) != count)
			break;
	shutdown(fd, SHUT_WR);
	while ((count = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)count, stdout);
	return 0;
}

static int stay(const char *message)
{
	char text[16];

	puts(message);
	fflush(stdout);
	while (read(STDIN_FILENO, text, sizeof(text)) > 0)
		;
	return 0;
}

static int be_deaf(int fd)
{
	static const char line[] = "status\n";
	struct pollfd position = {.fd = fd, .events = POLLOUT};

	while (poll(&position, 1, 1000) > 0 && send(fd, line, sizeof(line) - 1, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		;
	return stay("stuck");
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "";
	int fd = connect_to(argv[1]);

	if (fd < 0)
		return 1;
	if (strcmp(kind, "deaf") == 0)
		return be_deaf(fd);
	if (strcmp(kind, "many") != 0)
		return talk(fd);
	for (int i = 1; i < 100; i++)
		if (connect_to(argv[1]) < 0)
			return 1;
	return stay("connected");
}
