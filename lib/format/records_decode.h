/* SPDX-License-Identifier: MIT */
/**
 * \file format/records_decode.h
 * \brief Decodes the lists of STACKS, CODE, METRICS, ROOTS and HEAP_SUMMARY blocks (doc/format.md, 3.13 to 3.15, 3.18,
 * 3.19) to mprof_record.
 */
#ifndef FORMAT_RECORDS_DECODE_H
#define FORMAT_RECORDS_DECODE_H

#include "format/content_cursor.h"

/** Iterates over the lists of one block. */
typedef struct record_cursor {
	content_cursor content; /**< After all lists when at_end is set. */
	uint32_t block_kind;
	uint32_t list;    /**< Index of the list. */
	uint32_t last_id; /**< The last ID in the list; 0 at its start. */
	uint32_t left;    /**< STACKS: number of call stacks left. */
	int at_end;
} record_cursor;

/** Starts at the first list of the block. */
void record_cursor_init(record_cursor *cursor, const content_cursor *content, uint32_t block_kind);

/** Decodes the next record. Returns 1, or 0 at the end of all lists or on a fault. */
int record_cursor_next(record_cursor *cursor, mprof_record *record);

#endif
