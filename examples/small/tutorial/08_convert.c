/* SPDX-License-Identifier: MIT */
/*
 * 08: convert a log to another dialect.
 *
 * A converter copies from a reader to a writer. With the option lossy, data that the dialect cannot represent is left
 * out and counted by kind; without it, the first such block ends the copy.
 *
 *     ./08_convert tutorial.mprof mono.mprof
 */
#include <mprof/convert.h>

#include <inttypes.h>
#include <stdio.h>

static void print_losses(const mprof_writer *writer)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};

	if (mprof_writer_get_stats(writer, &stats) != MPROF_OK)
		return;
	printf("%" PRIu64 " events written, %" PRIu64 " things left out or shortened\n", stats.events, stats.left_out);
	for (int kind = 0; kind < 256; kind++)
		if (stats.left_out_blocks[kind] > 0)
			printf("%" PRIu64 " blocks of kind %s\n", stats.left_out_blocks[kind],
			       mprof_block_get_name(kind));
}

int main(int argc, char **argv)
{
	mprof_converter *converter = NULL;
	mprof_reader *reader = NULL;
	mprof_writer *writer = NULL;
	mprof_converter_options options;
	mprof_writer_options writer_options;
	int failed;

	mprof_writer_options_init(&writer_options, sizeof(writer_options));
	writer_options.dialect = MPROF_DIALECT_MONO;
	writer_options.lossy = 1;
	mprof_converter_options_init(&options, sizeof(options));
	options.writer = &writer_options;
	failed = argc != 3 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK ||
		 mprof_converter_create(reader, &options, &converter) != MPROF_OK ||
		 mprof_converter_get_writer_options(converter, &writer_options) != MPROF_OK ||
		 mprof_writer_open_path(argv[2], &writer_options, &writer) != MPROF_OK ||
		 mprof_converter_run(converter, writer, NULL, NULL) != MPROF_OK;
	if (!failed)
		print_losses(writer);
	failed = mprof_writer_destroy(writer) != MPROF_OK || failed;
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return failed;
}
