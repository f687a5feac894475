/* SPDX-License-Identifier: MIT */
/**
 * \file format/heap_records.h
 * \brief The records of HEAP_DATA blocks (doc/format.md, 3.17): what the varint that each begins with says.
 */
#ifndef FORMAT_HEAP_RECORDS_H
#define FORMAT_HEAP_RECORDS_H

/** The low bits of a record's first varint. Those above hold what is said here. */
typedef enum heap_record {
	HEAP_RECORD_OBJECT = 0,       /**< The class. */
	HEAP_RECORD_OBJECT_FIXED = 1, /**< The class, which says the size (directive 18). */
	HEAP_RECORD_FREE = 2,         /**< The class. */
	HEAP_RECORD_FREE_FIXED = 3,   /**< The class, which says the size (directive 18). */
	HEAP_RECORD_REFERENCES = 4,   /**< How many. */
	HEAP_RECORD_ROOT = 5,         /**< The root, or 0. */
	HEAP_RECORD_MOVE = 6,         /**< 0. */
	HEAP_RECORD_MASK = 7
} heap_record;

#define HEAP_RECORD_BITS 3

/** The most bits that are 0 in all addresses of a block. */
#define HEAP_MOST_SHIFT 12

#endif
