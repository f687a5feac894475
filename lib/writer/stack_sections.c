/* SPDX-License-Identifier: MIT */
/* Encodes call stacks as stack sections, which repeat only what has changed. */
#include "writer/stack_sections.h"

#include "base/checked.h"
#include "format/events/events_encode.h"

#include <string.h>

void stack_sections_init(stack_sections *sections, const mprof_allocator *allocator,
			 const definition_table *definitions)
{
	memset(sections, 0, sizeof(*sections));
	sections->definitions = definitions;
	sections->allocator = *allocator;
}

static void frames_destroy(stack_frames *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->frames, list->capacity * sizeof(*list->frames));
}

void stack_sections_destroy(stack_sections *sections)
{
	frames_destroy(&sections->written, &sections->allocator);
	frames_destroy(&sections->wanted, &sections->allocator);
}

static int frames_add(stack_frames *list, const mprof_allocator *allocator, uint32_t frame)
{
	void *frames = list->frames;

	if (!array_reserve(allocator, &frames, &list->capacity, list->count + 1, sizeof(*list->frames)))
		return 0;
	list->frames = frames;
	list->frames[list->count++] = frame;
	return 1;
}

/* Sections have no native frames, and Mono's own reader fails on frames without a method, so both are left out. */
static int frames_collect(stack_sections *sections, uint32_t stack)
{
	stack_frames *list = &sections->wanted;
	mprof_record record;

	list->count = 0;
	sections->wanted_is_partial = 0;
	/* The ID of a caller's stack is always smaller, so the loop terminates. */
	for (; stack != 0; stack = record.as.stack.caller) {
		if (!definition_table_get(sections->definitions, MPROF_RECORD_STACK, stack, &record)) {
			sections->wanted_is_partial = 1;
			break;
		}
		if (record.as.stack.is_native || record.as.stack.target == 0) {
			sections->wanted_is_partial = 1;
			continue;
		}
		if (!frames_add(list, &sections->allocator, record.as.stack.target << 1 | record.as.stack.is_compiling))
			return 0;
	}
	return 1;
}

/* Number of outermost frames that both have in common. */
static size_t count_common_frames(const stack_frames *one, const stack_frames *other)
{
	size_t most = one->count < other->count ? one->count : other->count;
	size_t common = 0;

	while (common < most && one->frames[one->count - 1 - common] == other->frames[other->count - 1 - common])
		common++;
	return common;
}

static void swap_frames(stack_frames *one, stack_frames *other)
{
	stack_frames kept = *one;

	*one = *other;
	*other = kept;
}

mprof_status stack_sections_encode(stack_sections *sections, encode_buffer *buffer, uint32_t stack, size_t tail_room)
{
	size_t common;
	size_t added;

	if (!frames_collect(sections, stack))
		return MPROF_ERR_MEMORY;
	common = count_common_frames(&sections->written, &sections->wanted);
	added = sections->wanted.count - common;
	if (!encode_buffer_reserve(buffer, EVENT_SECTION_ROOM(added) + tail_room)) {
		mprof_status status = buffer->status;

		buffer->status = MPROF_OK;
		return status;
	}
	event_encode_section(buffer, common, sections->wanted.frames, added);
	swap_frames(&sections->written, &sections->wanted);
	sections->stack = stack;
	sections->is_partial = sections->wanted_is_partial;
	sections->is_in_force = sections->written.count > 0;
	return MPROF_OK;
}
