/* SPDX-License-Identifier: MIT */
/**
 * \file heap/object_graph.h
 * \brief The objects of one heap snapshot: gathered in the order of the log while it is read, then numbered from 0 in
 * the order of their addresses, with their references.
 *
 * Which object an address refers to is only known when all of them have been read. Until then each object takes about 6
 * bytes, and each reference 2 or 3.
 *
 * The references of all objects are in one array, those of an object one after another in the order of the log. The
 * index of a reference in this array is its number. The offsets of references take one byte each: the distance from the
 * previous reference of the object.
 */
#ifndef HEAP_OBJECT_GRAPH_H
#define HEAP_OBJECT_GRAPH_H

#include "base/allocator.h"
#include "base/hash_map.h"
#include "base/id_map.h"
#include "base/memory_budget.h"
#include "base/progress.h"
#include "format/values/varint.h"
#include "heap/address_set.h"

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
	uint32_t kind;   /**< An #mprof_root_kind, or an unknown one below 256. */
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

/** Reading the objects from the start, in the order of the log. */
typedef struct gathered_cursor {
	varint_stream_cursor objects;
	varint_stream_cursor references;
	uint64_t address;
	uint64_t offset;
	uint32_t has_offsets; /**< Of the object read last. */
} gathered_cursor;

/** Not an object: the target of a reference to an object that the snapshot lacks. */
#define OBJECT_NONE UINT32_MAX

/** A class of objects in the snapshot. */
typedef struct object_class {
	uint32_t class_id;
	uint64_t objects;
	uint64_t bytes;
	uint64_t reachable_objects; /**< Set by dominators_build(), as the next two. */
	uint64_t reachable_bytes;
	uint64_t retained_bytes;
} object_class;

/** A root that refers to an object of the snapshot. */
typedef struct object_root {
	uint32_t object;
	uint32_t area;
	uint32_t kind;
	uint32_t holder; /**< The object that was set apart and has the reference; #OBJECT_NONE. */
} object_root;

/** References that wait until the pages of their addresses have been prefetched; a power of two. */
#define PENDING_REFERENCES 16

/** A reference whose target is looked up when the page of its address has been prefetched. */
typedef struct pending_reference {
	uint64_t address;
	size_t position; /**< That of the address of the object. */
	uint32_t reference;
} pending_reference;

typedef struct pending_queue {
	uint32_t first; /**< References that were looked up. */
	uint32_t end;   /**< References that were put into the queue. */
	pending_reference slots[PENDING_REFERENCES];
} pending_queue;

/** What object_graph_link() goes through all objects for. */
typedef enum linking_phase { LINKING_NOTHING, LINKING_ADDRESSES, LINKING_OBJECTS, LINKING_REFERENCES } linking_phase;

/** Where object_graph_link() continues. */
typedef struct object_linking {
	linking_phase phase;
	uint64_t done; /**< Objects in this phase. */
	gathered_cursor cursor;
	size_t position; /**< Of the address found last. */
	uint8_t *unread; /**< If addresses are repeated: by object, a bit that is cleared when it is found. */
	pending_queue queue;
} object_linking;

typedef struct object_graph {
	const mprof_allocator *allocator;
	address_set addresses;
	uint32_t object_count;
	uint32_t reference_count;
	uint32_t *classes;         /**< By object: index of the class. */
	uint32_t *sizes;           /**< By object, in bytes; UINT32_MAX if the size is in large_sizes. */
	hash_map large_sizes;      /**< By object. */
	uint32_t *first;           /**< By object: its first reference; one more element for the end of the last. */
	uint32_t *targets;         /**< By reference: the object, or #OBJECT_NONE. */
	uint8_t *steps;            /**< By reference: see object_graph_offset(). NULL if no offsets are known. */
	hash_map offsets;          /**< By reference: offsets that are not steps. */
	uint32_t step_shift;       /**< The unit of steps is two to the power of this, in bytes. */
	object_class *class_table; /**< In the order of IDs. */
	size_t class_count;
	object_root *roots; /**< Sorted by object, then by the preference of root_rank(). */
	size_t root_count;
	uint64_t bytes;              /**< Sizes of all objects. */
	uint64_t missing_references; /**< References to objects that the snapshot lacks. */
	uint64_t missing_roots;
	uint64_t repeated_objects; /**< Objects left out since another one has the same address. */
	object_linking linking;
} object_graph;

/** Initializes an empty graph. The allocator must stay at its address until the graph is destroyed. */
void object_graph_init(object_graph *graph, const mprof_allocator *allocator);

/** Frees everything; the graph is empty then. */
void object_graph_destroy(object_graph *graph);

/** Steps of object_graph_link() that are left. */
uint64_t object_graph_steps(const object_graph *graph, const gathered_heap *heap);

/**
 * Fills an empty graph from what was gathered, and frees that. Returns 0 if there is no memory; both can then only be
 * destroyed. Also returns 0 if it was stopped: the same call continues, and the graph stays at its address until then.
 */
int object_graph_link(object_graph *graph, gathered_heap *heap, progress *going);

/**
 * Sets objects apart that are no memory, after object_graph_link(): their size is 0, no reference or root leads to
 * them, and their own references are roots instead, of the kind of the first root that they have. Returns 0 if there is
 * no memory; the graph can then only be destroyed.
 */
int object_graph_set_apart(object_graph *graph, int (*is_apart)(const void *user, uint32_t object), const void *user);

/** The size of an object in bytes. */
uint64_t object_graph_size(const object_graph *graph, uint32_t object);

/** The offset of a reference of an object, in bytes. Returns 0 if it is not known. */
int object_graph_offset(const object_graph *graph, uint32_t object, uint32_t reference, uint64_t *offset);

/** The object that has a reference. */
uint32_t object_graph_owner(const object_graph *graph, uint32_t reference);

/** The first root of an object in object_graph::roots, or NULL. */
const object_root *object_graph_root(const object_graph *graph, uint32_t object);

/** The order in which kinds of roots explain why an object is alive: 0 explains it best. */
uint32_t root_rank(uint32_t kind);

/** Greater than all ranks. */
#define ROOT_RANKS 7

#endif
