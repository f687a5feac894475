/* SPDX-License-Identifier: MIT */
/*
 * Writes the calls of a program that was built with -finstrument-functions in the format of the viewer spall, as small
 * programs do it: each thread has one buffer, and writes it to the file when it is full. Here for one thread. The file
 * is that of the environment variable SPALL_OUTPUT.
 */
#define _GNU_SOURCE /* dladdr() */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

#define BUFFER_BYTES ((size_t)1 << 20)
#define NAMES 256
#define MAX_NAME_LENGTH 255
#define BEGIN_BYTES 20
#define END_BYTES 17
#define MAGIC UINT64_C(0x0badf00d)

enum { EVENT_BEGIN = 3, EVENT_END = 4 };

typedef struct function_name {
	void *function;
	size_t length;
	char text[MAX_NAME_LENGTH];
} function_name;

static unsigned char buffer[BUFFER_BYTES];
static size_t used;
static int fd = -1;
static function_name names[NAMES];

#define HOOK __attribute__((no_instrument_function))

HOOK void __cyg_profile_func_enter(void *function, void *call_site);
HOOK void __cyg_profile_func_exit(void *function, void *call_site);

HOOK static inline double read_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return (double)__rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
#endif
}

HOOK static void write_buffer(void)
{
	if (fd >= 0 && write(fd, buffer, used) != (ssize_t)used)
		abort();
	used = 0;
}

HOOK static inline void append(const void *bytes, size_t length)
{
	memcpy(buffer + used, bytes, length);
	used += length;
}

/* The name of a function is looked up when it is called first. A slot that another function has is taken over. */
HOOK static inline const function_name *find_name(void *function)
{
	function_name *name = &names[((uintptr_t)function >> 4) % NAMES];
	Dl_info info;

	if (name->function == function)
		return name;
	name->function = function;
	if (dladdr(function, &info) == 0 || info.dli_sname == NULL)
		info.dli_sname = "(unknown)";
	name->length = strnlen(info.dli_sname, MAX_NAME_LENGTH);
	memcpy(name->text, info.dli_sname, name->length);
	return name;
}

/* Type, process, thread and time; a begin event has a category after its type. */
void __cyg_profile_func_enter(void *function, void *call_site)
{
	const function_name *name = find_name(function);
	const unsigned char type[2] = {EVENT_BEGIN, 0};
	const uint32_t ids[2] = {1, 1};
	const unsigned char lengths[2] = {(unsigned char)name->length, 0};
	double time = read_counter();

	(void)call_site;
	if (used + BEGIN_BYTES + MAX_NAME_LENGTH > BUFFER_BYTES)
		write_buffer();
	append(type, sizeof(type));
	append(ids, sizeof(ids));
	append(&time, sizeof(time));
	append(lengths, sizeof(lengths));
	append(name->text, name->length);
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
	const unsigned char type = EVENT_END;
	const uint32_t ids[2] = {1, 1};
	double time = read_counter();

	(void)function;
	(void)call_site;
	if (used + END_BYTES > BUFFER_BYTES)
		write_buffer();
	append(&type, sizeof(type));
	append(ids, sizeof(ids));
	append(&time, sizeof(time));
}

/* The unit of times, in microseconds, is not measured: nothing here reads it. */
__attribute__((constructor)) HOOK static void open_file(void)
{
	const uint64_t start[2] = {MAGIC, 1};
	const double unit = 0.001;
	const uint64_t reserved = 0;
	const char *path = getenv("SPALL_OUTPUT");

	fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	append(start, sizeof(start));
	append(&unit, sizeof(unit));
	append(&reserved, sizeof(reserved));
}

__attribute__((destructor)) HOOK static void close_file(void)
{
	write_buffer();
	if (fd >= 0)
		close(fd);
	fd = -1;
}
