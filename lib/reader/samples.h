/* SPDX-License-Identifier: MIT */
/**
 * \file reader/samples.h
 * \brief Makes samples of the hits of STATISTICAL blocks.
 */
#ifndef READER_SAMPLES_H
#define READER_SAMPLES_H

#include <mprof/reader.h>

void reader_samples_init(mprof_reader *reader);
void reader_samples_destroy(mprof_reader *reader);

/** Learns the modules and functions that the loaded STATISTICAL block defines. */
mprof_status reader_samples_learn(mprof_reader *reader, const mprof_block *block);

/** Gives a record of the loaded STATISTICAL block the reader's IDs. */
void reader_samples_translate(mprof_reader *reader, mprof_record *record);

/** As mprof_reader_next_events(), for a STATISTICAL block; \p count is 0 before. */
mprof_status reader_samples_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count);

/** The samples of the loaded block are fetched from the first one on again. */
void reader_samples_rewind(mprof_reader *reader);

#endif
