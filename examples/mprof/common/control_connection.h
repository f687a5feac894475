/* SPDX-License-Identifier: MIT */
/**
 * \file common/control_connection.h
 * \brief The connection to a program that is being recorded.
 */
#ifndef COMMON_CONTROL_CONNECTION_H
#define COMMON_CONTROL_CONNECTION_H

#include <stddef.h>

/** Maximum length of a line that a program accepts, in bytes. */
#define CONTROL_LINE_MAX 1023

typedef struct control_connection {
	int fd;
	size_t length; /**< Number of bytes in received that were not returned yet. */
	char received[4096];
} control_connection;

/**
 * Connects to a process, given its process ID or the path of its socket. Returns 1; 0 after a message if there is no
 * such process, it is not recorded, or it belongs to another user.
 */
int control_connect(control_connection *connection, const char *process);

/** Connects to a process by its ID, as control_connect(), without messages. */
int control_connect_quietly(control_connection *connection, const char *process);

/** Sends a line, which is given without line feed. Returns 1, or 0 after a message. */
int control_send(control_connection *connection, const char *line);

/** Takes a line of an answer, without line feed. It may change the line. */
typedef void (*control_line_function)(void *user, char *line);

/**
 * Receives the lines of an answer, up to the last one, which states the result. Returns the exit status: #STATUS_OK, or
 * #STATUS_DAMAGED if the program refused, or #STATUS_NOTHING if it did not answer, both after a message.
 */
int control_receive_answer(control_connection *connection, control_line_function take, void *user);

void control_disconnect(control_connection *connection);

#endif
