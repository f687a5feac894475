/* SPDX-License-Identifier: MIT */
/*
 * Converts to each dialect with each request for memory refused: the copy is identical byte by byte, or the conversion
 * fails.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "fault_content.h"

#include <mprof/convert.h>

#include <criterion/criterion.h>

#define LAST_RESORT 3000

/* Hashes the copy and the counts of what it lacks. */
static void hash_copy(fault_run *run, const mprof_writer *writer)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	const uint8_t *bytes;
	size_t length;

	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
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

static mprof_status copy_log(fault_run *run, const log_bytes *log, mprof_writer_options *options)
{
	const mprof_reader_options reader_options = fault_reader_options(run);
	mprof_reader *reader = NULL;
	mprof_converter *converter = NULL;
	mprof_writer *writer = NULL;
	mprof_status status = mprof_reader_open_memory(log->bytes, log->length, &reader_options, &reader);

	options->allocator = &run->allocator;
	options->lossy = 1;
	if (status == MPROF_OK)
		status = mprof_converter_create(reader, options, &converter);
	if (status == MPROF_OK)
		status = mprof_writer_open_memory(options, &writer);
	if (status == MPROF_OK) {
		status = mprof_converter_run(converter, writer, fault_note_damage, run);
		expect_failed(converter, status);
		if (status == MPROF_ERR_MEMORY)
			cr_assert_eq(mprof_converter_run(converter, writer, NULL, NULL), MPROF_ERR_MEMORY);
		else
			hash_copy(run, writer);
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
	options.dialect = dialect;
	options.gzip_level = gzip_level;
	return copy_log(run, log, &options);
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

#ifdef MPROF_WITH_ZLIB
static mprof_status copy_compressed(fault_run *run, const log_bytes *log)
{
	return copy_to(run, log, MPROF_DIALECT_MPROF2, 6);
}

Test(faults_convert, to_a_compressed_log, .timeout = LAST_RESORT)
{
	fault_try_all(copy_compressed);
}
#endif
