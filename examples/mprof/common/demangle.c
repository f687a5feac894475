/* SPDX-License-Identifier: MIT */
/*
 * Demangles names with the demangler of the runtime library of C++. A name of 200 bytes in a damaged log can stand for
 * gigabytes of text, and the demangler has no limit. So it is used in a process of its own, which is started for the
 * first such name and ends when it has used the processor for too long; names are then printed as they are in the log.
 */
#include "common/demangle.h"

#include "common/text_pool.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longer names are not demangled, in bytes. */
#define MOST_MANGLED 4096
#define MOST_PLAIN 65536

/* Processor time for all names together: one takes some microseconds. */
#define HELPER_SECONDS 2

/* Rust ends such a name with a part of this length: "h" and a hash in hexadecimal. */
#define RUST_HASH_LENGTH 17

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

static demangle_function *find_demangler(void)
{
	static demangle_function *demangle;
	static int is_loaded;
	void *library;
	void *address;

	if (is_loaded)
		return demangle;
	is_loaded = 1;
	library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	address = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
	/* Not a plain cast: ISO C does not define a conversion from an object pointer to a function pointer. */
	memcpy(&demangle, &address, sizeof(demangle));
	return demangle;
}

/* Removes the hash at the end of a name of Rust. Returns 0 if there is none. */
static int remove_hash(char *name)
{
	size_t length = strlen(name);
	char *hash;

	if (length < RUST_HASH_LENGTH + 2)
		return 0;
	hash = name + length - RUST_HASH_LENGTH;
	if (hash[0] != 'h' || hash[-1] != ':' || hash[-2] != ':' ||
	    strspn(hash + 1, "0123456789abcdef") != RUST_HASH_LENGTH - 1)
		return 0;
	hash[-2] = '\0';
	return 1;
}

/* Decodes the text between two dollar signs. Returns the character; 0 if the text is unknown. */
static int decode_escape(const char *text, size_t length)
{
	static const struct {
		const char *text;
		char character;
	} escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
		       {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
	char *end;
	unsigned long code;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (strlen(escapes[i].text) == length && strncmp(escapes[i].text, text, length) == 0)
			return escapes[i].character;
	if (length < 2 || text[0] != 'u' || !isxdigit((unsigned char)text[1]))
		return 0;
	code = strtoul(text + 1, &end, 16);
	return end == text + length && code >= ' ' && code < 127 ? (int)code : 0;
}

/* Decodes $LT$, $u20$ and the like, and "..", which stands for "::", in place: the result is never longer. */
static void decode_rust(char *name)
{
	char *out = name;

	for (const char *in = name; *in != '\0';) {
		const char *end = in[0] == '$' ? strchr(in + 1, '$') : NULL;
		int character = end != NULL ? decode_escape(in + 1, (size_t)(end - in - 1)) : 0;

		/* An escape cannot begin a part of a name, so an underscore is before it. */
		if (in[0] == '_' && in[1] == '$' && (in == name || in[-1] == ':')) {
			in++;
		} else if (character != 0) {
			*out++ = (char)character;
			in = end + 1;
		} else if (in[0] == '.' && in[1] == '.') {
			*out++ = ':';
			*out++ = ':';
			in += 2;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
}

/* Demangles without limits. The caller frees the result; NULL if the name is not in these schemes. */
static char *demangle_here(const char *name)
{
	demangle_function *demangle = find_demangler();
	int status = -1;
	char *plain = demangle != NULL ? demangle(name, NULL, NULL, &status) : NULL;

	if (plain != NULL && remove_hash(plain))
		decode_rust(plain);
	return plain;
}

/* Answers each line with the demangled name, or with an empty line. */
static void run_helper(int socket_fd)
{
	const struct rlimit seconds = {HELPER_SECONDS, HELPER_SECONDS};
	FILE *names = fdopen(socket_fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	(void)setrlimit(RLIMIT_CPU, &seconds);
	while (names != NULL && (length = getline(&line, &size, names)) > 0) {
		char *plain;

		line[length - 1] = '\0';
		plain = demangle_here(line);
		if (dprintf(socket_fd, "%s\n", plain != NULL && strlen(plain) <= MOST_PLAIN ? plain : "") < 0)
			break;
		free(plain);
	}
	_exit(0);
}

/* The helper's answers; NULL if it could not be started, or has ended. */
static FILE *find_helper(void)
{
	static FILE *answers;
	static int is_started;
	int ends[2];
	pid_t process;

	if (is_started)
		return answers;
	is_started = 1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return NULL;
	process = fork();
	if (process == 0) {
		close(ends[0]);
		run_helper(ends[1]);
	}
	close(ends[1]);
	answers = process > 0 ? fdopen(ends[0], "r") : NULL;
	if (answers == NULL)
		close(ends[0]);
	return answers;
}

/* Asks the helper. The caller frees the answer; NULL if there is none. */
static char *ask_helper(const char *name, size_t length)
{
	FILE *answers = find_helper();
	char line[MOST_MANGLED + 1];
	char *plain = NULL;
	size_t size = 0;
	ssize_t got;

	if (answers == NULL || length > MOST_MANGLED || memchr(name, '\n', length) != NULL)
		return NULL;
	memcpy(line, name, length);
	line[length] = '\n';
	/* Not write(): if the helper has ended, its signal would end this process. */
	if (send(fileno(answers), line, length + 1, MSG_NOSIGNAL) != (ssize_t)(length + 1))
		return NULL;
	got = getline(&plain, &size, answers);
	if (got > 1 && plain[got - 1] == '\n') {
		plain[got - 1] = '\0';
		return plain;
	}
	free(plain);
	return NULL;
}

/* What follows the name after a plus sign or a blank is kept. The caller frees it. */
static char *demangle_name(const char *name)
{
	const size_t length = strcspn(name, "+ ");
	char *plain;
	char *whole = NULL;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	plain = ask_helper(name, length);
	if (plain == NULL || name[length] == '\0')
		return plain;
	if (asprintf(&whole, "%s%s", plain, name + length) < 0)
		whole = NULL;
	free(plain);
	return whole;
}

const char *demangle_shown(const char *name)
{
	static text_pool names;
	static int has_names;
	pooled_text *text;

	if (strncmp(name, "_Z", 2) != 0)
		return name;
	if (!has_names)
		text_pool_init(&names);
	has_names = 1;
	text = text_pool_get(&names, name);
	if (text == NULL)
		return name;
	if (!text->is_asked)
		text->shown = demangle_name(name);
	text->is_asked = 1;
	return text->shown != NULL ? text->shown : name;
}
