/* SPDX-License-Identifier: MIT */
/**
 * \file commands/control_connection.h
 * \brief The connection to a program that is being recorded.
 */
#ifndef CONTROL_CONNECTION_H
#define CONTROL_CONNECTION_H

#include <stddef.h>

/** Longest line that a program takes. */
#define CONTROL_LINE_MAX 1023

typedef struct control_connection {
	int fd;
	size_t length; /**< Bytes in received that were not given out yet. */
	char received[4096];
} control_connection;

/**
 * Connects to a process, named by its number or by the path of its socket. Returns 1; 0 after a message: there is
 * none, it is not recorded, or not ours.
 */
int control_connect(control_connection *connection, const char *process);

/** Sends a line, which has no line end. Returns 1, or 0 after a message. */
int control_send(control_connection *connection, const char *line);

/** Puts the next line that was answered into \p line, without its end. Returns 1, or 0 after a message. */
int control_receive(control_connection *connection, char *line, size_t size);

void control_disconnect(control_connection *connection);

#endif
