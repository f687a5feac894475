/* SPDX-License-Identifier: MIT */
#include "log_text_parts.h"

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

static int is_allocation(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_ALLOCATION || event->kind == MPROF_EVENT_ALLOCATION_AT_JIT;
}

static void render_frame(log_text *out, const log_input *input, const mprof_stack_frame *frame)
{
	char name[200];

	if (!frame->is_native) {
		log_text_add(out, "%u%s", frame->id, frame->is_compiling ? "(compiling)" : "");
		return;
	}
	(void)mprof_reader_format_location(input->reader, frame->id, name, sizeof(name));
	log_text_add(out, "%s", name);
}

/* A call stack, the innermost frame first. Its ID is not written: it depends on how the stacks were numbered. */
static void render_stack(log_text *out, const log_input *input, uint32_t stack)
{
	mprof_stack_frame frames[200] = {{0}};
	size_t count;

	if (input->reader == NULL) {
		log_text_add(out, " stack=%u", stack);
		return;
	}
	if (mprof_reader_lookup_stack(input->reader, stack, frames, sizeof(*frames), 200, &count) != MPROF_OK) {
		log_text_add(out, " stack=%s", stack == 0 ? "" : "undefined");
		return;
	}
	cr_assert_leq(count, 200);
	for (size_t i = 0; i < count; i++) {
		log_text_add(out, i == 0 ? " stack=" : "<");
		render_frame(out, input, &frames[i]);
	}
}

/* Optional fields: those that directives add to allocations, or that the kind has. */
static void render_detail(log_text *out, const log_input *input, const mprof_event *event, uint64_t directives)
{
	const mprof_event_detail *detail = event->more.detail;

	if (detail == NULL)
		return;
	if (detail->argument_size > 0)
		log_text_add(out, " arguments=");
	for (size_t k = 0; k < detail->argument_size; k++)
		log_text_add(out, "%02x", detail->arguments[k]);
	if (event->kind == MPROF_EVENT_EXCEPTION_CLAUSE ||
	    (is_allocation(event) && (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0))
		log_text_add(out, " caller=%u", detail->caller);
	if (event->kind == MPROF_EVENT_HANDLE_CREATED || event->kind == MPROF_EVENT_HANDLE_DELETED)
		log_text_add(out, " type=%u", detail->handle_type);
	if (is_allocation(event)
		    ? (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0 || detail->stack != 0
		    : detail->stack != 0)
		render_stack(out, input, detail->stack);
	if (is_allocation(event) ? (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0
				 : detail->object != 0)
		log_text_add(out, " object=%llx", (number)detail->object);
	if (event->kind == MPROF_EVENT_OBJECT_RESIZED)
		log_text_add(out, " size=%llu", (number)detail->size);
}

static int has_value(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_ALLOCATION_AT_JIT:
	case MPROF_EVENT_MONITOR:
	case MPROF_EVENT_HANDLE_CREATED:
	case MPROF_EVENT_EXCEPTION_CLAUSE:
	case MPROF_EVENT_METHOD_CODE:
	case MPROF_EVENT_MONITOR_HOLDER:
	case MPROF_EVENT_OBJECT_FREED:
	case MPROF_EVENT_OBJECT_RESIZED:
		return 1;
	default:
		return event->id == 0 && event->kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	}
}

static int is_of_collection(const mprof_event *event)
{
	return event->kind >= MPROF_EVENT_GC_START && event->kind <= MPROF_EVENT_GC_START_WORLD_END;
}

static void render_id_and_value(log_text *out, const mprof_event *event)
{
	if (event->id != 0)
		log_text_add(out, is_of_collection(event) ? " collection=%u" : " id=%u", event->id);
	if (has_value(event) || is_of_collection(event))
		log_text_add(out, " value=%llu", (number)event->value);
}

static void render_stack_section(log_text *out, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	log_text_add(out, "  stack-section keep=%llu frames=", (number)event->value);
	for (uint32_t i = 0; i < detail->reference_count; i++)
		log_text_add(out, "%s%llu%s", i == 0 ? "" : ",", (number)detail->references[i] >> 1,
			     detail->references[i] & 1 ? "(compiling)" : "");
	log_text_add(out, "\n");
}

/* A hit of a STATISTICAL block as parsers return it, frame by frame. */
static void render_frame_event(log_text *out, const mprof_event *event)
{
	log_text_add(out, event->flags & MPROF_EVENT_FLAG_CALLER ? "    caller" : "  sample");
	if ((event->flags & MPROF_EVENT_FLAG_IN_MODULE) != 0)
		log_text_add(out, " module=%u offset=%llx", event->id, (number)event->value);
	else if ((event->flags & MPROF_EVENT_FLAG_NATIVE) != 0 && event->id == 0)
		log_text_add(out, " address=%llx", (number)event->value);
	else
		log_text_add(out, " id=%u", event->id);
	if ((event->flags & MPROF_EVENT_FLAG_NATIVE) != 0)
		log_text_add(out, " native");
	if (event->more.detail != NULL && event->more.detail->samples > 1)
		log_text_add(out, " samples=%llu", (number)event->more.detail->samples);
	log_text_add(out, "\n");
}

static void render_sample(log_text *out, const log_input *input, const mprof_event *event, uint32_t block)
{
	log_text_add(out, "  sample");
	if (block == MPROF_BLOCK_SAMPLES)
		log_text_add(out, " counter=%llu", (number)event->counter);
	if (input->reader != NULL)
		render_stack(out, input, (uint32_t)event->value);
	else
		log_text_add(out, " value=%llu", (number)event->value);
	if (event->more.detail != NULL && event->more.detail->samples > 1)
		log_text_add(out, " samples=%llu", (number)event->more.detail->samples);
	log_text_add(out, "\n");
}

static void render_event(log_text *out, const log_input *input, const mprof_event *event, uint64_t directives)
{
	log_text_add(out, "  %s", mprof_event_get_name(event->kind));
	if (event->kind == MPROF_EVENT_UNKNOWN)
		log_text_add(out, " code=%02x", event->code);
	log_text_add(out, " counter=%llu", (number)event->counter);
	render_id_and_value(out, event);
	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		log_text_add(out, " failed");
	render_detail(out, input, event, directives);
	log_text_add(out, "\n");
}

static void render_heap_event(log_text *out, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	log_text_add(out, "  %s", mprof_event_get_name(event->kind));
	if (event->kind == MPROF_EVENT_HEAP_MOVE)
		log_text_add(out, " object=%llx value=%llx", (number)detail->object, (number)event->value);
	else if (event->kind != MPROF_EVENT_HEAP_REFERENCES)
		log_text_add(out, " id=%u value=%llu object=%llx", event->id, (number)event->value,
			     (number)detail->object);
	for (uint32_t i = 0; i < detail->reference_count; i++)
		log_text_add(out, "%s%llx", i == 0 ? " references=" : ",", (number)detail->references[i]);
	for (uint32_t i = 0; detail->offsets != NULL && i < detail->reference_count; i++)
		log_text_add(out, "%s%llu", i == 0 ? " offsets=" : ",", (number)detail->offsets[i]);
	log_text_add(out, "\n");
}

static void render_memory_event(log_text *out, const log_input *input, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	log_text_add(out, "  %s counter=%llu", mprof_event_get_name(event->kind), (number)event->counter);
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED)
		log_text_add(out, " started=%llu from=%llx", (number)detail->started, (number)detail->object);
	log_text_add(out, " address=%llx", (number)event->value);
	if (event->kind != MPROF_EVENT_MEMORY_FREED)
		log_text_add(out, " size=%llu", (number)detail->size);
	if (detail != NULL && detail->stack != 0)
		render_stack(out, input, detail->stack);
	log_text_add(out, "\n");
}

static void render_any_event(log_text *out, const log_input *input, const mprof_event *event, uint64_t directives,
			     uint32_t block)
{
	if (event->kind >= MPROF_EVENT_HEAP_OBJECT && event->kind <= MPROF_EVENT_HEAP_REFERENCES)
		render_heap_event(out, event);
	else if (event->kind >= MPROF_EVENT_MEMORY_ALLOCATED && event->kind <= MPROF_EVENT_MEMORY_RESIZED)
		render_memory_event(out, input, event);
	else if (event->kind == MPROF_EVENT_STACK_SECTION)
		render_stack_section(out, event);
	else if (block == MPROF_BLOCK_STATISTICAL && input->reader == NULL)
		render_frame_event(out, event);
	else if (event->kind == MPROF_EVENT_SAMPLE)
		render_sample(out, input, event, block);
	else
		render_event(out, input, event, directives);
}

void log_text_render_events(log_text *out, const log_input *input, uint64_t directives, uint32_t block)
{
	mprof_event events[3];
	mprof_status status;
	size_t count;

	do {
		status = log_input_events(input, events, 3, &count);
		for (size_t i = 0; i < count; i++)
			render_any_event(out, input, &events[i], directives, block);
	} while (status == MPROF_OK);
	log_text_expect_end(out, input, status);
}
