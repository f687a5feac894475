/* SPDX-License-Identifier: MIT */
/**
 * \file control_clients.h
 * \brief The clients that send commands: a bounded number of connections, each with bounded memory.
 *
 * No function waits for a client. Not thread-safe: the control thread owns all of it.
 */
#ifndef SHARED_CONTROL_CLIENTS_H
#define SHARED_CONTROL_CLIENTS_H

#include "control_reply.h"

#include <poll.h>
#include <stdint.h>

#define MAX_CLIENTS 16

typedef struct control_client {
	int fd;               /**< -1 if the entry is free. */
	int is_classic;       /**< Connected by TCP. */
	int is_ending;        /**< To be closed when all answers are sent. */
	uint64_t last_use;    /**< Value of control_clients::uses when it last sent something. */
	size_t input_length;  /**< Length of input not executed yet, in bytes. */
	size_t output_sent;   /**< Bytes of output that are sent. */
	command_reply output; /**< The answer. The next command is executed only when it is sent. */
	char input[MAX_COMMAND + 1];
} control_client;

/** Executes the command in a line without line feed. \p is_classic: it was received by TCP. */
typedef void (*command_function)(void *user, const char *line, int is_classic, command_reply *reply);

typedef struct control_clients {
	command_function run;
	void *user;
	uint64_t uses;
	control_client clients[MAX_CLIENTS];
} control_clients;

void control_clients_init(control_clients *clients, command_function run, void *user);

/**
 * Adds a connection and takes ownership of \p fd. If all entries are in use, the client that was silent for longest is
 * closed.
 */
void control_clients_add(control_clients *clients, int fd, int is_classic);

/** Fills in MAX_CLIENTS entries for poll(). */
void control_clients_prepare(const control_clients *clients, struct pollfd *polls);

/** Serves the clients whose entries are ready after poll(). */
void control_clients_serve(control_clients *clients, const struct pollfd *polls);

#endif
