/* SPDX-License-Identifier: MIT */
/**
 * \file control_clients.h
 * \brief Those who send commands: a bounded number of connections, each with a bounded memory.
 *
 * Nothing here waits for a client. All of it is for one thread.
 */
#ifndef CONTROL_CLIENTS_H
#define CONTROL_CLIENTS_H

#include "control_commands.h"

#include <poll.h>

#define MAX_CLIENTS 16

typedef struct control_client {
	int fd;               /**< -1 if the place is free. */
	int is_classic;       /**< Came by TCP. */
	int is_ending;        /**< To be closed when all answers are sent. */
	uint64_t last_use;    /**< When it was last heard of, in control_clients::uses. */
	size_t input_length;  /**< Bytes of a line that is not complete, or not looked at yet. */
	size_t output_sent;   /**< Of output. */
	command_reply output; /**< Commands are only taken when it is sent. */
	char input[MAX_COMMAND + 1];
} control_client;

typedef struct control_clients {
	MonoProfiler *profiler;
	uint64_t uses;
	control_client clients[MAX_CLIENTS];
} control_clients;

void control_clients_init(control_clients *clients, MonoProfiler *profiler);

/** Takes a connection. If there is no place, that of the client that was silent for longest is taken. */
void control_clients_add(control_clients *clients, int fd, int is_classic);

/** Fills in what to wait for, MAX_CLIENTS entries. */
void control_clients_prepare(const control_clients *clients, struct pollfd *polls);

/** Does what there is to do, by the same entries. */
void control_clients_serve(control_clients *clients, const struct pollfd *polls);

#endif
