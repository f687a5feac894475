/* SPDX-License-Identifier: MIT */
/* Calls the functions of libopagent, as its header opagent.h declares them. */
#include "oprofile_agent.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* All functions except open_agent() return 0 on success. */
static struct {
	void *library;
	void *agent;
	void *(*open_agent)(void);
	int (*close_agent)(void *agent);
	int (*write_native_code)(void *agent, const char *name, uint64_t address, const void *code, unsigned size);
	int (*unload_native_code)(void *agent, uint64_t address);
} oprofile;

static void *find_library(void)
{
	void *library = dlopen("libopagent.so.1", RTLD_NOW | RTLD_LOCAL);

	return library != NULL ? library : dlopen("libopagent.so", RTLD_NOW | RTLD_LOCAL);
}

static void *find_function(const char *name)
{
	void *function = dlsym(oprofile.library, name);

	if (function == NULL)
		fprintf(stderr, "mprof: no names for oprofile: libopagent has no function %s\n", name);
	return function;
}

static int find_functions(void)
{
	oprofile.open_agent = (void *(*)(void))find_function("op_open_agent");
	oprofile.close_agent = (int (*)(void *))find_function("op_close_agent");
	oprofile.write_native_code =
		(int (*)(void *, const char *, uint64_t, const void *, unsigned))find_function("op_write_native_code");
	oprofile.unload_native_code = (int (*)(void *, uint64_t))find_function("op_unload_native_code");
	return oprofile.open_agent != NULL && oprofile.close_agent != NULL && oprofile.write_native_code != NULL &&
	       oprofile.unload_native_code != NULL;
}

int oprofile_agent_open(void)
{
	oprofile.library = find_library();
	if (oprofile.library == NULL) {
		const char *why = dlerror();

		fprintf(stderr, "mprof: no names for oprofile: %s\n", why == NULL ? "cannot load libopagent" : why);
		return 0;
	}
	if (!find_functions())
		return 0;
	oprofile.agent = oprofile.open_agent();
	if (oprofile.agent == NULL)
		fprintf(stderr, "mprof: no names for oprofile: op_open_agent: %s\n", strerror(errno));
	return oprofile.agent != NULL;
}

void oprofile_agent_code(const void *start, size_t size, const char *name)
{
	if (oprofile.agent == NULL || size > UINT_MAX)
		return;
	if (oprofile.write_native_code(oprofile.agent, name, (uintptr_t)start, start, (unsigned)size) == 0)
		return;
	fprintf(stderr, "mprof: no more names for oprofile: op_write_native_code: %s\n", strerror(errno));
	oprofile_agent_close();
}

void oprofile_agent_unload(const void *start)
{
	if (oprofile.agent != NULL)
		(void)oprofile.unload_native_code(oprofile.agent, (uintptr_t)start);
}

void oprofile_agent_close(void)
{
	if (oprofile.agent != NULL)
		(void)oprofile.close_agent(oprofile.agent);
	oprofile.agent = NULL;
}
