/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_records.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17): the layout of their first varint.
 */
#ifndef FORMAT_HEAP_RECORDS_H
#define FORMAT_HEAP_RECORDS_H

/** The type of a record, in the low bits of its first varint. The comments state what the other bits contain. */
typedef enum heap_record {
	HEAP_RECORD_OBJECT = 0,       /**< A live object: its class. */
	HEAP_RECORD_OBJECT_FIXED = 1, /**< A live object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_FREE = 2,         /**< A dead object: its class. */
	HEAP_RECORD_FREE_FIXED = 3,   /**< A dead object of its class's fixed size (directive 18): the class. */
	HEAP_RECORD_REFERENCES = 4,   /**< Further references of an object: their number. */
	HEAP_RECORD_ROOT = 5,         /**< A reference from a root: the ID of the root, or 0. */
	HEAP_RECORD_MOVE = 6,         /**< A moved object: 0. */
	HEAP_RECORD_MASK = 7
} heap_record;

#define HEAP_RECORD_BITS 3

/**
 * The start of a run of references with consecutive offsets (directive 26). The low bits of its first varint are the
 * number of references minus 1, and the other bits the distance from the previous run; or the low bits are
 * #HEAP_RUN_LONG and the other bits the number of references, and a signed distance follows.
 */
#define HEAP_RUN_BITS 2
#define HEAP_RUN_MASK 3
#define HEAP_RUN_LONG 3

/** The maximum of heap_records_header::shift. */
#define HEAP_MAX_SHIFT 12

#endif
