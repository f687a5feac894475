/* SPDX-License-Identifier: MIT */
/*
 * Demangles names with libiberty, or those of C++ with the runtime library of C++ if libiberty is not there. A name of
 * 200 bytes in a damaged log can stand for gigabytes of text, which the demanglers would write. So they are used in a
 * process of their own with limits, which is started for the first such name. libiberty is stopped when its text is too
 * long; what exceeds another limit ends the process, and names are then printed as they are in the log.
 */
#include "common/demangle.h"

#include "common/process_limits.h"
#include "common/text_pool.h"

#ifdef WITH_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#else
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longer names are not demangled, in bytes. */
#define MAX_MANGLED 4096
#define MAX_PLAIN 65536

/* Processor time for all names together: one takes some microseconds. */
#define HELPER_SECONDS 2

/* Memory in addition to what the process has at the start. */
#define HELPER_BYTES (UINT64_C(64) << 20)

#ifdef WITH_LIBIBERTY

typedef struct plain_name {
	char text[MAX_PLAIN + 1];
	size_t length;
	jmp_buf too_long;
} plain_name;

/*
 * The next part of the text. libiberty ignores whether there was room, and goes on to the end of the text, so it is
 * left by a jump, which at most loses the memory of one identifier of the name.
 */
static void append(const char *part, size_t length, void *data)
{
	plain_name *plain = data;

	if (length > MAX_PLAIN - plain->length)
		longjmp(plain->too_long, 1);
	memcpy(plain->text + plain->length, part, length);
	plain->length += length;
	plain->text[plain->length] = '\0';
}

/* Demangles. Valid until the next call; NULL if the name is in no scheme. Nesting is limited by libiberty. */
static const char *demangle_here(const char *name)
{
	static plain_name plain;

	plain.length = 0;
	if (setjmp(plain.too_long) != 0)
		return NULL;
	/* The older names of Rust are also names of C++. */
	if (rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, append, &plain) != 0)
		return plain.text;
	plain.length = 0;
	return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, append, &plain) != 0 ? plain.text : NULL;
}

#else

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

/* The older names of Rust are names of C++ whose last part is "h" and a hash of 16 digits. */
static int is_of_rust(const char *name)
{
	static const char start[] = "17h";
	const size_t length = strlen(name);
	const char *hash;

	if (length < strlen(start) + 17)
		return 0;
	hash = name + length - strlen(start) - 17;
	return memcmp(hash, start, strlen(start)) == 0 && strspn(hash + strlen(start), "0123456789abcdef") == 16 &&
	       name[length - 1] == 'E';
}

/* Demangles. Valid until the next call; NULL if the name is not of C++, or the runtime library is missing. */
static const char *demangle_here(const char *name)
{
	static char *plain;
	demangle_function *demangle = find_demangler();
	int status = -1;

	free(plain);
	plain = demangle != NULL && !is_of_rust(name) ? demangle(name, NULL, NULL, &status) : NULL;
	return plain;
}

#endif

/* Answers each line with the demangled name, or with an empty line. */
static void run_helper(int socket_fd)
{
	FILE *names = fdopen(socket_fd, "r");
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	process_limit(RLIMIT_CPU, HELPER_SECONDS);
	process_limit(RLIMIT_CORE, 0);
	process_limit_memory(HELPER_BYTES);
	while (names != NULL && (length = getline(&line, &size, names)) > 0) {
		const char *plain;

		line[length - 1] = '\0';
		plain = demangle_here(line);
		if (dprintf(socket_fd, "%s\n", plain != NULL && strlen(plain) <= MAX_PLAIN ? plain : "") < 0)
			break;
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
	char line[MAX_MANGLED + 1];
	char *plain = NULL;
	size_t size = 0;
	ssize_t got;

	if (answers == NULL || length > MAX_MANGLED || memchr(name, '\n', length) != NULL)
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

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return name;
	if (!has_names)
		text_pool_init(&names);
	has_names = 1;
	text = text_pool_get(&names, name);
	if (text == NULL)
		return name;
	if (!text->is_looked_up)
		text->shown = demangle_name(name);
	text->is_looked_up = 1;
	return text->shown != NULL ? text->shown : name;
}

const char *demangle_symbol(const char *name)
{
	return name != NULL && demangle_shown(name) != name ? name : NULL;
}

int demangle_has_rust(void)
{
#ifdef WITH_LIBIBERTY
	return 1;
#else
	return 0;
#endif
}
