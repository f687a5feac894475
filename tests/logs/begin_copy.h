/* SPDX-License-Identifier: MIT */
/**
 * \file logs/begin_copy.h
 * \brief Creates a converter, and completes the options of its writer.
 */
#ifndef LOGS_BEGIN_COPY_H
#define LOGS_BEGIN_COPY_H

#include <mprof/convert.h>

/** \p options are those of mprof_converter_options::writer, and become those with which the writer must be opened. */
static inline mprof_status begin_coarse_copy(mprof_reader *reader, mprof_writer_options *options,
					     uint64_t resolution_ns, double counters_per_second,
					     mprof_converter **converter)
{
	mprof_converter_options wanted;
	mprof_status status;

	mprof_converter_options_init(&wanted, sizeof(wanted));
	wanted.writer = options;
	wanted.resolution_ns = resolution_ns;
	wanted.counters_per_second = counters_per_second;
	status = mprof_converter_create(reader, &wanted, converter);
	return status == MPROF_OK ? mprof_converter_get_writer_options(*converter, options) : status;
}

static inline mprof_status begin_copy(mprof_reader *reader, mprof_writer_options *options, mprof_converter **converter)
{
	return begin_coarse_copy(reader, options, 0, 0, converter);
}

#endif
