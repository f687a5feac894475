/* SPDX-License-Identifier: MIT */
/*
 * Finds the owner of the other end of a connection in the kernel's table of TCP sockets.
 *
 * TCP has no credentials, but both ends of a connection to the loopback address are sockets of this machine, and
 * /proc/self/net lists them with the user who owns them.
 */
#include "control_peer.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
 * Finds the socket from \p peer to \p own. Sockets without an inode belong to no process any more, and the table no
 * longer contains their user.
 */
static int find_owner(const char *table, const end *peer, const end *own, uid_t *owner)
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
		if (is_same(&at, peer) && is_same(&to, own)) {
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

int control_peer_is_trusted(int fd)
{
	end peer;
	end own;
	uid_t owner;

	if (!get_end(getpeername, fd, &peer) || !get_end(getsockname, fd, &own))
		return 0;
	if (!find_owner("/proc/self/net/tcp", &peer, &own, &owner) &&
	    !find_owner("/proc/self/net/tcp6", &peer, &own, &owner))
		return 0;
	return owner == geteuid() || owner == 0;
}
