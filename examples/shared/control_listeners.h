/* SPDX-License-Identifier: MIT */
/**
 * \file control_listeners.h
 * \brief The sockets that accept commands: a Unix socket that only its user can reach, and a TCP port of the loopback.
 */
#ifndef SHARED_CONTROL_LISTENERS_H
#define SHARED_CONTROL_LISTENERS_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/** A listening Unix socket. */
typedef struct control_socket {
	int fd; /**< -1 if it is not open. */
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	dev_t device; /**< Device and inode of the socket, to check that the path still refers to it. */
	ino_t inode;
} control_socket;

/**
 * Listens at a path, or with NULL at PID.sock in the user's own directory: $XDG_RUNTIME_DIR/mprof, or /tmp/mprof-UID.
 * The directory is created if necessary, and not used if others may enter it. A socket at the path without a listener
 * is replaced; all such sockets in the user's own directory are removed. Returns 1; 0 after a message.
 */
int control_socket_open(control_socket *socket, const char *path);

/** Removes the socket from the file system, so that no client can connect any more. Connections stay open. */
void control_socket_remove(control_socket *socket);

/**
 * Accepts the next connection, if it comes from this user or the superuser. Returns its descriptor, or -1 with errno.
 */
int control_socket_accept(const control_socket *socket);

/** Listens on a port of 127.0.0.1. Returns a descriptor; -1 after a message. */
int control_port_open(unsigned port);

/**
 * Accepts the next connection, if it comes from this user or the superuser. Returns its descriptor, or -1 with errno.
 */
int control_port_accept(int fd);

#endif
