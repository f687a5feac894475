/* SPDX-License-Identifier: MIT */
/**
 * \file heap/gathered_heap.h
 * \brief The objects, references and roots of one heap snapshot, in the order of the log, while it is read.
 *
 * Which object an address refers to is only known when all of them have been read. Until then each object takes about 6
 * bytes, and each reference 2 or 3.
 */
#ifndef HEAP_GATHERED_HEAP_H
#define HEAP_GATHERED_HEAP_H

#include "base/allocator.h"
#include "base/id_map.h"
#include "base/memory_budget.h"
#include "format/values/varint.h"

/*
 * It is kept in chunks, so that it never has to be copied, and so that the last reading can free what it has read.
 */

typedef struct varint_chunk {
	struct varint_chunk *next;
	uint32_t length;   /**< Bytes that are used. */
	uint32_t capacity; /**< Bytes that there is room for. */
	uint8_t bytes[];
} varint_chunk;

typedef struct varint_stream {
	const mprof_allocator *allocator;
	varint_chunk *first;
	varint_chunk *last;
} varint_stream;

typedef struct varint_stream_cursor {
	varint_stream *stream;
	varint_chunk *chunk;
	const uint8_t *next;
	const uint8_t *limit;
	int is_releasing; /**< Chunks are freed when they have been read. */
} varint_stream_cursor;

typedef struct gathered_root {
	uint64_t object; /**< Its address. */
	uint32_t area;   /**< ID of the root area, 0 if not known. */
	uint32_t kind;   /**< An #mprof_root_kind; unknown kinds are #MPROF_ROOT_OTHER. */
} gathered_root;

/** An object as it is stored. Its references follow in the other stream. */
typedef struct gathered_object {
	uint64_t address;
	uint64_t size;
	uint32_t class_index;
	uint32_t reference_count;
	uint32_t has_offsets; /**< Its references have offsets, or marks that an offset is not known. */
} gathered_object;

typedef struct gathered_heap {
	memory_budget *budget;
	varint_stream objects;    /**< For each: class index, address, size, number of references << 1 | has_offsets. */
	varint_stream references; /**< For each: address; with offsets, also offset + 1, or 0 if not known. */
	id_map class_indices;     /**< By class ID: the index + 1. */
	uint32_t *class_ids;      /**< By index. */
	size_t class_count;
	size_t class_capacity;
	gathered_root *roots;
	size_t root_count;
	size_t root_capacity;
	uint64_t object_count;
	uint64_t reference_count;
	uint64_t orphan_references; /**< References that are not stored, since the record of their object was not
	                                 read. */
	uint64_t address_bits;      /**< The bits that are set in the address of any object. */
	uint64_t offset_bits;       /**< The bits that are set in the offset of any reference. */
	uint64_t previous_address;  /**< Of the object that was stored last. */
	uint64_t previous_offset;   /**< Of the latest reference of the current object. */
	gathered_object current;    /**< The object that is read; stored when it has all of its references. */
	int has_current;
	int known_offsets; /**< The offset of at least one reference is known. */
} gathered_heap;

/** The budget must stay at its address. */
void gathered_heap_init(gathered_heap *heap, memory_budget *budget);

/** Frees everything; the heap can be initialized again. */
void gathered_heap_destroy(gathered_heap *heap);

/**
 * Adds an event of a HEAP_DATA block. Returns #MPROF_OK; #MPROF_ERR_LIMIT if there is no room in the budget or for
 * another object or reference; #MPROF_ERR_MEMORY. After an error it can only be destroyed.
 */
mprof_status gathered_heap_add(gathered_heap *heap, const mprof_event *event);

/**
 * A part of the snapshot is missing here, or it has ended: references that follow do not belong to the latest object.
 * Returns as gathered_heap_add().
 */
mprof_status gathered_heap_interrupt(gathered_heap *heap);

/** Two to the power of this is the largest number that divides all addresses; at most \p max. */
uint32_t gathered_heap_shift_of(uint64_t bits, uint32_t max);

/** Reading the objects from the start, in the order of the log. */
typedef struct gathered_cursor {
	varint_stream_cursor objects;
	varint_stream_cursor references;
	uint64_t address;
	uint64_t offset;
	uint32_t has_offsets; /**< Of the object read last. */
} gathered_cursor;

/** A reference. */
typedef struct gathered_reference {
	uint64_t address;
	uint64_t offset;
	int has_offset;
} gathered_reference;

/** Starts to read. If \p is_releasing, this is the last time: what has been read is freed. */
void gathered_heap_begin(gathered_cursor *cursor, gathered_heap *heap, int is_releasing);

/** Reads an object. There must be another one. */
void gathered_heap_next_object(gathered_cursor *cursor, gathered_object *object);

/** Reads a reference of the object read last. Unless no references are read, all of them must be. */
void gathered_heap_next_reference(gathered_cursor *cursor, gathered_reference *reference);

#endif
