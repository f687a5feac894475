/* SPDX-License-Identifier: MIT */
/**
 * \file reader/samples.h
 * \brief Combines the frames of STATISTICAL blocks into samples.
 */
#ifndef READER_SAMPLES_H
#define READER_SAMPLES_H

#include <mprof/reader.h>

void reader_samples_init(mprof_reader *reader);
void reader_samples_destroy(mprof_reader *reader);

/** Stores the modules and functions that the loaded STATISTICAL block defines. */
mprof_status reader_samples_learn(mprof_reader *reader, const mprof_block *block);

/** Translates a record of the loaded STATISTICAL block from the IDs of the log to those of the reader. */
void reader_samples_translate(mprof_reader *reader, mprof_record *record);

/** As mprof_reader_next_events(), for a STATISTICAL block. The caller has set \p count to 0. */
mprof_status reader_samples_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** Prepares for fetching the samples of the loaded block from the first one again. */
void reader_samples_rewind(mprof_reader *reader);

#endif
