/* SPDX-License-Identifier: MIT */
/* Checks that the IDs to which events and records refer are defined. */
#include "commands/check_references.h"

#include "dump/dump.h"

/* Messages about the first use of an undefined ID. */
static const char *const complaints[REFERENCE_KIND_COUNT] = {
	[REFERENCE_METHOD] = "the block uses a method that is not defined",
	[REFERENCE_CLASS] = "the block uses a class that is not defined",
	[REFERENCE_STACK] = "the block uses a call stack that is not defined",
	[REFERENCE_MODULE] = "the block uses a module that is not defined",
	[REFERENCE_FUNCTION] = "the block uses a function that is not defined",
	[REFERENCE_LOCATION] = "the block uses a location that is not defined",
	[REFERENCE_ROOT] = "the block uses a root that is not defined",
	[REFERENCE_METRIC] = "the block uses a metric that is not defined",
};

static int is_defined(const log_input *input, reference_kind kind, uint32_t id)
{
	static const mprof_record_kind records[REFERENCE_KIND_COUNT] = {
		[REFERENCE_STACK] = MPROF_RECORD_STACK,       [REFERENCE_MODULE] = MPROF_RECORD_MODULE,
		[REFERENCE_FUNCTION] = MPROF_RECORD_FUNCTION, [REFERENCE_LOCATION] = MPROF_RECORD_LOCATION,
		[REFERENCE_ROOT] = MPROF_RECORD_ROOT,         [REFERENCE_METRIC] = MPROF_RECORD_METRIC,
	};
	mprof_mapping mapping;
	mprof_record record;

	if (kind == REFERENCE_METHOD)
		return mprof_reader_lookup_method(input->reader, id, &mapping, sizeof(mapping)) == MPROF_OK;
	if (kind == REFERENCE_CLASS)
		return mprof_reader_lookup_class(input->reader, id, &mapping, sizeof(mapping)) == MPROF_OK;
	return mprof_reader_lookup_record(input->reader, records[kind], id, &record, sizeof(record)) == MPROF_OK;
}

void references_init(reference_check *check)
{
	mprof_event event = {.kind = 0};

	/* Looked up once and not for each event, which would take longer than decoding it. */
	for (int kind = 0; kind <= UINT8_MAX; kind++) {
		event.kind = (uint8_t)kind;
		check->subjects[kind] = (uint8_t)dump_subject_of(&event);
	}
}

/* Checks an ID that is not in the cache. */
static void check_slow(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
		       uint32_t id)
{
	reference_use *use = &check->kinds[kind];
	int is_new = key_map_add(&use->used, id);

	use->recent[id % REFERENCE_RECENT] = (uint64_t)id + 1;
	if (is_new < 0)
		check->out_of_memory = 1;
	if (is_new <= 0 || is_defined(input, kind, id))
		return;
	if (key_map_add(&use->undefined, id) < 0)
		check->out_of_memory = 1;
	input_problem(input, block->offset, MPROF_ERR_UNDEFINED_ID, complaints[kind]);
}

/* An ID must be defined when it is first used. Each ID is checked only once. */
void references_check(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
		      uint32_t id)
{
	if (check->kinds[kind].recent[id % REFERENCE_RECENT] != (uint64_t)id + 1)
		check_slow(check, input, block, kind, id);
}

/* Checks an optional ID; 0 means that it is absent. */
static void check_optional(reference_check *check, log_input *input, const mprof_block *block, reference_kind kind,
			   uint32_t id)
{
	if (id != 0)
		references_check(check, input, block, kind, id);
}

/* Whether the class of the event's object may be unknown, or its code may belong to no method. */
static int may_lack_subject(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_METHOD_CODE || event->kind == MPROF_EVENT_MONITOR ||
	       event->kind == MPROF_EVENT_MONITOR_HOLDER || event->kind == MPROF_EVENT_HEAP_OBJECT ||
	       event->kind == MPROF_EVENT_EXCEPTION_CLAUSE || event->kind == MPROF_EVENT_HANDLE_CREATED ||
	       event->kind == MPROF_EVENT_FINALIZER_START || event->kind == MPROF_EVENT_FINALIZER_END;
}

void references_check_event(reference_check *check, log_input *input, const mprof_block *block,
			    const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	switch (check->subjects[event->kind]) {
	case MPROF_EVENT_ID_METHOD:
		if (event->id != 0 || !may_lack_subject(event))
			references_check(check, input, block, REFERENCE_METHOD, event->id);
		break;
	case MPROF_EVENT_ID_CLASS:
		if (event->id != 0 || !may_lack_subject(event))
			references_check(check, input, block, REFERENCE_CLASS, event->id);
		break;
	case MPROF_EVENT_ID_ROOT:
		check_optional(check, input, block, REFERENCE_ROOT, event->id);
		break;
	default:
		break;
	}
	if (dump_has_stack(event))
		references_check(check, input, block, REFERENCE_STACK, (uint32_t)event->value);
	if (detail != NULL) {
		check_optional(check, input, block, REFERENCE_METHOD, detail->caller);
		check_optional(check, input, block, REFERENCE_STACK, detail->stack);
	}
}

void references_check_record(reference_check *check, log_input *input, const mprof_block *block,
			     const mprof_record *record)
{

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		check_optional(check, input, block, REFERENCE_STACK, record->as.stack.caller);
		if (record->as.stack.is_native)
			check_optional(check, input, block, REFERENCE_LOCATION, record->as.stack.target);
		else
			check_optional(check, input, block, REFERENCE_METHOD, record->as.stack.target);
		break;
	case MPROF_RECORD_LOCATION:
		check_optional(check, input, block, REFERENCE_MODULE, record->as.location.module);
		check_optional(check, input, block, REFERENCE_FUNCTION, record->as.location.function);
		break;
	case MPROF_RECORD_FUNCTION:
		check_optional(check, input, block, REFERENCE_MODULE, record->as.function.module);
		break;
	case MPROF_RECORD_ROOT:
		check_optional(check, input, block, REFERENCE_CLASS, record->as.root.class_id);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		references_check(check, input, block, REFERENCE_METRIC, record->id);
		break;
	case MPROF_RECORD_FIELD:
		references_check(check, input, block, REFERENCE_CLASS, record->id);
		check_optional(check, input, block, REFERENCE_CLASS, record->as.field.class_id);
		break;
	case MPROF_RECORD_SUMMARY:
		references_check(check, input, block, REFERENCE_CLASS, record->id);
		break;
	default:
		break;
	}
}

uint64_t references_undefined(const reference_check *check, reference_kind kind)
{
	return check->kinds[kind].undefined.count;
}

uint64_t references_unused(const reference_check *check, reference_kind kind, uint64_t defined)
{
	uint64_t used = check->kinds[kind].used.count - check->kinds[kind].undefined.count;

	return defined > used ? defined - used : 0;
}

void references_release(reference_check *check)
{
	for (size_t kind = 0; kind < REFERENCE_KIND_COUNT; kind++) {
		key_map_clear(&check->kinds[kind].used);
		key_map_clear(&check->kinds[kind].undefined);
	}
}
