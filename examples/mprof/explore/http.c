/* SPDX-License-Identifier: MIT */
/* Reads the requests to the server of mprof explore, and refuses all that the page does not send. */
#include "explore/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	unsigned int status;
	const char *text;
} statuses[] = {
	{200, "OK"},
	{400, "Bad Request"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{416, "Range Not Satisfiable"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
};

const char *http_status_text(unsigned int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].status == status)
			return statuses[i].text;
	return "Error";
}

size_t http_head_length(const char *bytes, size_t length)
{
	const char *end = memmem(bytes, length, "\r\n\r\n", 4);

	return end != NULL ? (size_t)(end - bytes) + 4 : 0;
}

/* A part of the head: not terminated. */
typedef struct text_part {
	const char *start;
	size_t length;
} text_part;

static int is_text(text_part part, const char *text)
{
	return part.length == strlen(text) && memcmp(part.start, text, part.length) == 0;
}

/* Takes what precedes a separator from the start of a text. Returns 0 if the text does not contain the separator. */
static int take_part(text_part *text, const char *separator, text_part *part)
{
	const size_t length = strlen(separator);
	const char *end = memmem(text->start, text->length, separator, length);

	if (end == NULL)
		return 0;
	*part = (text_part){text->start, (size_t)(end - text->start)};
	text->start = end + length;
	text->length -= part->length + length;
	return 1;
}

static void trim(text_part *part)
{
	while (part->length > 0 && strchr(" \t", part->start[0]) != NULL) {
		part->start++;
		part->length--;
	}
	while (part->length > 0 && strchr(" \t", part->start[part->length - 1]) != NULL)
		part->length--;
}

/* A page of another name that resolves to this machine must not read the log (DNS rebinding). */
static int is_own_host(text_part host, unsigned int port)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char wanted[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(wanted, sizeof(wanted), "%s:%u", names[i], port);
		if (is_text(host, wanted))
			return 1;
		if (port == 80 && is_text(host, names[i]))
			return 1;
	}
	return 0;
}

/* Returns the status of the header fields: there has to be one field Host, with a name of this server. */
static unsigned int check_fields(text_part fields, unsigned int port)
{
	unsigned int hosts = 0;
	text_part line;
	text_part name;

	while (take_part(&fields, "\r\n", &line) && line.length > 0) {
		if (!take_part(&line, ":", &name) || name.length == 0 || strchr(" \t", name.start[0]) != NULL)
			return 400;
		trim(&line);
		if (name.length != strlen("Host") || strncasecmp(name.start, "Host", name.length) != 0)
			continue;
		hosts++;
		if (!is_own_host(line, port))
			return 403;
	}
	return hosts == 1 ? 200 : 400;
}

/* The time that this takes does not depend on which characters differ. */
static int is_token(const char *text, const char *token)
{
	unsigned int difference = 0;

	for (size_t i = 0; i < HTTP_TOKEN_LENGTH; i++)
		difference |= (unsigned char)text[i] ^ (unsigned char)token[i];
	return difference == 0;
}

static int parse_offset(text_part text, uint64_t *offset)
{
	*offset = 0;
	/* 18 digits do not overflow. */
	if (text.length == 0 || text.length > 18)
		return 0;
	for (size_t i = 0; i < text.length; i++) {
		if (text.start[i] < '0' || text.start[i] > '9')
			return 0;
		*offset = *offset * 10 + (uint64_t)(text.start[i] - '0');
	}
	return 1;
}

static unsigned int find_resource(text_part target, const char *token, http_request *request)
{
	static const char log[] = "log/";
	text_part rest = {target.start + HTTP_TOKEN_LENGTH + 2, target.length - HTTP_TOKEN_LENGTH - 2};

	if (target.length < HTTP_TOKEN_LENGTH + 2 || target.start[0] != '/' || !is_token(target.start + 1, token) ||
	    target.start[HTTP_TOKEN_LENGTH + 1] != '/')
		return 403;
	if (rest.length == 0) {
		request->resource = HTTP_PAGE;
		return 200;
	}
	if (is_text(rest, "names")) {
		request->resource = HTTP_NAMES;
		return 200;
	}
	if (rest.length < sizeof(log) || memcmp(rest.start, log, sizeof(log) - 1) != 0)
		return 404;
	rest.start += sizeof(log) - 1;
	rest.length -= sizeof(log) - 1;
	request->resource = HTTP_LOG;
	return parse_offset(rest, &request->offset) ? 200 : 404;
}

static int has_control_characters(text_part text)
{
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.start[i] < ' ' && strchr("\r\n\t", text.start[i]) == NULL)
			return 1;
	return memchr(text.start, '\0', text.length) != NULL;
}

http_request http_request_parse(const char *head, size_t length, const http_site *site)
{
	http_request request = {400, HTTP_PAGE, 0};
	text_part rest = {head, length};
	text_part line;
	text_part method;
	text_part target;

	if (has_control_characters(rest) || !take_part(&rest, "\r\n", &line) || !take_part(&line, " ", &method) ||
	    !take_part(&line, " ", &target) || (!is_text(line, "HTTP/1.1") && !is_text(line, "HTTP/1.0")))
		return request;
	request.status = check_fields(rest, site->port);
	if (request.status == 200 && !is_text(method, "GET"))
		request.status = 405;
	if (request.status == 200)
		request.status = find_resource(target, site->token, &request);
	return request;
}
