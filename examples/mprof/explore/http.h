/* SPDX-License-Identifier: MIT */
/**
 * \file explore/http.h
 * \brief The requests that the server of mprof explore answers: GET of the page and of the log, with its token and its
 * own name, and nothing else.
 */
#ifndef EXPLORE_HTTP_H
#define EXPLORE_HTTP_H

#include <stddef.h>
#include <stdint.h>

/** Characters of a token: 128 random bits as hexadecimal digits. */
#define HTTP_TOKEN_LENGTH 32

/** Size of the head of a request that is accepted, in bytes. */
#define HTTP_MAX_HEAD 8192

/** What a request asks for. */
typedef enum http_resource {
	HTTP_PAGE, /**< "/TOKEN/" */
	HTTP_LOG,  /**< "/TOKEN/log/OFFSET": what the log has from there on. */
	HTTP_NAMES /**< "/TOKEN/names": names in the source of the functions that are known. */
} http_resource;

typedef struct http_request {
	unsigned int status; /**< 200, or the status that refuses it. */
	http_resource resource;
	uint64_t offset; /**< Of the log. */
} http_request;

/** How a server is addressed. */
typedef struct http_site {
	unsigned int port;
	char token[HTTP_TOKEN_LENGTH + 1];
} http_site;

/** The length of a head with the empty line that ends it; 0 while it is incomplete. */
size_t http_head_length(const char *bytes, size_t length);

/** Reads the head of a request, whose last four bytes are those of the empty line. */
http_request http_request_parse(const char *head, size_t length, const http_site *site);

/** The text of a status, such as "Not Found". */
const char *http_status_text(unsigned int status);

#endif
