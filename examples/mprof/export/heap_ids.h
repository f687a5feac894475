/* SPDX-License-Identifier: MIT */
/**
 * \file export/heap_ids.h
 * \brief 32-bit IDs for the objects of a heap snapshot, made from their addresses.
 *
 * Viewers that compare two snapshots recognize an object by its ID. An object that stays at its address has the same ID
 * in all snapshots of a log, as long as #heap_ids::is_stable is 1.
 */
#ifndef EXPORT_HEAP_IDS_H
#define EXPORT_HEAP_IDS_H

#include "heap/view.h"

/* The upper 10 bits of a number are the slot of a segment of 16 MiB, the lower 21 the position in units of 8 bytes. */
#define HEAP_IDS_SLOTS 1024

typedef struct heap_ids {
	uint64_t segments[HEAP_IDS_SLOTS]; /**< By slot: the number of the segment and 1; 0 if unused. */
	int is_by_order;                   /**< The addresses cannot be used: the IDs are the numbers of the objects. */
	int is_stable;
} heap_ids;

/** Assigns slots to the addresses of a snapshot. */
void heap_ids_init(heap_ids *ids, const heap_view *view);

/** The ID of an object, an odd number. The number of the object is \p index. */
uint32_t heap_ids_get(const heap_ids *ids, uint32_t index, uint64_t address);

#endif
