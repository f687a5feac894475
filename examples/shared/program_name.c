/* SPDX-License-Identifier: MIT */
/* Keeps the name by which the program was started. */
#include "shared/program_name.h"

#include <errno.h>
#include <string.h>

static char name[4096];

/* Constructors of the module that run earlier may need it. */
__attribute__((constructor)) static void keep_name(void)
{
	const size_t length = strnlen(program_invocation_name, sizeof(name) - 1);

	if (name[0] == '\0')
		memcpy(name, program_invocation_name, length);
}

const char *program_name(void)
{
	keep_name();
	return name;
}

const char *program_short_name(void)
{
	const char *slash = strrchr(program_name(), '/');

	return slash != NULL ? slash + 1 : name;
}
