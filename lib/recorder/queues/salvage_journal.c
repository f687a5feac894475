/* SPDX-License-Identifier: MIT */
/* Appends entries to the journal of keys, and visits those that a process left behind. */
#include "recorder/queues/salvage_journal.h"

#include "base/allocator.h"
#include "base/checksum.h"
#include "base/sort.h"

#include <string.h>

/* The piece is as large as a size class, so that nothing of it is unused. */
#define CHUNK_BYTES (((size_t)256 << 10) - offsetof(salvage_piece, content) - sizeof(journal_chunk))

void salvage_journal_init(salvage_journal *journal, salvage_area *area)
{
	*journal = (salvage_journal){.area = area, .rewrite_at = JOURNAL_MIN_REWRITE};
}

static size_t chunk_room(const journal_chunk *chunk)
{
	uint64_t room = salvage_piece_room(salvage_piece_of((void *)(uintptr_t)chunk));

	return (size_t)(room - sizeof(*chunk) - chunk->length);
}

/* Starts a chunk with room for an entry of \p size bytes. Returns 0 if the area has no room. */
static int add_chunk(salvage_journal *journal, size_t size)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	journal_chunk *chunk = salvage_area_allocate(journal->area, SALVAGE_JOURNAL, sizeof(*chunk) + room);

	if (chunk == NULL)
		return 0;
	chunk->generation = journal->generation;
	chunk->number = journal->last != NULL ? journal->last->number + 1 : 0;
	chunk->length = 0;
	chunk->checksum = 0;
	chunk->reserved = 0;
	chunk->next = NULL;
	if (journal->last != NULL)
		journal->last->next = chunk;
	else
		journal->first = chunk;
	journal->last = chunk;
	salvage_piece_publish(chunk);
	return 1;
}

static char *copy_name(char *to, const char *name, size_t length)
{
	if (length > 0)
		memcpy(to, name, length);
	to[length] = '\0';
	return to + length + 1;
}

/* Reserves room for an entry of \p size bytes. Returns NULL if the area has no room, or if there is no journal. */
static void *begin_entry(salvage_journal *journal, size_t size)
{
	if (journal->area == NULL || journal->has_failed)
		return NULL;
	if (size > UINT32_MAX ||
	    ((journal->last == NULL || chunk_room(journal->last) < size) && !add_chunk(journal, size))) {
		journal->has_failed = 1;
		return NULL;
	}
	return journal->last->entries + journal->last->length;
}

static void end_entry(salvage_journal *journal, journal_entry *entry, size_t size)
{
	entry->size = (uint32_t)size;
	journal->last->checksum = checksum_update(journal->last->checksum, entry, size);
	journal->last->length += size;
	journal->bytes += size;
}

static size_t round_entry(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void salvage_journal_append(salvage_journal *journal, const journal_entry *entry)
{
	journal_entry *stored = begin_entry(journal, sizeof(*entry));

	if (stored == NULL)
		return;
	*stored = *entry;
	end_entry(journal, stored, sizeof(*entry));
}

void salvage_journal_append_definition(salvage_journal *journal, const journal_definition *definition, const char *name,
				       const char *source_file)
{
	size_t size =
		round_entry(sizeof(*definition) + (size_t)definition->name_length + definition->source_file_length + 2);
	journal_definition *stored = begin_entry(journal, size);

	if (stored == NULL)
		return;
	*stored = *definition;
	copy_name(copy_name(stored->names, name, definition->name_length), source_file, definition->source_file_length);
	end_entry(journal, &stored->entry, size);
}

void salvage_journal_append_version(salvage_journal *journal, const journal_version *version)
{
	journal_version *stored = begin_entry(journal, sizeof(*version));

	if (stored == NULL)
		return;
	*stored = *version;
	end_entry(journal, &stored->entry, sizeof(*version));
}

void salvage_journal_append_root(salvage_journal *journal, const journal_root *root, const char *name)
{
	size_t size = round_entry(sizeof(*root) + (size_t)root->name_length + 1);
	journal_root *stored = begin_entry(journal, size);

	if (stored == NULL)
		return;
	*stored = *root;
	copy_name(stored->name, name, root->name_length);
	end_entry(journal, &stored->entry, size);
}

void salvage_journal_append_fields(salvage_journal *journal, const journal_fields *fields, const stored_field *list)
{
	size_t size = round_entry(sizeof(*fields) + (size_t)fields->bytes);
	journal_fields *stored = begin_entry(journal, size);

	if (stored == NULL)
		return;
	*stored = *fields;
	if (fields->bytes > 0)
		memcpy(stored->fields, list, (size_t)fields->bytes);
	end_entry(journal, &stored->entry, size);
}

void salvage_journal_begin(salvage_journal *journal, salvage_journal *before)
{
	*before = *journal;
	journal->first = NULL;
	journal->last = NULL;
	journal->generation++;
	journal->bytes = 0;
	journal->has_failed = 0;
}

/* Adds a list of chunks to those that are released after the next commit. */
static void replace_chunks(salvage_journal *journal, journal_chunk *first, journal_chunk *last)
{
	if (first == NULL)
		return;
	last->next = journal->replaced;
	journal->replaced = first;
}

void salvage_journal_end(salvage_journal *journal, const salvage_journal *before)
{
	if (journal->has_failed) {
		journal_chunk *first = journal->first;
		journal_chunk *last = journal->last;

		*journal = *before;
		replace_chunks(journal, first, last);
		journal->rewrite_at = before->has_failed ? UINT64_MAX : before->bytes * 2;
		return;
	}
	replace_chunks(journal, before->first, before->last);
	journal->rewrite_at = journal->bytes * 2 > JOURNAL_MIN_REWRITE ? journal->bytes * 2 : JOURNAL_MIN_REWRITE;
}

void salvage_journal_release(salvage_journal *journal)
{
	journal_chunk *chunk = journal->replaced;

	while (chunk != NULL) {
		journal_chunk *next = chunk->next;

		salvage_area_recycle(journal->area, chunk);
		chunk = next;
	}
	journal->replaced = NULL;
}

journal_position salvage_journal_position(const salvage_journal *journal)
{
	journal_position position = {.generation = journal->generation};

	if (journal->last != NULL) {
		position.chunk = journal->last->number;
		position.length = journal->last->length;
		position.checksum = journal->last->checksum;
	}
	return position;
}

typedef struct chunk_list {
	const journal_chunk **chunks;
	size_t count;
	size_t capacity;
} chunk_list;

static int compare_chunks(const void *left, const void *right)
{
	const journal_chunk *a = *(const journal_chunk *const *)left;
	const journal_chunk *b = *(const journal_chunk *const *)right;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* Collects the chunks of a generation, in their order. Returns 0 if there is no memory. */
static int find_chunks(chunk_list *list, const mprof_allocator *allocator, const salvage_area *area,
		       const journal_position *end)
{
	salvage_piece *piece = NULL;

	while ((piece = salvage_area_next(area, piece)) != NULL) {
		const journal_chunk *chunk = (const journal_chunk *)(const void *)piece->content;
		void *chunks = list->chunks;

		if (piece->kind != SALVAGE_JOURNAL || salvage_piece_room(piece) < sizeof(*chunk) ||
		    atomic_load_explicit(&piece->in_use, memory_order_relaxed) == 0 ||
		    chunk->generation != end->generation || chunk->number > end->chunk)
			continue;
		if (!array_reserve(allocator, &chunks, &list->capacity, list->count + 1, sizeof(*list->chunks)))
			return 0;
		list->chunks = chunks;
		list->chunks[list->count++] = chunk;
	}
	sort_in_place(list->chunks, list->count, sizeof(*list->chunks), compare_chunks);
	return 1;
}

static int definition_is_whole(const journal_entry *entry)
{
	const journal_definition *definition = (const journal_definition *)(const void *)entry;

	return entry->size >= sizeof(*definition) &&
	       sizeof(*definition) + (uint64_t)definition->name_length + definition->source_file_length + 2 <=
		       entry->size &&
	       definition->names[definition->name_length] == '\0' &&
	       definition->names[(size_t)definition->name_length + 1 + definition->source_file_length] == '\0';
}

static int root_is_whole(const journal_entry *entry)
{
	const journal_root *root = (const journal_root *)(const void *)entry;

	return entry->size >= sizeof(*root) && sizeof(*root) + (uint64_t)root->name_length + 1 <= entry->size &&
	       root->name[root->name_length] == '\0';
}

static int fields_are_whole(const journal_entry *entry)
{
	const journal_fields *fields = (const journal_fields *)(const void *)entry;

	return entry->size >= sizeof(*fields) && fields->bytes <= entry->size - sizeof(*fields) &&
	       class_fields_are_valid(fields->fields, fields->bytes, entry->flags);
}

static int entry_is_whole(const journal_entry *entry, uint64_t room)
{
	if (room < sizeof(*entry) || entry->size > room || entry->size < sizeof(*entry) || entry->size % 8 != 0 ||
	    entry->kind == 0 || entry->kind > JOURNAL_FIELDS)
		return 0;
	if (journal_kind_has_names(entry->kind))
		return definition_is_whole(entry);
	if (entry->kind == JOURNAL_ROOT)
		return root_is_whole(entry);
	if (entry->kind == JOURNAL_FIELDS)
		return fields_are_whole(entry);
	return entry->size == (entry->kind == JOURNAL_VERSION ? sizeof(journal_version) : sizeof(*entry));
}

void journal_note_damage(journal_damage *damage, const salvage_area *area, const void *slot)
{
	if (damage->places++ == 0)
		damage->offset = (uint64_t)((const unsigned char *)slot - area->base);
}

/* How much of a chunk is visited, and what its checksum must be. */
typedef struct chunk_part {
	const journal_chunk *chunk;
	uint64_t length;
	uint64_t checksum;
} chunk_part;

/* Returns the first damaged entry of a part, or NULL if each is whole. */
static const journal_entry *find_damaged_entry(const chunk_part *part)
{
	uint64_t offset = 0;

	while (offset < part->length) {
		const journal_entry *entry = (const journal_entry *)(const void *)(part->chunk->entries + offset);

		if (!entry_is_whole(entry, part->length - offset))
			return entry;
		offset += entry->size;
	}
	return NULL;
}

/*
 * Visits the entries of a part of a chunk, if none is damaged: entries that look whole may be wrong if the checksum is.
 * Returns 0 if the visitor stopped.
 */
static int visit_chunk(const salvage_area *area, const chunk_part *part, journal_visitor visitor, void *user,
		       journal_damage *damage)
{
	const journal_chunk *chunk = part->chunk;
	const uint64_t room =
		salvage_piece_room(salvage_piece_of((void *)(uintptr_t)chunk)) - offsetof(journal_chunk, entries);
	const journal_entry *damaged = part->length <= room ? find_damaged_entry(part) : NULL;
	uint64_t offset = 0;

	if (damaged != NULL || part->length > room ||
	    checksum_update(0, chunk->entries, (size_t)part->length) != part->checksum) {
		/* Without such an entry, the checksum shows only that the chunk is damaged. */
		journal_note_damage(damage, area, damaged != NULL ? (const void *)damaged : chunk);
		return 1;
	}
	while (offset < part->length) {
		const journal_entry *entry = (const journal_entry *)(const void *)(chunk->entries + offset);

		if (!visitor(user, entry))
			return 0;
		offset += entry->size;
	}
	return 1;
}

int salvage_journal_visit(const salvage_area *area, const mprof_allocator *allocator, const journal_position *end,
			  journal_visitor visitor, void *user, journal_damage *damage)
{
	chunk_list list = {NULL, 0, 0};
	int has_memory = find_chunks(&list, allocator, area, end);
	uint64_t expected = 0;

	for (size_t i = 0; has_memory && i < list.count; i++) {
		const journal_chunk *chunk = list.chunks[i];
		chunk_part part = {chunk, chunk->length, chunk->checksum};

		/* Damage elsewhere may look like a second chunk with this number. */
		if (chunk->number < expected)
			continue;
		if (chunk->number != expected)
			journal_note_damage(damage, area, i > 0 ? (const void *)list.chunks[i - 1] : area->base);
		expected = chunk->number + 1;
		if (chunk->number == end->chunk)
			part = (chunk_part){chunk, end->length, end->checksum};
		has_memory = visit_chunk(area, &part, visitor, user, damage);
	}
	if (has_memory && end->length > 0 && expected != end->chunk + 1)
		journal_note_damage(damage, area,
				    list.count > 0 ? (const void *)list.chunks[list.count - 1] : area->base);
	allocator_release(allocator, list.chunks, list.capacity * sizeof(*list.chunks));
	return has_memory;
}
