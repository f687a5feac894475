/* SPDX-License-Identifier: MIT */
/**
 * \file explore/server.h
 * \brief Serves the page of mprof explore and the log on the loopback address, while the log may grow. The address has
 * a random token: other users of the machine cannot guess it.
 */
#ifndef EXPLORE_SERVER_H
#define EXPLORE_SERVER_H

#include "explore/page.h"
#include "live/growing_log.h"

#include <stddef.h>
#include <stdint.h>

/** Characters of a token: 128 random bits as hexadecimal digits. */
#define HTTP_TOKEN_LENGTH 32

/** How a server is addressed. */
typedef struct http_site {
	unsigned int port;
	char token[HTTP_TOKEN_LENGTH + 1];
} http_site;

struct server_client;

typedef struct explore_server {
	const char *page; /**< Borrowed. */
	size_t page_length;
	growing_log *log;     /**< NULL: the page alone. Borrowed. */
	readable_names names; /**< Of the functions that the log has defined so far. */
	int is_log_complete;  /**< No more bytes of the log will come. */
	http_site site;
	int listener; /**< -1 if it is not open. */
	struct server_client *clients;
} explore_server;

/**
 * Listens on a port of 127.0.0.1, 0 for any that is free, and makes the token. Returns NULL, or a message. Call
 * explore_server_close() in both cases.
 */
const char *explore_server_open(explore_server *server, unsigned int port);

/** The address of the page. The caller frees it; NULL if out of memory. */
char *explore_server_link(const explore_server *server);

/** Answers requests until growing_log_is_interrupted(). Returns NULL, or a message if that is not possible any more. */
const char *explore_server_run(explore_server *server);

void explore_server_close(explore_server *server);

#endif
