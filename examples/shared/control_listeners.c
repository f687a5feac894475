/* SPDX-License-Identifier: MIT */
/* Opens sockets and restricts who can connect to them. */
#include "control_listeners.h"

#include "control_paths.h"
#include "control_peer.h"

#include <mprof/descriptor.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKLOG 16

/* Returns 1 if the directory belongs to this user and is closed to all others. Creates it if it does not exist. */
static int own_directory(const char *path)
{
	struct stat status;
	int fd;
	int is_own;

	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return 0;
	/* Another user may have put a link or a directory there: links are not followed, and the owner is checked. */
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	is_own = fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
	close(fd);
	if (!is_own)
		errno = EACCES;
	return is_own;
}

/* Returns 1; 0 with errno set. */
static int use_directory(const char *directory, char *path, size_t size)
{
	int length;

	if (!own_directory(directory))
		return 0;
	length = snprintf(path, size, "%s/%ld.sock", directory, (long)getpid());
	if (length <= 0 || (size_t)length >= size) {
		errno = ENAMETOOLONG;
		return 0;
	}
	(void)control_paths_clean(directory);
	return 1;
}

static int default_path(char *path, size_t size)
{
	const char *runtime_directory = secure_getenv("XDG_RUNTIME_DIR");
	char directory[128];
	int length = -1;

	if (runtime_directory != NULL && runtime_directory[0] == '/')
		length = snprintf(directory, sizeof(directory), "%s/mprof", runtime_directory);
	if (length > 0 && (size_t)length < sizeof(directory) && use_directory(directory, path, size))
		return 1;
	snprintf(directory, sizeof(directory), "/tmp/mprof-%ld", (long)geteuid());
	if (use_directory(directory, path, size))
		return 1;
	fprintf(stderr, "mprof: no commands are accepted: %s: %s\n", directory,
		errno == EACCES
			? "the directory belongs to another user or is open to others; control=PATH uses another one"
			: strerror(errno));
	return 0;
}

static int bind_path(int fd, const struct sockaddr_un *address)
{
	if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return 1;
	if (errno != EADDRINUSE)
		return 0;
	if (!control_paths_is_left_over(address->sun_path)) {
		errno = EADDRINUSE;
		return 0;
	}
	return unlink(address->sun_path) == 0 && bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
}

/* Returns 1; 0 with errno set. */
static int listen_at(control_socket *socket, const struct sockaddr_un *address)
{
	struct stat status;

	if (!bind_path(socket->fd, address))
		return 0;
	/* Access is restricted before listen(), so no other user can connect. */
	if (chmod(address->sun_path, 0600) != 0 || lstat(address->sun_path, &status) != 0 ||
	    listen(socket->fd, BACKLOG) != 0) {
		int error = errno;

		(void)unlink(address->sun_path);
		errno = error;
		return 0;
	}
	socket->device = status.st_dev;
	socket->inode = status.st_ino;
	return 1;
}

int control_socket_open(control_socket *socket_, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	socket_->fd = -1;
	if (path == NULL && !default_path(socket_->path, sizeof(socket_->path)))
		return 0;
	if (path != NULL &&
	    (size_t)snprintf(socket_->path, sizeof(socket_->path), "%s", path) >= sizeof(socket_->path)) {
		fprintf(stderr,
			"mprof: no commands are accepted: %s: a socket's path is at most %zu bytes long; control=PATH "
			"sets another one\n",
			path, sizeof(socket_->path) - 1);
		return 0;
	}
	memcpy(address.sun_path, socket_->path, sizeof(address.sun_path));
	socket_->fd = mprof_descriptor_move(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (socket_->fd >= 0 && listen_at(socket_, &address))
		return 1;
	fprintf(stderr, "mprof: no commands are accepted: %s: %s\n", socket_->path, strerror(errno));
	if (socket_->fd >= 0)
		close(socket_->fd);
	socket_->fd = -1;
	return 0;
}

void control_socket_remove(control_socket *socket)
{
	struct stat status;

	if (socket->fd < 0)
		return;
	if (lstat(socket->path, &status) == 0 && status.st_dev == socket->device && status.st_ino == socket->inode)
		(void)unlink(socket->path);
}

int control_socket_accept(const control_socket *socket)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int fd = mprof_descriptor_move(accept4(socket->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));

	if (fd < 0)
		return -1;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

int control_port_open(unsigned port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int on = 1;
	int fd = mprof_descriptor_move(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* Allows a port that a process has just released. */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	fprintf(stderr, "mprof: no commands are accepted from port %u: %s\n", port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int control_port_accept(int fd)
{
	int accepted = mprof_descriptor_move(accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));

	if (accepted < 0 || control_peer_is_trusted(accepted))
		return accepted;
	close(accepted);
	errno = EACCES;
	return -1;
}
