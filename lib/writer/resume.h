/* SPDX-License-Identifier: MIT */
/**
 * \file writer/resume.h
 * \brief Continues a log that another writer began and did not end.
 */
#ifndef WRITER_RESUME_H
#define WRITER_RESUME_H

#include <mprof/writer.h>

/** Metrics whose type is kept, by ID. Values of later ones cannot be written after a resumption. */
#define RESUME_METRICS 256

/** What the blocks of a writer depend on from earlier blocks: plain numbers, so that they can be stored. */
typedef struct writer_resume_state {
	uint64_t blocks;
	uint64_t header_counter;
	uint32_t defined[16];                       /**< Last ID defined, by #mprof_record_kind. */
	uint32_t collection;                        /**< Of the event encoder: the latest collection, ... */
	uint32_t last_number;                       /**< ... the highest number, ... */
	uint8_t has_counted;                        /**< ... whether the encoder numbered any, ... */
	uint8_t is_numbered;                        /**< ... and whether the caller numbered the latest. */
	uint8_t reserved[6];                        /**< 0. */
	uint8_t double_metrics[RESUME_METRICS / 8]; /**< Bits: metrics whose values are doubles. */
} writer_resume_state;

/** Applies a state to a writer that has written nothing. */
mprof_status writer_restore(mprof_writer *writer, const writer_resume_state *state);

/** Stores the state between two blocks. Pending definitions are written first. */
mprof_status writer_save(mprof_writer *writer, writer_resume_state *state);

/** Whether the log is a regular file to which only the writer appends. */
int writer_is_regular_file(const mprof_writer *writer);

/** The length of the log in its file, in bytes, as stored. */
uint64_t writer_stored_length(const mprof_writer *writer);

#endif
