/* SPDX-License-Identifier: MIT */
/* Listens for control connections. */
#include "shared/control_listeners.h"

#include <mprof/base.h>

#include "control_paths.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * TCP has no credentials, but both ends of a connection to the loopback address are sockets of this machine, and
 * /proc/self/net lists them with the user who owns them.
 */

/* One end of a connection, in a form to which the entries of the IPv4 and IPv6 tables are converted. */
typedef struct end {
	uint32_t address; /* in network order */
	uint16_t port;    /* in host order */
} end;

/* Formats the first three words of an IPv4-mapped IPv6 address as the table prints them. */
static void mapped_prefix(char *text, size_t size)
{
	snprintf(text, size, "0000000000000000%08" PRIX32, (uint32_t)htonl(UINT32_C(0xffff)));
}

/* Parses "0100007F:1F90", or the same after the prefix of a mapped address. */
static int parse_end(const char *text, end *found)
{
	char prefix[25];
	size_t length = strcspn(text, ":");
	unsigned port;

	mapped_prefix(prefix, sizeof(prefix));
	if (length == 32 && strncmp(text, prefix, 24) == 0)
		text += 24;
	else if (length != 8)
		return 0;
	if (sscanf(text, "%8" SCNx32 ":%4x", &found->address, &port) != 2)
		return 0;
	found->port = (uint16_t)port;
	return 1;
}

static int is_same(const end *a, const end *b)
{
	return a->address == b->address && a->port == b->port;
}

/*
 * Finds the socket from \p peer to \p near. Sockets without an inode belong to no process any more, and the table no
 * longer contains their user.
 */
static int find_owner(const char *table, const end *peer, const end *near, uid_t *owner)
{
	char line[512];
	int found = 0;
	FILE *file = fopen(table, "re");

	if (file == NULL)
		return 0;
	while (!found && fgets(line, sizeof(line), file) != NULL) {
		char local[48];
		char remote[48];
		unsigned user;
		unsigned long inode;
		end at;
		end to;

		if (sscanf(line, " %*u: %47s %47s %*s %*s %*s %*s %u %*s %lu", local, remote, &user, &inode) != 4 ||
		    inode == 0 || !parse_end(local, &at) || !parse_end(remote, &to))
			continue;
		if (is_same(&at, peer) && is_same(&to, near)) {
			*owner = (uid_t)user;
			found = 1;
		}
	}
	fclose(file);
	return found;
}

static int get_end(int (*get)(int, struct sockaddr *, socklen_t *), int fd, end *found)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);

	if (get(fd, (struct sockaddr *)&address, &size) != 0 || address.sin_family != AF_INET)
		return 0;
	found->address = address.sin_addr.s_addr;
	found->port = ntohs(address.sin_port);
	return 1;
}

/*
 * Whether the other end of a connected TCP socket belongs to a process of this user or of the superuser. Returns 0 if
 * the other end is on another machine or was closed already: then the system does not report its owner.
 */
static int control_peer_is_trusted(int fd)
{
	end peer;
	end near;
	uid_t owner;

	if (!get_end(getpeername, fd, &peer) || !get_end(getsockname, fd, &near))
		return 0;
	if (!find_owner("/proc/self/net/tcp", &peer, &near, &owner) &&
	    !find_owner("/proc/self/net/tcp6", &peer, &near, &owner))
		return 0;
	return owner == geteuid() || owner == 0;
}

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
