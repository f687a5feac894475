/* SPDX-License-Identifier: MIT */
/* Decodes the EVENTS blocks after the current one on other threads. */
#include "reader/ahead.h"

#include "base/allocator.h"
#include "io/work_queue.h"
#include "parser/parser.h"
#include "parser/prepared.h"
#include "reader/reader_internal.h"

#include <string.h>

/* Blocks in preparation: one for each thread, that of the caller, and one that waits. */
#define SLOTS_PER_THREAD 1
#define MORE_SLOTS 2

/* The parts of a block that the caller has left before other threads are asked for as many: waking them costs time. */
#define MIN_FREE_PARTS (PREPARED_PARTS / 2)

/* Shorter blocks cost less to decode than to hand to another thread; for longer ones, more memory would be needed. */
#define MIN_LENGTH 1024
#define MAX_LENGTH ((uint64_t)1 << 20)

/* Headers that one call reads: between blocks of events there may be any number of others. */
#define MAX_HEADERS 64

/* Consecutive EVENTS blocks to read before any is prepared: a seek to one block decodes no others. */
#define MIN_SEQUENCE 2

/* Header bytes of the longest dialect, and more, and the fields of a COMPRESSED block. */
#define AHEAD_HEADER_ROOM (16 + COMPRESSED_FIELDS_LENGTH)

/* The memory of a codec. The caller's allocator is only called on the caller's thread. */
typedef struct codec_memory {
	mprof_allocator allocator;
	int is_refused; /* Set before the slot is queued: codecs that need more memory for damaged data get none. */
} codec_memory;

/* What is known about a block before it is read. */
typedef struct found_block {
	uint32_t kind;
	uint64_t span;            /* Length with header and checksum. */
	uint64_t codec;           /* MPROF_CODEC_NONE if it is not compressed. */
	uint64_t unpacked_length; /* Of a COMPRESSED block. */
} found_block;

typedef struct ahead_slot {
	prepared_block prepared;
	codec_memory memory; /* Of prepared_block::unpacker. */
	uint8_t *bytes;      /* What is read from the source. */
	size_t bytes_capacity;
	size_t event_capacity;
	size_t detail_capacity;
	size_t visit_capacity; /* Size of prepared_block::visit. */
	int is_used; /* It was queued for the block at prepared_block::offset, which the caller has not passed yet. */
} ahead_slot;

struct reader_ahead {
	/* Only changed while no thread works. */
	prepared_context context;
	mprof_source source;
	mprof_allocator allocator;
	const uint8_t *log; /* If the log is in memory, blocks are decoded in place. NULL: they are read. */
	size_t log_length;

	work_queue *queue;
	const mprof_parser *parser;
	int has_context;
	uint64_t next;                /* Offset of the next header to look at. */
	int is_at_end;                /* There is no header to look at, or one that changes how events are decoded. */
	int has_parts;                /* Events are decoded. Otherwise blocks are only decompressed. */
	const event_visitor *visitor; /* What events are passed to, whatever has_parts is; NULL: nothing. */
	/* For each thread, that of the caller first. NULL before there was a visitor. */
	visit_memory *memories[MPROF_READER_MAX_THREADS];
	const event_visitor *memories_for; /* The visitor that they are for; NULL: none. */
	size_t slot_count;
	ahead_slot slots[];
};

static size_t ahead_size(size_t slot_count)
{
	return sizeof(reader_ahead) + slot_count * sizeof(ahead_slot);
}

static int read_slot(const reader_ahead *ahead, ahead_slot *slot)
{
	const prepared_block *prepared = &slot->prepared;
	size_t got = 0;

	return ahead->source.read_at(ahead->source.user, prepared->offset, slot->bytes, prepared->length, &got) == 0 &&
	       got == prepared->length;
}

/* Reads the block of a slot, and decodes some of its parts. Runs on any thread. */
static void prepare_slot(void *user, size_t worker, size_t item)
{
	reader_ahead *ahead = user;
	ahead_slot *slot = &ahead->slots[item];

	slot->prepared.memory = ahead->memories[worker];
	if (slot->prepared.is_started || ahead->log != NULL || read_slot(ahead, slot))
		prepared_block_decode(&slot->prepared, &ahead->context);
}

/* Whether the bytes that the parser has are those of a prepared block. */
static int has_bytes(const prepared_block *prepared, const uint8_t *bytes, size_t length)
{
	return prepared->length == length && (prepared->bytes == bytes || memcmp(prepared->bytes, bytes, length) == 0);
}

/* For the parser: returns the prepared block with these bytes. */
static prepared_block *find_block(void *user, uint64_t offset, const uint8_t *bytes, size_t length)
{
	reader_ahead *ahead = user;

	for (size_t i = 0; i < ahead->slot_count; i++) {
		ahead_slot *slot = &ahead->slots[i];
		prepared_block *prepared = &slot->prepared;

		if (!slot->is_used || prepared->offset != offset)
			continue;
		/* The parser decodes a block that no thread has started. */
		if (!work_queue_finish(ahead->queue, i)) {
			slot->is_used = 0;
			return NULL;
		}
		/* The block is delivered once. After a seek back to it, it is decoded again. */
		if (!prepared->is_valid || prepared->is_begun || !has_bytes(prepared, bytes, length) ||
		    !parser_prepared_context_is_current(ahead->parser, &ahead->context))
			return NULL;
		prepared->known = prepared->decoded;
		return prepared;
	}
	return NULL;
}

/* Decodes the next part on the caller's thread, unless another thread has decoded some meanwhile. */
static void get_part(reader_ahead *ahead, prepared_block *prepared, size_t item)
{
	(void)work_queue_finish(ahead->queue, item);
	if (prepared->decoded == prepared->known && !prepared->is_over) {
		prepared->until = prepared->decoded + 1;
		prepared_block_decode(prepared, &ahead->context);
	}
	prepared->known = prepared->decoded;
}

/* Has other threads decode the parts after those that are known, if there is room for several. */
static void continue_block(reader_ahead *ahead, prepared_block *prepared, size_t item)
{
	if (!work_queue_is_idle(ahead->queue, item))
		return;
	prepared->known = prepared->decoded;
	if (prepared->is_over || prepared->current + PREPARED_PARTS - prepared->decoded < MIN_FREE_PARTS)
		return;
	prepared->until = prepared->current + PREPARED_PARTS;
	work_queue_add_first(ahead->queue, item);
}

/* For the parser: goes to the next part of the block. */
static int next_part(void *user, prepared_block *prepared)
{
	reader_ahead *ahead = user;
	size_t item = 0;

	while (&ahead->slots[item].prepared != prepared)
		item++;
	prepared->taken = 0;
	prepared->current += prepared->current < prepared->known;
	if (prepared->current == prepared->known)
		get_part(ahead, prepared, item);
	if (prepared->current == prepared->known)
		return 0;
	continue_block(ahead, prepared, item);
	return 1;
}

static void pause_work(void *user)
{
	reader_ahead *ahead = user;

	if (ahead->visitor == NULL)
		work_queue_pause(ahead->queue);
}

static void resume_work(void *user)
{
	reader_ahead *ahead = user;

	if (ahead->visitor == NULL)
		work_queue_resume(ahead->queue);
}

static void *codec_memory_allocate(void *user, size_t size)
{
	codec_memory *memory = user;

	return memory->is_refused ? NULL : allocator_allocate(&memory->allocator, size);
}

static void *codec_memory_reallocate(void *user, void *old, size_t old_size, size_t new_size)
{
	codec_memory *memory = user;

	return memory->is_refused ? NULL : allocator_reallocate(&memory->allocator, old, old_size, new_size);
}

static void codec_memory_release(void *user, void *old, size_t size)
{
	allocator_release(&((codec_memory *)user)->allocator, old, size);
}

static void slot_init(ahead_slot *slot, const mprof_allocator *allocator)
{
	const mprof_allocator guarded = {.struct_size = sizeof(guarded),
					 .allocate = codec_memory_allocate,
					 .reallocate = codec_memory_reallocate,
					 .release = codec_memory_release,
					 .user = &slot->memory};

	slot->memory.allocator = *allocator;
	block_unpacker_init(&slot->prepared.unpacker, &guarded);
}

/* Creates the threads. Returns NULL if they, or memory, are refused. */
static reader_ahead *ahead_create(mprof_reader *reader)
{
	const size_t threads = reader->thread_count;
	const size_t slot_count = threads * SLOTS_PER_THREAD + MORE_SLOTS;
	reader_ahead *ahead = allocator_allocate_zeroed(&reader->allocator, ahead_size(slot_count));
	prepared_source source = {find_block, next_part, pause_work, resume_work, ahead};

	if (ahead == NULL)
		return NULL;
	ahead->allocator = reader->allocator;
	ahead->source = reader->source;
	ahead->log = reader->memory;
	ahead->log_length = reader->memory_length;
	ahead->parser = reader->parser;
	ahead->slot_count = slot_count;
	for (size_t i = 0; i < slot_count; i++)
		slot_init(&ahead->slots[i], &ahead->allocator);
	ahead->queue = work_queue_create(&reader->allocator, threads - 1, slot_count, prepare_slot, ahead);
	if (ahead->queue == NULL) {
		allocator_release(&reader->allocator, ahead, ahead_size(slot_count));
		return NULL;
	}
	parser_set_prepared_source(reader->parser, &source);
	return ahead;
}

static void slot_destroy(ahead_slot *slot, const mprof_allocator *allocator)
{
	prepared_block *prepared = &slot->prepared;

	block_unpacker_destroy(&prepared->unpacker);
	allocator_release(allocator, prepared->expanded, prepared->expanded_capacity);
	allocator_release(allocator, slot->bytes, slot->bytes_capacity);
	allocator_release(allocator, prepared->events, slot->event_capacity * sizeof(*prepared->events));
	allocator_release(allocator, prepared->details, slot->detail_capacity * sizeof(*prepared->details));
	allocator_release(allocator, prepared->visit, slot->visit_capacity);
}

static void release_memories(reader_ahead *ahead)
{
	for (size_t i = 0; i < MPROF_READER_MAX_THREADS && ahead->memories[i] != NULL; i++) {
		allocator_release(&ahead->allocator, ahead->memories[i]->scratch, ahead->memories_for->scratch_size);
		allocator_release(&ahead->allocator, ahead->memories[i], sizeof(*ahead->memories[i]));
		ahead->memories[i] = NULL;
	}
	ahead->memories_for = NULL;
}

void reader_ahead_destroy(mprof_reader *reader)
{
	static const prepared_source none;
	reader_ahead *ahead = reader->ahead;

	if (ahead == NULL)
		return;
	work_queue_destroy(ahead->queue);
	for (size_t i = 0; i < ahead->slot_count; i++)
		slot_destroy(&ahead->slots[i], &ahead->allocator);
	release_memories(ahead);
	parser_set_prepared_source(reader->parser, &none);
	allocator_release(&reader->allocator, ahead, ahead_size(ahead->slot_count));
	reader->ahead = NULL;
}

/* Grows an array whose elements are not needed any more. Returns 0 if out of memory. */
static int renew(const mprof_allocator *allocator, void **elements, size_t *capacity, size_t needed,
		 size_t element_size)
{
	if (needed <= *capacity)
		return 1;
	allocator_release(allocator, *elements, *capacity * element_size);
	*capacity = 0;
	*elements = NULL;
	return array_reserve(allocator, elements, capacity, needed, element_size);
}

/* Allocates what decompressing a block needs. */
static int reserve_unpacker(ahead_slot *slot, const found_block *found)
{
	int is_reserved;

	if (found->codec == MPROF_CODEC_NONE)
		return 1;
	slot->memory.is_refused = 0;
	is_reserved = block_unpacker_reserve(&slot->prepared.unpacker, found->codec, (size_t)found->unpacked_length);
	slot->memory.is_refused = 1;
	return is_reserved;
}

/* Allocates arrays for the events of all parts of a block. */
static int reserve_parts(const reader_ahead *ahead, ahead_slot *slot)
{
	prepared_block *prepared = &slot->prepared;
	void *event_array = prepared->events;
	void *detail_array = prepared->details;
	int is_reserved = renew(&ahead->allocator, &event_array, &slot->event_capacity,
				(size_t)PREPARED_PARTS * PREPARED_PART_EVENTS, sizeof(*prepared->events)) &&
			  (!ahead->context.table.has_details ||
			   renew(&ahead->allocator, &detail_array, &slot->detail_capacity,
				 (size_t)PREPARED_PARTS * PREPARED_PART_DETAILS, sizeof(*prepared->details)));

	prepared->events = event_array;
	prepared->details = detail_array;
	return is_reserved;
}

/* Allocates the state of the visitor for a block. */
static int reserve_visit(const reader_ahead *ahead, ahead_slot *slot)
{
	return renew(&ahead->allocator, &slot->prepared.visit, &slot->visit_capacity, ahead->visitor->state_size, 1);
}

/* Allocates room for the bytes of a block, or finds them in memory. Returns 0 also if the log ends before its end. */
static int reserve_bytes(const reader_ahead *ahead, ahead_slot *slot, uint64_t span)
{
	void *bytes = slot->bytes;
	int is_reserved;

	if (ahead->log != NULL) {
		if (ahead->next > ahead->log_length || span > ahead->log_length - ahead->next)
			return 0;
		slot->prepared.bytes = ahead->log + ahead->next;
		return 1;
	}
	is_reserved = renew(&ahead->allocator, &bytes, &slot->bytes_capacity, (size_t)span, 1);
	slot->bytes = bytes;
	slot->prepared.bytes = bytes;
	return is_reserved;
}

/* Allocates room for the arguments of events of types in columns. */
static int reserve_expanded(const reader_ahead *ahead, ahead_slot *slot, const found_block *found)
{
	const uint64_t length = found->codec == MPROF_CODEC_NONE ? found->span : found->unpacked_length;
	prepared_block *prepared = &slot->prepared;

	return !ahead->context.has_typed_columns ||
	       renew(&ahead->allocator, &prepared->expanded, &prepared->expanded_capacity,
		     prepared_block_expanded_length((size_t)length), 1);
}

/* Allocates what a block needs: threads never allocate. */
static int reserve_slot(const reader_ahead *ahead, ahead_slot *slot, const found_block *found)
{
	if (!reserve_unpacker(slot, found) || !reserve_bytes(ahead, slot, found->span) ||
	    !reserve_expanded(ahead, slot, found))
		return 0;
	return ahead->visitor != NULL ? reserve_visit(ahead, slot) : reserve_parts(ahead, slot);
}

static void release_slots(reader_ahead *ahead, uint64_t before)
{
	for (size_t i = 0; i < ahead->slot_count; i++) {
		ahead_slot *slot = &ahead->slots[i];

		if (!slot->is_used || slot->prepared.offset >= before)
			continue;
		work_queue_cancel(ahead->queue, i);
		slot->is_used = 0;
	}
}

/*
 * Visitors get no sizes of classes. Blocks between those of events define them, and the threads that decode events
 * would have to wait meanwhile.
 */
static void set_sizes(reader_ahead *ahead)
{
	static const id_map none;
	event_decode_table *table = &ahead->context.table;

	table->unsized_mask = ahead->visitor != NULL ? UINT64_MAX : 0;
	table->object_sizes = ahead->visitor != NULL ? &none : parser_object_sizes(ahead->parser);
}

/* Updates what decoding depends on. Returns 0 if no block can be prepared. */
static int update_context(reader_ahead *ahead)
{
	if (ahead->has_context && parser_prepared_context_is_current(ahead->parser, &ahead->context))
		return 1;
	release_slots(ahead, UINT64_MAX);
	ahead->has_context = parser_prepared_context(ahead->parser, &ahead->context);
	set_sizes(ahead);
	ahead->is_at_end = 0;
	ahead->next = 0;
	return ahead->has_context;
}

/* Allocates the memory of a thread for a visitor. */
static visit_memory *create_memory(const mprof_allocator *allocator, const event_visitor *visitor)
{
	visit_memory *memory = allocator_allocate(allocator, sizeof(*memory));

	if (memory == NULL)
		return NULL;
	memory->scratch = allocator_allocate(allocator, visitor->scratch_size);
	if (memory->scratch != NULL) {
		visitor->init(memory->scratch);
		return memory;
	}
	allocator_release(allocator, memory, sizeof(*memory));
	return NULL;
}

/* Allocates the memory of all threads. Returns 0 if it is refused. */
static int reserve_memories(reader_ahead *ahead, size_t thread_count, const event_visitor *visitor)
{
	if (ahead->memories_for == visitor)
		return 1;
	release_memories(ahead);
	ahead->memories_for = visitor;
	for (size_t i = 0; i < thread_count; i++) {
		ahead->memories[i] = create_memory(&ahead->allocator, visitor);
		if (ahead->memories[i] != NULL)
			continue;
		release_memories(ahead);
		return 0;
	}
	return 1;
}

/* Begins or ends to pass events to a visitor. */
static void change_visitor(mprof_reader *reader)
{
	reader_ahead *ahead = reader->ahead;
	const event_visitor *visitor = reader->visitor;

	release_slots(ahead, UINT64_MAX);
	ahead->next = 0;
	ahead->visitor = visitor;
	set_sizes(ahead);
	/* What was refused is not asked for again. */
	if (visitor != NULL && !reserve_memories(ahead, reader->thread_count, visitor))
		reader->thread_count = 1;
}

static ahead_slot *free_slot(reader_ahead *ahead, size_t *index)
{
	for (size_t i = 0; i < ahead->slot_count; i++) {
		*index = i;
		if (!ahead->slots[i].is_used)
			return &ahead->slots[i];
	}
	return NULL;
}

/* Queues the block whose header is at reader_ahead::next. Returns 0 if there is no memory for it. */
static int queue_block(reader_ahead *ahead, ahead_slot *slot, size_t index, const found_block *found)
{
	if (!reserve_slot(ahead, slot, found))
		return 0;
	slot->is_used = 1;
	prepared_block_init(&slot->prepared, ahead->next, (size_t)found->span);
	slot->prepared.visitor = ahead->visitor;
	if (!ahead->has_parts)
		slot->prepared.until = 0;
	work_queue_add(ahead->queue, index);
	return 1;
}

/* Decodes the fields of a COMPRESSED block from the bytes that were read. Returns 0 if they are wrong. */
static int decode_fields(const dialect_rules *rules, const uint8_t *content, size_t length, found_block *found)
{
	const size_t longest = (size_t)found->span - rules->header_length - rules->checksum_length;
	content_cursor cursor;
	compressed_block packed;

	content_cursor_init(&cursor, content, length < longest ? length : longest, UINT64_MAX);
	if (compressed_block_decode(rules, &cursor, longest, &packed) != MPROF_OK)
		return 0;
	found->kind = dialect_block_kind(rules, packed.code);
	found->codec = packed.codec;
	found->unpacked_length = packed.unpacked_length;
	return 1;
}

/* Reads the header at reader_ahead::next. Returns whether it is that of a block that may be passed. */
static int read_header(reader_ahead *ahead, found_block *found)
{
	const dialect_rules *rules = ahead->context.decoding.rules;
	uint8_t bytes[AHEAD_HEADER_ROOM];
	block_header header;
	size_t got = 0;

	if (rules->header_length + COMPRESSED_FIELDS_LENGTH > sizeof(bytes) ||
	    ahead->source.read_at(ahead->source.user, ahead->next, bytes,
				  rules->header_length + COMPRESSED_FIELDS_LENGTH, &got) != 0 ||
	    got < rules->header_length)
		return 0;
	block_header_decode(bytes, &header);
	*found = (found_block){.kind = dialect_block_kind(rules, header.code),
			       .span = rules->header_length + (uint64_t)header.length};
	if (block_is_compressed(rules, header.code) && header.length >= rules->checksum_length)
		return decode_fields(rules, bytes + rules->header_length, got - rules->header_length, found);
	return header.code != 0 && found->kind != MPROF_BLOCK_DIRECTIVES && found->kind != MPROF_BLOCK_INTRO &&
	       found->kind != MPROF_BLOCK_END;
}

/* Whether it pays to decode a block on another thread. */
static int is_worth(const reader_ahead *ahead, const found_block *found)
{
	if (found->kind != MPROF_BLOCK_EVENTS || found->span > MAX_LENGTH)
		return 0;
	if (found->codec == MPROF_CODEC_NONE)
		return (ahead->has_parts || ahead->visitor != NULL) && found->span >= MIN_LENGTH;
	return ahead->context.may_unpack && found->unpacked_length >= MIN_LENGTH &&
	       found->unpacked_length <= MAX_LENGTH &&
	       codec_set_has(&ahead->slots[0].prepared.unpacker.codecs, found->codec);
}

/* Queues the next blocks of events, as long as there are slots. */
static void look_ahead(reader_ahead *ahead)
{
	size_t index;
	ahead_slot *slot = free_slot(ahead, &index);

	for (int i = 0; i < MAX_HEADERS && slot != NULL && !ahead->is_at_end; i++) {
		found_block found;

		if (!read_header(ahead, &found)) {
			ahead->is_at_end = 1;
			return;
		}
		if (is_worth(ahead, &found)) {
			if (!queue_block(ahead, slot, index, &found))
				return;
			slot = free_slot(ahead, &index);
		}
		ahead->next += found.span;
	}
}

/* Whether the reader may use other threads for its log. */
static int is_possible(const mprof_reader *reader)
{
	return reader->thread_count > 1 && reader->source.read_at != NULL && !reader->is_compressed &&
	       !reader->is_following;
}

void reader_ahead_advance(mprof_reader *reader)
{
	const mprof_block *block = parser_block(reader->parser);
	const uint64_t end = block->offset + block->header_length + block->length;

	/* A block that is loaded again may be one of those that were decoded in advance: it stays as it is. */
	if (!is_possible(reader) || parser_has_content(reader->parser))
		return;
	/* A visitor is set for blocks that will follow. */
	if (reader->sequence < MIN_SEQUENCE && reader->visitor == NULL) {
		reader->sequence++;
		return;
	}
	if (reader->ahead == NULL) {
		reader->ahead = ahead_create(reader);
		/* What was refused is not asked for again. */
		if (reader->ahead == NULL)
			reader->thread_count = 1;
	}
	if (reader->ahead == NULL || !update_context(reader->ahead))
		return;
	release_slots(reader->ahead, block->offset);
	if (reader->ahead->visitor != reader->visitor)
		change_visitor(reader);
	if (!is_possible(reader))
		return;
	/* The caller decodes columns to arrays faster than other threads could hand over structs. */
	reader->ahead->has_parts = !reader->fetches_columns;
	if (reader->ahead->next < end) {
		reader->ahead->next = end;
		reader->ahead->is_at_end = 0;
	}
	look_ahead(reader->ahead);
}

void reader_ahead_jump(mprof_reader *reader)
{
	reader->sequence = 0;
	if (reader->ahead == NULL)
		return;
	release_slots(reader->ahead, UINT64_MAX);
	reader->ahead->next = 0;
	reader->ahead->is_at_end = 0;
}
