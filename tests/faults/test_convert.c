/* SPDX-License-Identifier: MIT */
/*
 * Converts to each dialect with each request for memory refused: the copy is identical byte by byte, or the conversion
 * fails.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fault_content.h"
#include "logs/begin_copy.h"

#include <mprof/convert.h>

#include <criterion/criterion.h>

#define LAST_RESORT 3000

/* Hashes what a copy contains, whatever the lengths of its blocks are. */
static void hash_content(fault_run *run, const uint8_t *bytes, size_t length)
{
	log_input input = {NULL, NULL};
	mprof_block block;
	mprof_status status;

	cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &input.reader), MPROF_OK);
	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(input.reader, &block)) == MPROF_OK) {
		fault_hash_number(run, block.kind | (uint64_t)block.loaded << 32);
		fault_hash_number(run, block.thread);
		status = fault_fetch(run, &input, &block);
		cr_assert_leq(status, MPROF_END, "%s", mprof_status_get_text(status));
	}
	fault_hash_number(run, status);
	mprof_reader_destroy(input.reader);
}

/*
 * Hashes the copy and the counts of what it lacks. A block for which memory to compress it is refused is written as it
 * is, so compressed copies may differ in their bytes.
 */
static void hash_copy(fault_run *run, const mprof_writer *writer, int is_compressed)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	if (is_compressed)
		hash_content(run, bytes, length);
	else
		fault_hash_bytes(run, bytes, length);
	cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_OK);
	fault_hash_number(run, stats.left_out);
	fault_hash_number(run, stats.events);
	fault_hash_number(run, stats.blocks);
}

/* A failed conversion returns the same error again and does not continue. */
static void expect_failed(const mprof_converter *converter, mprof_status status)
{
	cr_assert_eq(status == MPROF_ERR_MEMORY, mprof_converter_has_failed(converter));
}

static mprof_status copy_log(fault_run *run, const log_bytes *log, mprof_writer_options *options,
			     uint64_t resolution_ns)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);

	options->allocator = &run->allocator;
	options->lossy = 1;
	if (status == MPROF_OK)
		status = begin_coarse_copy(reader, options, resolution_ns, 1e9, &converter);
	if (status == MPROF_OK)
		status = mprof_writer_open_memory(options, &writer);
	if (status == MPROF_OK) {
		status = mprof_converter_run(converter, writer, fault_note_damage, run);
		expect_failed(converter, status);
		if (status == MPROF_ERR_MEMORY)
			cr_assert_eq(mprof_converter_run(converter, writer, NULL, NULL), MPROF_ERR_MEMORY);
		else
			hash_copy(run, writer, options->codec != MPROF_CODEC_NONE);
	}
	(void)mprof_writer_destroy(writer);
	mprof_converter_destroy(converter);
	mprof_reader_destroy(reader);
	return status;
}

static mprof_status copy_to(fault_run *run, const log_bytes *log, mprof_dialect dialect, uint32_t gzip_level)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = dialect;
	options.gzip_level = gzip_level;
	/* Copies in mprof2 have the property that states a coarser unit. */
	return copy_log(run, log, &options, gzip_level == 0 && dialect == MPROF_DIALECT_MPROF2 ? 1000 : 0);
}

static mprof_status copy_to_mail(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_MAIL, 0);
}

static mprof_status copy_to_drop(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_DROP, 0);
}

static mprof_status copy_to_mono(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_MONO, 0);
}

static mprof_status copy_to_unity(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_UNITY, 0);
}

static mprof_status copy_to_mprof2(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_MPROF2, 0);
}

Test(faults_convert, to_mail, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_mail);
}

Test(faults_convert, to_drop, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_drop);
}

Test(faults_convert, to_mono, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_mono);
}

Test(faults_convert, to_unity, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_unity);
}

Test(faults_convert, to_mprof2, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_mprof2);
}

static mprof_status copy_encoded(fault_run *run, const log_bytes *log, uint32_t codec)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.has_columns = 1;
	options.has_index = 1;
	options.codec = codec;
	return copy_log(run, log, &options, 0);
}

static mprof_status copy_to_columns(fault_run *run, const log_bytes *log)
{
	return copy_encoded(run, log, MPROF_CODEC_NONE);
}

Test(faults_convert, to_columns_with_an_index, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_columns);
}

#ifdef MPROF_WITH_ZLIB
static mprof_status copy_compressed(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_MPROF2, 6);
}

Test(faults_convert, to_a_compressed_log, .timeout = LAST_RESORT)
{
	fault_try_all(copy_compressed);
}

static mprof_status copy_to_deflated_blocks(fault_run *run, const log_bytes *log)
{
	return copy_encoded(run, log, MPROF_CODEC_DEFLATE);
}

Test(faults_convert, to_compressed_blocks, .timeout = LAST_RESORT)
{
	fault_try_all(copy_to_deflated_blocks);
}
#endif
