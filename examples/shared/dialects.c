/* SPDX-License-Identifier: MIT */
/* Finds and lists dialects by name, as the library enumerates them. */
#include "shared/dialects.h"

#include <stdio.h>
#include <string.h>

/* Dialects are numbered from 1 without gaps. */
static int get_dialect_info(unsigned int dialect, mprof_dialect_info *info)
{
	info->struct_size = sizeof(*info);
	return mprof_dialect_get_info(dialect, info) == MPROF_OK;
}

mprof_dialect dialects_find(const char *name)
{
	mprof_dialect_info info;

	for (unsigned int dialect = 1; get_dialect_info(dialect, &info); dialect++) {
		if (info.can_write && strcmp(name, info.name) == 0)
			return (mprof_dialect)dialect;
	}
	return MPROF_DIALECT_DEFAULT;
}

char *dialects_list(char text[DIALECTS_LIST_SIZE])
{
	mprof_dialect_info info;
	unsigned int last = 0;
	size_t length = 0;

	text[0] = '\0';
	while (get_dialect_info(last + 1, &info))
		last++;
	for (unsigned int dialect = last; dialect > 0 && length < DIALECTS_LIST_SIZE; dialect--) {
		if (get_dialect_info(dialect, &info) && info.can_write)
			length += (size_t)snprintf(text + length, DIALECTS_LIST_SIZE - length, "%s%s",
						   length > 0 ? ", " : "", info.name);
	}
	return text;
}

int dialects_is_older(mprof_dialect dialect)
{
	mprof_dialect_info newest;
	mprof_dialect_info info;

	return get_dialect_info(MPROF_DIALECT_DEFAULT, &newest) && get_dialect_info(dialect, &info) &&
	       info.version < newest.version;
}
