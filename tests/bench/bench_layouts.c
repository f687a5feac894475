/* SPDX-License-Identifier: MIT */
/**
 * \file bench/bench_layouts.c
 * \brief What an event takes in each layout of a log, what reading it into structs costs, and what compressing it adds.
 */
#include "bench.h"

#include "bench_input.h"

/* A size to measure, compared with rows. */
typedef struct layout_size {
	const char *name;
	uint64_t resolution_ns;
	uint32_t codec;
	double target;
} layout_size;

static double bytes_per_event(const bench_input *input)
{
	return (double)input->length / (double)input->events;
}

static double read_rows(void *user)
{
	(void)user;
	return bench_input_read(bench_input_rows()) / (double)bench_input_rows()->events;
}

static double read_columns(void *user)
{
	(void)user;
	return bench_input_read(bench_input_columns()) / (double)bench_input_columns()->events;
}

/* Returns 0 if the library was built without the codec. */
static int has_codec(uint32_t codec)
{
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_status status;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.codec = codec;
	status = mprof_writer_open_memory(&options, &writer);
	mprof_writer_destroy(writer);
	return status == MPROF_OK;
}

/* Level 1 of deflate and 3 of zstd, the defaults. */
static void write_columns(uint64_t resolution_ns, uint32_t codec, bench_input *written)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.has_columns = 1;
	options.codec = codec;
	bench_input_convert(&options, resolution_ns, written);
}

static void print_size(const layout_size *layout)
{
	bench_input written;

	if (!has_codec(layout->codec)) {
		bench_print_missing(layout->name, "the library was built without this codec");
		return;
	}
	write_columns(layout->resolution_ns, layout->codec, &written);
	bench_print_value(layout->name, bytes_per_event(&written), "bytes", bytes_per_event(bench_input_rows()), "rows",
			  layout->target);
	mprof_writer_destroy(written.writer);
}

static double measure_writing(uint32_t codec)
{
	double start = bench_thread_time();
	bench_input written;

	write_columns(0, codec, &written);
	start = bench_thread_time() - start;
	mprof_writer_destroy(written.writer);
	return start / (double)bench_input_rows()->events;
}

static double write_plain(void *user)
{
	(void)user;
	return measure_writing(MPROF_CODEC_NONE);
}

static double write_compressed(void *user)
{
	return measure_writing(*(const uint32_t *)user);
}

static void print_cost(const char *name, uint32_t codec)
{
	bench_row row = {name, write_compressed, write_plain, "columns not compressed", 0};

	if (has_codec(codec))
		bench_print(&row, &codec);
}

void bench_layouts(void)
{
	static const layout_size sizes[] = {
		{"columns", 0, MPROF_CODEC_NONE, 2.5},
		{"columns, zstd", 0, MPROF_CODEC_ZSTD, 0.65},
		{"columns, deflate", 0, MPROF_CODEC_DEFLATE, 0.80},
		{"columns, units of 100 ns", 100, MPROF_CODEC_NONE, 0},
		{"columns, units of 100 ns, zstd", 100, MPROF_CODEC_ZSTD, 0.40},
		{"columns, units of 100 ns, deflate", 100, MPROF_CODEC_DEFLATE, 0.52},
	};
	bench_row structs = {"columns read into structs", read_columns, read_rows, "rows into structs", 0};

	bench_input_rows();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		print_size(&sizes[i]);
	bench_print_target(&structs, NULL, &(bench_target){.ratio = 0.5});
	print_cost("converted to columns, deflate, and read", MPROF_CODEC_DEFLATE);
	print_cost("converted to columns, zstd, and read", MPROF_CODEC_ZSTD);
}
