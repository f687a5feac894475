/* SPDX-License-Identifier: MIT */
/* Copies structs of a caller that may be shorter or longer than those of the library. */
#include "base/options.h"

#include <string.h>

void struct_init(void *input, size_t struct_size)
{
	if (input == NULL || struct_size < sizeof(struct_size))
		return;
	memset(input, 0, struct_size);
	memcpy(input, &struct_size, sizeof(struct_size));
}

mprof_status struct_copy_in(void *copy, const void *input, size_t copy_size)
{
	size_t input_size;

	memset(copy, 0, copy_size);
	if (input == NULL) {
		memcpy(copy, &copy_size, sizeof(copy_size));
		return MPROF_OK;
	}
	memcpy(&input_size, input, sizeof(input_size));
	if (input_size < sizeof(input_size))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = copy_size; i < input_size; i++) {
		if (((const unsigned char *)input)[i] != 0)
			return MPROF_ERR_ARGUMENT;
	}
	memcpy(copy, input, input_size < copy_size ? input_size : copy_size);
	memcpy(copy, &copy_size, sizeof(copy_size));
	return MPROF_OK;
}

mprof_status struct_copy_out(void *output, const void *copy, size_t copy_size)
{
	size_t output_size;

	if (output == NULL)
		return MPROF_ERR_ARGUMENT;
	memcpy(&output_size, output, sizeof(output_size));
	if (output_size < sizeof(output_size))
		return MPROF_ERR_ARGUMENT;
	if (output_size > copy_size)
		memset((unsigned char *)output + copy_size, 0, output_size - copy_size);
	memcpy((unsigned char *)output + sizeof(output_size), (const unsigned char *)copy + sizeof(output_size),
	       (output_size < copy_size ? output_size : copy_size) - sizeof(output_size));
	return MPROF_OK;
}
