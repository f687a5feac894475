/* SPDX-License-Identifier: MIT */
/* Copies structs of a caller that may be shorter or longer than those of the library. */
#include "base/options.h"

#include <string.h>

void struct_init(void *given, size_t struct_size)
{
	if (given == NULL || struct_size < sizeof(struct_size))
		return;
	memset(given, 0, struct_size);
	memcpy(given, &struct_size, sizeof(struct_size));
}

mprof_status struct_copy_in(void *own, const void *given, size_t own_size)
{
	size_t given_size;

	memset(own, 0, own_size);
	if (given == NULL) {
		memcpy(own, &own_size, sizeof(own_size));
		return MPROF_OK;
	}
	memcpy(&given_size, given, sizeof(given_size));
	if (given_size < sizeof(given_size))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = own_size; i < given_size; i++) {
		if (((const unsigned char *)given)[i] != 0)
			return MPROF_ERR_ARGUMENT;
	}
	memcpy(own, given, given_size < own_size ? given_size : own_size);
	memcpy(own, &own_size, sizeof(own_size));
	return MPROF_OK;
}

mprof_status struct_copy_out(void *given, const void *own, size_t own_size)
{
	size_t given_size;

	if (given == NULL)
		return MPROF_ERR_ARGUMENT;
	memcpy(&given_size, given, sizeof(given_size));
	if (given_size < sizeof(given_size))
		return MPROF_ERR_ARGUMENT;
	if (given_size > own_size)
		memset((unsigned char *)given + own_size, 0, given_size - own_size);
	memcpy((unsigned char *)given + sizeof(given_size), (const unsigned char *)own + sizeof(given_size),
	       (given_size < own_size ? given_size : own_size) - sizeof(given_size));
	return MPROF_OK;
}
