/* SPDX-License-Identifier: MIT */
/**
 * \file control_listeners.h
 * \brief Where commands come from: a socket of the system that only its user can reach, and a TCP port of the loopback.
 */
#ifndef CONTROL_LISTENERS_H
#define CONTROL_LISTENERS_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

/** A socket of the system. */
typedef struct control_socket {
	int fd; /**< -1 if there is none. */
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	dev_t device; /**< What is at the path, if it is still ours. */
	ino_t inode;
} control_socket;

/**
 * Listens at a path, or with NULL at PID.sock in the user's own directory: $XDG_RUNTIME_DIR/mprof, or /tmp/mprof-UID.
 * It is made if need be, and not used if others may enter it. A socket that nobody listens to any more is replaced;
 * those in the user's own directory are removed.
 * Returns 1; 0 after a message.
 */
int control_socket_open(control_socket *socket, const char *path);

/** Removes it from the file system, so that nobody comes any more. Those who have come are not touched. */
void control_socket_remove(control_socket *socket);

/** Takes the next who comes, if it is this user or the superuser. Returns its descriptor, or -1 with errno. */
int control_socket_accept(const control_socket *socket);

/** Listens to a port of 127.0.0.1. Returns a descriptor; -1 after a message. */
int control_port_open(unsigned port);

/** Accepts the next connection, if it comes from this user or the superuser. Returns its descriptor, or -1 with errno. */
int control_port_accept(int fd);

#endif
