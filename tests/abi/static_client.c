/* SPDX-License-Identifier: MIT */
/**
 * \file static_client.c
 * \brief A program with functions of its own that are named like insides of the library, linked with the static
 * library: the library must go on calling its own.
 */
#include <mprof.h>

#include <stdio.h>

static int calls;

#define INSIDE(name)                                                                                                   \
	int name(void);                                                                                                \
	int name(void)                                                                                                 \
	{                                                                                                              \
		return ++calls;                                                                                        \
	}

INSIDE(error_set)
INSIDE(hash_seed)
INSIDE(hash_map_init)
INSIDE(sink_write)
INSIDE(text_copy)

int main(void)
{
	mprof_writer *writer = NULL;
	mprof_reader *reader = NULL;
	mprof_block block = {.struct_size = sizeof(block)};
	const uint8_t *bytes = NULL;
	size_t length = 0;

	if (mprof_writer_open_memory(NULL, &writer) != MPROF_OK || mprof_writer_close(writer) != MPROF_OK ||
	    mprof_writer_get_memory(writer, &bytes, &length) != MPROF_OK)
		return 1;
	if (mprof_reader_open_memory(bytes, length, NULL, &reader) != MPROF_OK)
		return 1;
	while (mprof_reader_next_block(reader, &block) == MPROF_OK)
		;
	mprof_reader_destroy(reader);
	if (mprof_writer_destroy(writer) != MPROF_OK)
		return 1;
	if (calls != 0)
		fprintf(stderr, "the library called the program's functions %d times\n", calls);
	return calls != 0;
}
