/* SPDX-License-Identifier: MIT */
/* Appends entries to the journal of keys, and visits those that a process left behind. */
#include "recorder/salvage_journal.h"

#include <string.h>

#define CHUNK_BYTES ((size_t)256 << 10)

/* Starts a chunk with room for an entry of \p size bytes. Returns 0 if the area has no room. */
static int add_chunk(salvage_journal *journal, size_t size)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	journal_chunk *chunk = salvage_area_reserve(journal->area, SALVAGE_JOURNAL, sizeof(*chunk) + room);

	if (chunk == NULL)
		return 0;
	chunk->number = journal->last != NULL ? journal->last->number + 1 : 0;
	journal->last = chunk;
	journal->room = room;
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
	if (journal->room < size && (size > UINT32_MAX || !add_chunk(journal, size))) {
		journal->has_failed = 1;
		return NULL;
	}
	return journal->last->entries + atomic_load_explicit(&journal->last->length, memory_order_relaxed);
}

static void end_entry(salvage_journal *journal, size_t size)
{
	uint64_t length = atomic_load_explicit(&journal->last->length, memory_order_relaxed);

	/* Release, after the entry: the bytes up to here are complete. */
	atomic_store_explicit(&journal->last->length, length + size, memory_order_release);
	journal->room -= size;
	journal->length++;
}

void salvage_journal_append(salvage_journal *journal, const journal_entry *entry)
{
	journal_entry *stored = begin_entry(journal, sizeof(*entry));

	if (stored == NULL)
		return;
	*stored = *entry;
	stored->size = sizeof(*entry);
	end_entry(journal, sizeof(*entry));
}

void salvage_journal_append_definition(salvage_journal *journal, const journal_definition *definition, const char *name,
				       const char *source_file)
{
	size_t size = sizeof(*definition) + (size_t)definition->name_length + definition->source_file_length + 2;
	journal_definition *stored;

	size = (size + 7) & ~(size_t)7;
	stored = begin_entry(journal, size);
	if (stored == NULL)
		return;
	*stored = *definition;
	stored->entry.size = (uint32_t)size;
	copy_name(copy_name(stored->names, name, definition->name_length), source_file, definition->source_file_length);
	end_entry(journal, size);
}

/* The chunk with a number, or NULL. Chunks were allocated in this order, with other pieces between them. */
static const journal_chunk *find_chunk(const salvage_area *area, salvage_piece **piece, uint64_t number)
{
	while ((*piece = salvage_area_next(area, *piece)) != NULL) {
		const journal_chunk *chunk = (const journal_chunk *)(const void *)(*piece)->content;

		if ((*piece)->kind == SALVAGE_JOURNAL && salvage_piece_room(*piece) >= sizeof(*chunk) &&
		    chunk->number == number)
			return chunk;
	}
	return NULL;
}

static int entry_is_whole(const journal_entry *entry, uint64_t room)
{
	const journal_definition *definition = (const journal_definition *)(const void *)entry;

	if (room < sizeof(*entry) || entry->size > room || entry->size < sizeof(*entry) || entry->size % 8 != 0)
		return 0;
	if (!journal_kind_has_names(entry->kind))
		return 1;
	return entry->size >= sizeof(*definition) &&
	       sizeof(*definition) + (uint64_t)definition->name_length + definition->source_file_length + 2 <=
		       entry->size &&
	       definition->names[definition->name_length] == '\0' &&
	       definition->names[(size_t)definition->name_length + 1 + definition->source_file_length] == '\0';
}

/* Visits at most \p most entries of a chunk. Returns the number of entries visited; *goes_on becomes 0 to stop. */
static uint64_t visit_chunk(const journal_chunk *chunk, uint64_t room, uint64_t most, journal_visitor visitor,
			    void *user, int *goes_on)
{
	uint64_t length = atomic_load_explicit(&chunk->length, memory_order_relaxed);
	uint64_t offset = 0;
	uint64_t count = 0;

	if (length > room)
		length = room;
	while (*goes_on && count < most && offset < length) {
		const journal_entry *entry = (const journal_entry *)(const void *)(chunk->entries + offset);

		*goes_on = entry_is_whole(entry, length - offset) && visitor(user, entry);
		if (!*goes_on)
			break;
		offset += entry->size;
		count++;
	}
	return count;
}

uint64_t salvage_journal_visit(const salvage_area *area, uint64_t length, journal_visitor visitor, void *user)
{
	salvage_piece *piece = NULL;
	uint64_t count = 0;
	int goes_on = 1;

	for (uint64_t number = 0; goes_on && count < length; number++) {
		const journal_chunk *chunk = find_chunk(area, &piece, number);

		if (chunk == NULL)
			break;
		count += visit_chunk(chunk, salvage_piece_room(piece) - sizeof(*chunk), length - count, visitor, user,
				     &goes_on);
	}
	return count;
}
