/* SPDX-License-Identifier: MIT */
/* Reads where the objects of a heap snapshot were allocated. */
#include "common/heap_origins.h"

#include "common/arguments.h"

#include <stdlib.h>
#include <string.h>

/*
 * Blocks of native memory that exist at a heap snapshot: those whose allocation is the last event before it.
 */

#define BATCH 256

/* What an event does to an address. */
typedef struct block_change {
	uint64_t address;
	uint64_t counter;
	uint64_t order; /* Of the changes in the log. */
	uint64_t size;  /* 0 if it is freed. */
	uint32_t stack;
} block_change;

typedef struct block_changes {
	block_change *items;
	size_t count;
	size_t capacity;
	uint64_t limit; /* In bytes. */
	int is_limited;
	uint64_t snapshots; /* How many have begun. */
	uint64_t number;    /* Of the latest one. */
	uint64_t end;       /* Counter of the one that is wanted. */
	int has_end;
} block_changes;

static void add_change(block_changes *all, uint64_t address, uint64_t counter, uint64_t size, uint32_t stack)
{
	if (all->is_limited)
		return;
	if (all->count == all->capacity) {
		const size_t larger = all->capacity != 0 ? all->capacity * 2 : 1024;
		block_change *grown =
			larger <= all->limit / sizeof(*grown) ? reallocarray(all->items, larger, sizeof(*grown)) : NULL;

		if (grown == NULL) {
			all->is_limited = 1;
			return;
		}
		all->items = grown;
		all->capacity = larger;
	}
	all->items[all->count] = (block_change){address, counter, all->count, size, stack};
	all->count++;
}

static void add_event(block_changes *all, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	switch (event->kind) {
	case MPROF_EVENT_MEMORY_RESIZED:
		/* The old block is gone from the start of the resize on. */
		if (detail != NULL && detail->object != 0)
			add_change(all, detail->object,
				   (int64_t)(event->counter - detail->started) > 0 ? detail->started : event->counter,
				   0, 0);
		/* Fall through. */
	case MPROF_EVENT_MEMORY_ALLOCATED:
		if (detail != NULL)
			add_change(all, event->value, event->counter, detail->size, detail->stack);
		break;
	case MPROF_EVENT_MEMORY_FREED:
		add_change(all, event->value, event->counter, 0, 0);
		break;
	default:
		break;
	}
}

static void note_snapshot(block_changes *all, const mprof_heap_data_block *block, uint32_t wanted)
{
	if (block->number == 0 || (block->number == all->number && (block->flags & MPROF_HEAP_FLAG_FIRST) == 0))
		return;
	all->number = block->number;
	if (++all->snapshots != wanted)
		return;
	all->end = block->counter;
	all->has_end = 1;
}

/* Events of threads that precede the snapshot may follow it in the log, so all of it is read. */
static void read_changes(block_changes *all, log_input *input, uint32_t wanted)
{
	static mprof_event events[BATCH];
	mprof_block block;

	memset(&block, 0, sizeof(block));
	while (input_next_block(input, &block)) {
		size_t count;

		if (block.kind == MPROF_BLOCK_HEAP_DATA)
			note_snapshot(all, &block.as.heap_data, wanted);
		if (block.kind != MPROF_BLOCK_EVENTS)
			continue;
		while (mprof_reader_next_events(input->reader, events, BATCH, &count) == MPROF_OK) {
			for (size_t i = 0; i < count; i++)
				add_event(all, &events[i]);
		}
	}
}

static int compare_changes(const void *left, const void *right)
{
	const block_change *a = left;
	const block_change *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->counter != b->counter)
		return (int64_t)(a->counter - b->counter) < 0 ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Which block contains each one. */
static void nest_blocks(native_blocks *all)
{
	uint32_t outer = 0;

	for (size_t i = 0; i < all->count; i++) {
		native_block *block = &all->blocks[i];

		while (outer != 0 && block->address - all->blocks[outer - 1].address >= all->blocks[outer - 1].size)
			outer = all->blocks[outer - 1].outer;
		block->outer = outer;
		outer = (uint32_t)i + 1;
	}
}

static void keep_live(native_blocks *all, const block_changes *changes)
{
	for (size_t i = 0; i < changes->count && all->count < UINT32_MAX - 1; i++) {
		const block_change *change = &changes->items[i];
		const block_change *next = i + 1 < changes->count ? change + 1 : NULL;
		const int is_before = (int64_t)(change->counter - changes->end) < 0;
		const int is_last = next == NULL || next->address != change->address ||
				    (int64_t)(next->counter - changes->end) >= 0;

		if (!is_before || !is_last || change->size == 0)
			continue;
		all->blocks[all->count++] = (native_block){change->address, change->size, change->stack, 0};
		if (change->stack > all->last_stack)
			all->last_stack = change->stack;
	}
}

/*
 * Reads the events of native memory before a heap snapshot of a log. \p snapshot: which one, from 1. \p limit: bytes of
 * memory for them. Returns an exit status. Call native_blocks_release() in any case.
 */
static int native_blocks_read(native_blocks *all, const char *path, uint32_t snapshot, uint64_t limit)
{
	block_changes changes = {.limit = limit};
	log_input input;
	int status = STATUS_NOTHING;

	memset(all, 0, sizeof(*all));
	if (input_open_again(&input, path,
			     MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_HEAP_DATA)) ==
	    STATUS_OK) {
		/* Damage was reported when the snapshot was read. */
		input.is_quiet = 1;
		read_changes(&changes, &input, snapshot);
		status = input.status;
	}
	input_close(&input);
	all->is_limited = changes.is_limited;
	if (!changes.is_limited && changes.has_end && changes.count > 0) {
		qsort(changes.items, changes.count, sizeof(*changes.items), compare_changes);
		all->blocks = calloc(changes.count, sizeof(*all->blocks));
		all->is_limited = all->blocks == NULL;
	}
	if (all->blocks != NULL) {
		keep_live(all, &changes);
		nest_blocks(all);
	}
	free(changes.items);
	return status;
}

static void native_blocks_release(native_blocks *all)
{
	free(all->blocks);
	memset(all, 0, sizeof(*all));
}

/* The innermost block that contains an address; NULL if none. */
static const native_block *native_blocks_find(const native_blocks *all, uint64_t address)
{
	size_t first = 0;
	size_t end = all->count;
	uint32_t found;

	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (all->blocks[middle].address <= address)
			first = middle + 1;
		else
			end = middle;
	}
	found = (uint32_t)first;
	while (found != 0 && address - all->blocks[found - 1].address >= all->blocks[found - 1].size)
		found = all->blocks[found - 1].outer;
	return found != 0 ? &all->blocks[found - 1] : NULL;
}

/*
 * Origins.
 */

/* All blocks but those of samples, which have nothing to do with objects. */
#define WANTED_BLOCKS                                                                                                  \
	(~(MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) | MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES) |                           \
	   MPROF_BLOCK_BIT(MPROF_BLOCK_TYPED) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS)))

const char heap_origins_without_allocations[] = "the log has no allocations with addresses of objects; mprof record "
						"--heap --gc --alloc=objects+stack records them";

/* Memory for native blocks, unless the user allows another amount. */
#define DEFAULT_MEMORY_MIB 4096

int heap_origins_read_native(heap_origins *origins)
{
	const uint64_t memory = origins->memory != 0 ? origins->memory : DEFAULT_MEMORY_MIB;
	mprof_session session = {.struct_size = sizeof(session)};

	/* An address in memory belongs to one process, and means nothing if objects are numbered. */
	mprof_reader_get_session(origins->input.reader, &session);
	if (session.has_object_numbers ||
	    mprof_profile_get_row_count(origins->profile, MPROF_TABLE_MEMORY_SITES) == 0 ||
	    mprof_profile_get_row_count(origins->profile, MPROF_TABLE_PROCESSES) > 1)
		return STATUS_OK;
	return native_blocks_read(&origins->blocks, origins->path, origins->snapshot, memory << 20);
}

int heap_origins_read(heap_origins *origins, uint64_t traced)
{
	mprof_profile_options options;
	mprof_block block;

	memset(&block, 0, sizeof(block));
	if (input_open_again(&origins->input, origins->path, WANTED_BLOCKS) != STATUS_OK)
		return STATUS_NOTHING;
	/* Damage was reported when the snapshot was read. */
	origins->input.is_quiet = 1;
	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = 1;
	options.with_ages = 1;
	options.alive_at_snapshot = origins->snapshot;
	options.traced_object = traced;
	options.max_memory = origins->memory << 20;
	if (mprof_profile_create(&options, &origins->profile) != MPROF_OK)
		return STATUS_NOTHING;
	while (input_next_block(&origins->input, &block))
		profile_input_add(&origins->input, origins->profile, &block);
	profile_input_finish(&origins->input, origins->profile, &block);
	origins->stats.struct_size = sizeof(origins->stats);
	mprof_profile_get_row(origins->profile, MPROF_TABLE_AGES, 0, &origins->stats);
	return origins->input.status;
}

void heap_origins_release(heap_origins *origins)
{
	if (origins->path == NULL)
		return;
	native_blocks_release(&origins->blocks);
	mprof_profile_destroy(origins->profile);
	input_close(&origins->input);
}

int heap_origins_find_object(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin)
{
	origin->object.struct_size = sizeof(origin->object);
	origin->site.struct_size = sizeof(origin->site);
	origin->block = NULL;
	/* Without collections, the order of allocations and moves is not known. */
	return origins->profile != NULL && origins->stats.collections > 0 &&
	       mprof_profile_lookup_origin(origins->profile, address, &origin->object) == MPROF_OK &&
	       mprof_profile_get_row(origins->profile, MPROF_TABLE_AGE_SITES, origin->object.site, &origin->site) ==
		       MPROF_OK &&
	       origin->site.class_id == class_id;
}

int heap_origins_find(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin)
{
	if (heap_origins_find_object(origins, address, class_id, origin))
		return 1;
	origin->block = native_blocks_find(&origins->blocks, address);
	return origin->block != NULL;
}

const char *heap_origins_reason(const heap_origins *origins)
{
	if (origins->profile == NULL)
		return "out of memory";
	if (origins->stats.untracked > 0 || origins->stats.folded > 0 || origins->blocks.is_limited)
		return "more memory is needed than --memory allows";
	if (origins->stats.allocations == origins->stats.without_address)
		return heap_origins_without_allocations;
	if (origins->stats.collections == 0)
		return "the log has no collections; mprof record --heap --gc --alloc=objects+stack records them";
	return "allocated before recording started, by the runtime, or in events that are missing";
}

static mprof_stack_frame *frames_of_block(const heap_origins *origins, const native_block *block, size_t *count)
{
	const mprof_stack_frame *known;
	mprof_stack_frame *frames;

	*count = names_stack(origins->input.names, block->stack, &known);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL)
		*count = 0;
	else if (*count > 0)
		memcpy(frames, known, *count * sizeof(*frames));
	return frames;
}

mprof_stack_frame *heap_origins_frames(const heap_origins *origins, const heap_origin *origin, size_t *count)
{
	mprof_stack_frame *frames;
	uint32_t site = origin->object.site;

	if (origin->block != NULL)
		return frames_of_block(origins, origin->block, count);
	*count = 0;
	mprof_profile_get_age_site_frames(origins->profile, site, NULL, sizeof(*frames), 0, count);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL) {
		*count = 0;
		return NULL;
	}
	if (*count > 0) {
		mprof_profile_get_age_site_frames(origins->profile, site, frames, sizeof(*frames), *count, count);
	} else if (origin->site.caller != 0) {
		frames[0].id = origin->site.caller;
		*count = 1;
	}
	return frames;
}
