/* SPDX-License-Identifier: MIT */
/* Translates events of a log that is merged with others. */
#include "convert/merge_events.h"

#include "convert/merge_input.h"
#include "format/events/event_kinds.h"

#include <string.h>

static int translate_event_id(merge_input *input, mprof_event *event)
{
	switch (event_kind_rows[event->kind].id) {
	case MPROF_EVENT_ID_METHOD:
		/* A sample has a call stack. */
		return event->kind == MPROF_EVENT_SAMPLE || merge_translate_id(input, MERGE_METHOD, &event->id);
	case MPROF_EVENT_ID_CLASS:
		return merge_translate_id(input, MERGE_CLASS, &event->id);
	case MPROF_EVENT_ID_COLLECTION:
		return merge_translate_id(input, MERGE_COLLECTION, &event->id);
	default:
		return 1;
	}
}

static int translate_event_value(merge_input *input, mprof_event *event)
{
	const uint64_t number = event->value;

	switch (event_kind_rows[event->kind].value) {
	case MPROF_EVENT_VALUE_THREAD:
		event->value = merge_thread(input, number);
		break;
	case MPROF_EVENT_VALUE_STACK:
		event->value = merge_number_get(input, MERGE_CALL_STACK, number);
		/* The number may be used for another stack. */
		if (event->kind == MPROF_EVENT_STACK_END)
			own_numbers_end(&input->numbers[MERGE_CALL_STACK], number);
		break;
	default:
		return 1;
	}
	return event->value != 0 || number == 0;
}

/* Translates the method in the detail of an event: the one that allocates, or that has the clause. */
static int translate_event_caller(mprof_converter *converter, size_t index)
{
	mprof_event *event = &converter->events[index];

	if (event->more.detail == NULL || event->more.detail->caller == 0 || event->kind == MPROF_EVENT_SAMPLE)
		return 1;
	converter->details[index] = *event->more.detail;
	event->more.detail = &converter->details[index];
	return merge_translate_id(converter->merge, MERGE_METHOD, &converter->details[index].caller);
}

int merge_translate_events(mprof_converter *converter, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &converter->events[i];

		if (!translate_event_id(converter->merge, event) || !translate_event_value(converter->merge, event) ||
		    !translate_event_caller(converter, i))
			return 0;
	}
	return 1;
}

/*
 * Numbers of spans and flows become those of the process: sequences of different processes are then far apart, and
 * random numbers stay as different as they were.
 */
static uint64_t apart_by_process(const merge_input *input, uint64_t number)
{
	return number == 0 ? 0 : number + hash_address(input->index);
}

/* Whether an argument is the number of a collection (section 4.11 of doc/format.md). */
static int is_collection(const mprof_type_record *type, const mprof_argument_record *argument)
{
	static const char reserved[] = "mprof.";

	return strncmp(type->name, reserved, sizeof(reserved) - 1) == 0 && strcmp(argument->name, "collection") == 0;
}

uint64_t merge_translate_argument(const mprof_converter *converter, const mprof_type_record *type,
				  const mprof_argument_record *argument, uint64_t number)
{
	merge_input *input = converter->merge;

	switch (argument->role) {
	case MPROF_ROLE_SPAN:
	case MPROF_ROLE_PARENT:
	case MPROF_ROLE_CAUSE:
	case MPROF_ROLE_FLOW_OUT:
	case MPROF_ROLE_FLOW_IN:
		return apart_by_process(input, number);
	default:
		break;
	}
	if (argument->encoding != MPROF_ENCODING_UNSIGNED)
		return number;
	if (is_collection(type, argument) && number <= UINT32_MAX)
		return merge_number_get(input, MERGE_COLLECTION, number);
	switch (argument->kind) {
	case MPROF_ARGUMENT_METHOD:
		return number > UINT32_MAX ? number : merge_number_get(input, MERGE_METHOD, number);
	case MPROF_ARGUMENT_CLASS:
		return number > UINT32_MAX ? number : merge_number_get(input, MERGE_CLASS, number);
	case MPROF_ARGUMENT_THREAD:
		return merge_thread(input, number);
	default:
		return number;
	}
}
