/* SPDX-License-Identifier: MIT */
/**
 * \file writer/statistical.h
 * \brief Samples as a STATISTICAL block of tokens.
 */
#ifndef WRITER_STATISTICAL_H
#define WRITER_STATISTICAL_H

#include <mprof/writer.h>

/** Writes samples that were checked. The caller has written the pending definitions. */
mprof_status writer_put_statistical(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				    const mprof_event *samples, size_t count);

#endif
