/* SPDX-License-Identifier: MIT */
/* Keeps the numbers of a log that is merged, and finds definitions that another log has, too. */
#include "convert/merge_input.h"

#include "base/allocator.h"

#include <string.h>

/*
 * What the logs that are merged share: definitions with the same content, and numbers that no two of them use.
 */

typedef struct shared_definition shared_definition;

struct shared_definition {
	shared_definition *next; /* Another one with the same hash. */
	uint32_t id;
	uint32_t length;
	uint8_t content[];
};

static void shared_definitions_init(shared_definitions *all, const mprof_allocator *allocator)
{
	all->allocator = *allocator;
	hash_map_init(&all->first, allocator);
}

static size_t size_of_definition(size_t length)
{
	return sizeof(shared_definition) + length;
}

static shared_definition *definition_of(uint64_t value)
{
	return (shared_definition *)(uintptr_t)value;
}

static void shared_definitions_destroy(shared_definitions *all)
{
	const hash_map_entry *entry;
	size_t slot = 0;

	while ((entry = hash_map_next(&all->first, &slot)) != NULL) {
		shared_definition *next;

		for (shared_definition *one = definition_of(entry->value); one != NULL; one = next) {
			next = one->next;
			allocator_release(&all->allocator, one, size_of_definition(one->length));
		}
	}
	hash_map_destroy(&all->first);
}

/* A hash of a content, which is not 0. hash_map_next() does not visit the key 0. */
static uint64_t shared_definitions_hash(const encode_buffer *content)
{
	uint64_t hash = hash_seed();

	for (size_t i = 0; i < content->length; i++)
		hash = hash_mix(hash, content->bytes[i]);
	return hash | 1;
}

/* The ID of the definition with a content, or 0. */
static uint32_t shared_definitions_find(const shared_definitions *all, const encode_buffer *content)
{
	const uint64_t *first = hash_map_get(&all->first, shared_definitions_hash(content));

	for (const shared_definition *one = first != NULL ? definition_of(*first) : NULL; one != NULL;
	     one = one->next) {
		if (one->length == content->length && memcmp(one->content, content->bytes, one->length) == 0)
			return one->id;
	}
	return 0;
}

/* Adds a definition. Returns 0, changing nothing, if there is no memory. */
static int shared_definitions_add(shared_definitions *all, const encode_buffer *content, uint32_t id)
{
	const uint64_t hash = shared_definitions_hash(content);
	const uint64_t *first = hash_map_get(&all->first, hash);
	shared_definition *added;

	if (content->length > UINT32_MAX)
		return 0;
	added = allocator_allocate(&all->allocator, size_of_definition(content->length));
	if (added == NULL)
		return 0;
	added->next = first != NULL ? definition_of(*first) : NULL;
	added->id = id;
	added->length = (uint32_t)content->length;
	memcpy(added->content, content->bytes, content->length);
	if (hash_map_put(&all->first, hash, (uint64_t)(uintptr_t)added))
		return 1;
	allocator_release(&all->allocator, added, size_of_definition(added->length));
	return 0;
}

/* first: the first number that is made up. limit: the greatest one. */
static void used_numbers_init(used_numbers *all, const mprof_allocator *allocator, uint64_t first, uint64_t limit)
{
	hash_map_init(&all->used, allocator);
	all->next = first;
	all->limit = limit;
}

static void used_numbers_destroy(used_numbers *all)
{
	hash_map_destroy(&all->used);
}

uint64_t used_numbers_take(used_numbers *all, uint64_t wanted)
{
	uint64_t number = wanted;

	if (wanted == 0 || hash_map_get(&all->used, wanted) != NULL) {
		while (all->next < all->limit && hash_map_get(&all->used, all->next) != NULL)
			all->next++;
		number = all->next;
	}
	if (number > all->limit || hash_map_get(&all->used, number) != NULL || !hash_map_put(&all->used, number, 1))
		return 0;
	return number;
}

/* Makes a number free. */
static void used_numbers_release(used_numbers *all, uint64_t number)
{
	hash_map_remove(&all->used, number);
}

static void own_numbers_init(own_numbers *numbers, const mprof_allocator *allocator, used_numbers *used)
{
	numbers->used = used;
	hash_map_init(&numbers->moved, allocator);
}

static void own_numbers_destroy(own_numbers *numbers)
{
	hash_map_destroy(&numbers->moved);
}

int own_numbers_has(const own_numbers *numbers, uint64_t number)
{
	return hash_map_get(&numbers->moved, number) != NULL;
}

int own_numbers_set(own_numbers *numbers, uint64_t number, uint64_t merged)
{
	return merged != 0 && hash_map_put(&numbers->moved, number, merged);
}

uint64_t own_numbers_get(own_numbers *numbers, uint64_t number, int *is_new)
{
	const uint64_t *known = hash_map_get(&numbers->moved, number);
	uint64_t merged;

	if (is_new != NULL)
		*is_new = 0;
	if (number == 0 || known != NULL)
		return number == 0 ? 0 : *known;
	merged = used_numbers_take(numbers->used, number);
	if (merged == 0)
		return 0;
	if (!own_numbers_set(numbers, number, merged)) {
		used_numbers_release(numbers->used, merged);
		return 0;
	}
	if (is_new != NULL)
		*is_new = 1;
	return merged;
}

void own_numbers_end(own_numbers *numbers, uint64_t number)
{
	const uint64_t *known = hash_map_get(&numbers->moved, number);

	if (known == NULL)
		return;
	used_numbers_release(numbers->used, *known);
	hash_map_remove(&numbers->moved, number);
}

/* Numbers of threads that are made up: above those that systems give threads, and no addresses. */
#define FIRST_THREAD (UINT64_C(1) << 32)

void merge_state_init(merge_state *state, const mprof_allocator *allocator)
{
	memset(state, 0, sizeof(*state));
	state->allocator = *allocator;
	shared_definitions_init(&state->definitions, allocator);
	for (size_t kind = 0; kind < MERGE_NUMBER_COUNT; kind++) {
		const int is_id = kind < MERGE_THREAD;

		used_numbers_init(&state->used[kind], allocator, is_id ? 1 : FIRST_THREAD,
				  is_id ? UINT32_MAX : UINT64_MAX);
	}
	id_map_init(&state->fields, allocator);
	encode_buffer_init(&state->content, allocator, SIZE_MAX);
}

void merge_state_destroy(merge_state *state)
{
	shared_definitions_destroy(&state->definitions);
	for (size_t kind = 0; kind < MERGE_NUMBER_COUNT; kind++)
		used_numbers_destroy(&state->used[kind]);
	id_map_destroy(&state->fields);
	encode_buffer_destroy(&state->content);
}

void merge_input_init(merge_input *input, merge_state *shared, size_t index, uint64_t process)
{
	memset(input, 0, sizeof(*input));
	input->shared = shared;
	input->index = index;
	input->process = process;
	for (size_t kind = 0; kind < MERGE_NUMBER_COUNT; kind++)
		own_numbers_init(&input->numbers[kind], &shared->allocator, &shared->used[kind]);
	hash_map_init(&input->occurrences, &shared->allocator);
	id_map_init(&input->unit_contents, &shared->allocator);
}

void merge_input_destroy(merge_input *input)
{
	for (size_t kind = 0; kind < MERGE_NUMBER_COUNT; kind++)
		own_numbers_destroy(&input->numbers[kind]);
	hash_map_destroy(&input->occurrences);
	id_map_destroy(&input->unit_contents);
	allocator_release(&input->shared->allocator, input->new_threads,
			  input->new_thread_capacity * sizeof(*input->new_threads));
}

static int note_new_thread(merge_input *input, uint64_t thread)
{
	void *threads = input->new_threads;
	const int has_room = array_reserve(&input->shared->allocator, &threads, &input->new_thread_capacity,
					   input->new_thread_count + 1, sizeof(*input->new_threads));

	input->new_threads = threads;
	if (has_room)
		input->new_threads[input->new_thread_count++] = thread;
	return has_room;
}

uint64_t merge_thread(merge_input *input, uint64_t thread)
{
	int is_new;
	const uint64_t merged = own_numbers_get(&input->numbers[MERGE_THREAD], thread, &is_new);

	return is_new && !note_new_thread(input, merged) ? 0 : merged;
}

uint64_t merge_process_thread(merge_input *input)
{
	if (input->process_thread == 0) {
		input->process_thread = used_numbers_take(&input->shared->used[MERGE_THREAD], 0);
		if (input->process_thread != 0 && !note_new_thread(input, input->process_thread))
			return 0;
	}
	return input->process_thread;
}

/* Adds the number of earlier definitions of the log with the same content to the content. */
static void keep_apart(merge_input *input)
{
	encode_buffer *content = &input->shared->content;
	const uint64_t hash = shared_definitions_hash(content);
	const uint64_t *known = hash_map_get(&input->occurrences, hash);
	const uint64_t earlier = known != NULL ? *known : 0;

	if (!hash_map_put(&input->occurrences, hash, earlier + 1))
		content->status = MPROF_ERR_MEMORY;
	encode_varint(content, earlier);
}

uint32_t merge_input_find(merge_input *input, int stays_apart)
{
	encode_buffer *content = &input->shared->content;

	if (stays_apart && content->status == MPROF_OK)
		keep_apart(input);
	return content->status == MPROF_OK ? shared_definitions_find(&input->shared->definitions, content) : 0;
}

int merge_input_share(merge_input *input, uint32_t id)
{
	return shared_definitions_add(&input->shared->definitions, &input->shared->content, id);
}
