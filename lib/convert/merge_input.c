/* SPDX-License-Identifier: MIT */
/* Keeps the numbers of a log that is merged, and finds definitions that another log has, too. */
#include "convert/merge_input.h"

#include "base/checked.h"

#include <string.h>

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
