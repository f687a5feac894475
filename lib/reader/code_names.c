/* SPDX-License-Identifier: MIT */
/* Names addresses of generated code, and looks up ranges of it. */
#include "reader/code_names.h"

#include "base/caller_structs.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader.h"
#include "reader/reader_internal.h"

#include <string.h>

/* A frame of a call stack of the log, or one that replaces it. */
struct code_frame {
	uint32_t stack; /* The ID of the call stack that it is the innermost frame of. */
	uint32_t is_native;
	uint32_t target;
};

void code_names_init(mprof_reader *reader)
{
	code_names *names = &reader->code;

	code_ranges_init(&names->ranges, &reader->budget);
	definition_table_init(&names->definitions, &reader->names);
	definition_interner_init(&names->interner, &names->definitions);
	definition_interner_set_first_id(&names->interner, CODE_NAMES_BASE_ID);
	hash_map_init(&names->numbers, &reader->budget.allocator);
	hash_map_init(&names->processes, &reader->budget.allocator);
	hash_map_init(&names->indexes, &reader->budget.allocator);
}

void code_names_destroy(mprof_reader *reader)
{
	const mprof_allocator *allocator = &reader->budget.allocator;
	code_names *names = &reader->code;

	code_ranges_destroy(&names->ranges);
	definition_interner_destroy(&names->interner);
	definition_table_destroy(&names->definitions);
	hash_map_destroy(&names->numbers);
	hash_map_destroy(&names->processes);
	hash_map_destroy(&names->indexes);
	allocator_release(allocator, names->known, names->known_capacity * sizeof(*names->known));
	allocator_release(allocator, names->frames, names->frame_capacity * sizeof(*names->frames));
}

int reader_has_code_ranges(const mprof_reader *reader)
{
	return code_ranges_has_any(&reader->code.ranges);
}

void reader_note_unnamed(mprof_reader *reader, uint64_t counter)
{
	code_names *names = &reader->code;

	if (code_ranges_has_any(&names->ranges))
		return;
	if (!names->passed || counter > names->early)
		names->early = counter;
	names->passed = 1;
}

uint64_t reader_process_of_addresses(const mprof_reader *reader, uint64_t process)
{
	const uint64_t own_addresses = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_PROCESSES);

	return (parser_directives_declared(reader->parser) & own_addresses) != 0 ? process : 0;
}

/* Notes the processes of the threads that were described since. The latest description of a thread counts. */
static mprof_status note_processes(mprof_reader *reader)
{
	code_names *names = &reader->code;
	const size_t count = definition_table_count(&reader->definitions, MPROF_RECORD_TIMELINE);
	mprof_status status = MPROF_OK;
	mprof_record timeline;

	while (status == MPROF_OK && names->timelines < count) {
		if (definition_table_get(&reader->definitions, MPROF_RECORD_TIMELINE, names->timelines + 1, &timeline))
			status = memory_budget_map_put(&reader->budget, &names->processes, timeline.as.timeline.thread,
						       timeline.as.timeline.process);
		names->timelines += status == MPROF_OK;
	}
	return status;
}

/* The process whose addresses the events of a thread have; 0 if all are of one, or it is not described. */
static mprof_status process_of(mprof_reader *reader, uint64_t thread, uint64_t *process)
{
	const uint64_t *known;
	mprof_status status;

	*process = 0;
	if (reader_process_of_addresses(reader, 1) == 0)
		return MPROF_OK;
	status = note_processes(reader);
	known = hash_map_get(&reader->code.processes, thread);
	if (status == MPROF_OK && known != NULL)
		*process = *known;
	return status;
}

/* The key of a call stack of a process in the map of what is known. */
static mprof_status key_of(mprof_reader *reader, uint64_t process, uint32_t stack, uint64_t *key)
{
	code_names *names = &reader->code;
	const uint64_t *index = process != 0 ? hash_map_get(&names->indexes, process) : NULL;
	mprof_status status = MPROF_OK;

	*key = stack;
	if (process == 0)
		return MPROF_OK;
	if (index != NULL) {
		*key |= *index << 32;
		return MPROF_OK;
	}
	status = memory_budget_map_put(&reader->budget, &names->indexes, process, names->index_count + 1);
	if (status == MPROF_OK)
		*key |= (uint64_t)++names->index_count << 32;
	return status;
}

/* Collects the frames of a call stack, the innermost first. */
static mprof_status collect_frames(mprof_reader *reader, uint32_t stack, size_t *count)
{
	code_names *names = &reader->code;
	definition_stack found;

	*count = 0;
	while (definition_table_get_stack(&reader->definitions, stack, &found)) {
		void *frames = names->frames;
		mprof_status status = memory_budget_reserve(&reader->budget, &frames, &names->frame_capacity,
							    *count + 1, sizeof(*names->frames));

		names->frames = frames;
		if (status != MPROF_OK)
			return status;
		names->frames[(*count)++] = (struct code_frame){stack, found.is_native, found.target};
		stack = found.parent;
	}
	return MPROF_OK;
}

/* Whether a frame is an address: native code of which neither the module nor the function is known. */
static int get_address(const mprof_reader *reader, const struct code_frame *frame, uint64_t *address)
{
	mprof_record location;

	if (!frame->is_native ||
	    !definition_table_get(&reader->definitions, MPROF_RECORD_LOCATION, frame->target, &location) ||
	    location.as.location.module != 0 || location.as.location.function != 0)
		return 0;
	*address = location.as.location.offset;
	return 1;
}

/* The module that readers show for a range that is in none of the log. */
static const char *module_name(uint32_t kind)
{
	switch (kind) {
	case MPROF_CODE_RANGE_KERNEL:
		return "[kernel.kallsyms]";
	case MPROF_CODE_RANGE_BPF:
		return "[bpf]";
	default:
		return "[jit]";
	}
}

/* Makes the location for an address in a range without a method. */
static mprof_status make_location(mprof_reader *reader, const mprof_record *range, const code_answer *answer,
				  uint64_t address, uint32_t *id)
{
	const mprof_code_range_record *code = &range->as.code_range;
	definition_interner *interner = &reader->code.interner;
	mprof_record module = {.kind = MPROF_RECORD_MODULE,
			       .as.module = {.file = module_name(code->kind), .build_id = ""}};
	mprof_record function = {.kind = MPROF_RECORD_FUNCTION,
				 .as.function = {.offset = answer->address, .size = code->size, .name = code->name}};
	mprof_record location = {.kind = MPROF_RECORD_LOCATION, .as.location.offset = address};
	mprof_record known;
	mprof_status status = MPROF_OK;

	if (definition_table_get(&reader->definitions, MPROF_RECORD_MODULE, code->module, &known)) {
		module.id = code->module;
		function.as.function.offset -= known.as.module.address;
		location.as.location.offset -= known.as.module.address;
	} else {
		status = definition_intern(interner, &module);
	}
	function.as.function.module = module.id;
	if (status == MPROF_OK)
		status = definition_intern(interner, &function);
	location.as.location.module = module.id;
	location.as.location.function = function.id;
	if (status == MPROF_OK)
		status = definition_intern(interner, &location);
	*id = location.id;
	return status;
}

/* Adds the frames of an address in a range to a named call stack: those of its positions, a method, or a location. */
static mprof_status add_named(mprof_reader *reader, const code_answer *answer, uint64_t address, uint32_t *named)
{
	definition_interner *interner = &reader->code.interner;
	const code_line *lines;
	size_t line_count = code_ranges_lines(&reader->code.ranges, answer->range, address - answer->address, &lines);
	mprof_record range;
	mprof_status status = MPROF_OK;
	uint32_t location;

	for (; status == MPROF_OK && line_count > 0; line_count--)
		status = definition_intern_stack(interner, *named, lines[line_count - 1].position,
						 DEFINITION_FLAGS_POSITION, named);
	if (lines != NULL ||
	    !definition_table_get(&reader->definitions, MPROF_RECORD_CODE_RANGE, answer->range, &range))
		return status;
	if (range.as.code_range.method != 0)
		return definition_intern_stack(interner, *named, range.as.code_range.method, 0, named);
	status = make_location(reader, &range, answer, address, &location);
	if (status != MPROF_OK)
		return status;
	return definition_intern_stack(interner, *named, location, MPROF_EVENT_FLAG_NATIVE, named);
}

/* Adds a frame of the log to a named call stack. */
static mprof_status add_own(mprof_reader *reader, const struct code_frame *frame, uint32_t *named)
{
	definition_stack copy;
	uint32_t flags;

	(void)definition_table_get_stack(&reader->definitions, frame->stack, &copy);
	flags = (copy.is_native ? MPROF_EVENT_FLAG_NATIVE : 0) | (copy.is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0);
	if (copy.position != 0)
		flags = DEFINITION_FLAGS_POSITION;
	return definition_intern_stack(&reader->code.interner, *named, copy.position != 0 ? copy.position : copy.target,
				       flags, named);
}

/*
 * Names a call stack of the log at a counter. A frame that has a callee is a return address, so the call is before it.
 */
static mprof_status resolve(mprof_reader *reader, uint64_t process, uint32_t stack, uint64_t counter, code_name *found)
{
	size_t count;
	mprof_status status = collect_frames(reader, stack, &count);
	int is_changed = 0;

	*found = (code_name){
		.process = process, .stack = stack, .until = UINT64_MAX, .version = reader->code.ranges.version};
	for (size_t i = count; status == MPROF_OK && i > 0; i--) {
		const struct code_frame *frame = &reader->code.frames[i - 1];
		code_answer answer = {.until = UINT64_MAX};
		uint64_t address = 0;

		if (get_address(reader, frame, &address)) {
			found->has_address = 1;
			address -= i > 1 && address > 0 ? 1 : 0;
			status = code_ranges_find(&reader->code.ranges, (code_address){process, address}, counter,
						  &answer);
		}
		if (status != MPROF_OK)
			break;
		found->from = answer.from > found->from ? answer.from : found->from;
		found->until = answer.until < found->until ? answer.until : found->until;
		if (answer.range != 0)
			status = add_named(reader, &answer, address, &found->named);
		else if (is_changed)
			status = add_own(reader, frame, &found->named);
		else
			found->named = frame->stack;
		is_changed |= answer.range != 0;
	}
	if (!is_changed)
		found->named = stack;
	return status;
}

/* Whether ranges that are known by now change the name that was found for a counter. */
static mprof_status check_used(mprof_reader *reader, const code_name *known, uint64_t counter, uint32_t named)
{
	code_name found;
	mprof_status status = resolve(reader, known->process, known->stack, counter, &found);

	if (status == MPROF_OK && found.named != named)
		reader->code.is_late = 1;
	return status;
}

/* Brings what was found for a call stack up to date with the ranges. */
static mprof_status check_known(mprof_reader *reader, const code_name *known)
{
	mprof_status status = MPROF_OK;

	if (!known->has_address || known->version == reader->code.ranges.version || reader->code.is_late)
		return MPROF_OK;
	status = check_used(reader, known, known->first_used, known->first_named);
	if (status == MPROF_OK && !reader->code.is_late)
		status = check_used(reader, known, known->last_used, known->last_named);
	return status;
}

/* Notes that a name was used for a counter. */
static uint32_t use_name(code_name *known, uint64_t counter)
{
	if (counter < known->first_used) {
		known->first_used = counter;
		known->first_named = known->named;
	}
	if (counter >= known->last_used) {
		known->last_used = counter;
		known->last_named = known->named;
	}
	return known->named;
}

/* What was found for a call stack before; NULL if nothing was. */
static code_name *find_known(code_names *names, uint64_t key)
{
	const uint64_t *number = hash_map_get(&names->numbers, key);

	return number != NULL ? &names->known[*number] : NULL;
}

static mprof_status add_known(mprof_reader *reader, uint64_t key, uint64_t process, uint32_t stack)
{
	code_names *names = &reader->code;
	void *known = names->known;
	mprof_status status = memory_budget_reserve(&reader->budget, &known, &names->known_capacity,
						    names->known_count + 1, sizeof(*names->known));

	names->known = known;
	if (status == MPROF_OK)
		status = memory_budget_map_put(&reader->budget, &names->numbers, key, names->known_count);
	if (status != MPROF_OK)
		return status;
	/* Nothing is known from any counter on. */
	names->known[names->known_count++] = (code_name){.process = process,
							 .stack = stack,
							 .has_address = 1,
							 .first_used = UINT64_MAX,
							 .version = names->ranges.version};
	return MPROF_OK;
}

static mprof_status name_stack(mprof_reader *reader, uint64_t process, uint32_t stack, uint64_t counter,
			       uint32_t *named)
{
	uint64_t key;
	mprof_status status = key_of(reader, process, stack, &key);
	code_name *known = status == MPROF_OK ? find_known(&reader->code, key) : NULL;
	code_name found;

	*named = stack;
	if (status == MPROF_OK && known == NULL) {
		status = add_known(reader, key, process, stack);
		known = status == MPROF_OK ? find_known(&reader->code, key) : NULL;
	}
	if (known == NULL)
		return status;
	if (known->has_address && known->version != reader->code.ranges.version && known->first_used != UINT64_MAX)
		status = check_known(reader, known);
	if (known->has_address &&
	    (known->version != reader->code.ranges.version || counter < known->from || counter >= known->until)) {
		if (status == MPROF_OK)
			status = resolve(reader, process, stack, counter, &found);
		if (status != MPROF_OK)
			return status;
		found.first_used = known->first_used;
		found.first_named = known->first_named;
		found.last_used = known->last_used;
		found.last_named = known->last_named;
		*known = found;
	}
	*named = known->has_address ? use_name(known, counter) : stack;
	return MPROF_OK;
}

mprof_status mprof_reader_name_stack(mprof_reader *reader, uint64_t thread, uint32_t stack, uint64_t counter,
				     uint32_t *named)
{
	mprof_status status;
	uint64_t process;

	if (reader_check_pointer(reader, named) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*named = stack;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (stack == 0 || stack > CODE_NAMES_BASE_ID)
		return MPROF_OK;
	if (!code_ranges_has_any(&reader->code.ranges)) {
		reader_note_unnamed(reader, counter);
		return MPROF_OK;
	}
	status = process_of(reader, thread, &process);
	if (status == MPROF_OK)
		status = name_stack(reader, process, stack, counter, named);
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for names of code") : status;
}

/* As mprof_reader_name_stack(), for a call stack of an event. */
static uint32_t name_of_event(mprof_reader *reader, uint64_t process, uint32_t stack, uint64_t counter)
{
	uint32_t named = stack;
	mprof_status status = stack != 0 ? name_stack(reader, process, stack, counter, &named) : MPROF_OK;

	if (status != MPROF_OK)
		reader_note_fault(reader, status);
	return named;
}

void reader_name_events(mprof_reader *reader, mprof_event *events, size_t count)
{
	mprof_status status;
	uint64_t process;

	if (count > 0)
		reader_note_unnamed(reader, events[count - 1].counter);
	if (count == 0 || !code_ranges_has_any(&reader->code.ranges))
		return;
	status = process_of(reader, parser_block(reader->parser)->thread, &process);
	if (status != MPROF_OK)
		reader_note_fault(reader, status);
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];
		const mprof_event_detail *detail = event->more.detail;

		if (event->kind == MPROF_EVENT_SAMPLE)
			event->value = name_of_event(reader, process, (uint32_t)event->value, event->counter);
		/* The details of a batch belong to the reader. */
		if (detail != NULL && detail->stack != 0)
			((mprof_event_detail *)(uintptr_t)detail)->stack =
				name_of_event(reader, process, detail->stack, event->counter);
	}
}

int mprof_reader_has_late_code(mprof_reader *reader)
{
	code_names *names;
	int is_late;

	if (reader == NULL)
		return 0;
	names = &reader->code;
	for (size_t i = 0; i < names->known_count; i++) {
		if (check_known(reader, &names->known[i]) != MPROF_OK)
			break;
	}
	is_late = names->is_late || (names->passed && code_ranges_first_start(&names->ranges, 0) <= names->early);
	hash_map_destroy(&names->numbers);
	hash_map_init(&names->numbers, &reader->budget.allocator);
	names->known_count = 0;
	names->passed = 0;
	names->is_late = 0;
	return is_late;
}

mprof_status mprof_reader_lookup_code(mprof_reader *reader, uint64_t process, uint64_t address, uint64_t counter,
				      mprof_record *range, size_t record_size)
{
	code_address searched;
	code_answer answer;
	mprof_record copy;
	mprof_status status;

	if (reader_check_pointer(reader, range) != MPROF_OK || record_size < SIZE_UP_TO(mprof_record, as))
		return MPROF_ERR_ARGUMENT;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	searched = (code_address){reader_process_of_addresses(reader, process), address};
	status = code_ranges_find(&reader->code.ranges, searched, counter, &answer);
	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for names of code");
	if (status != MPROF_OK)
		return status;
	status = definition_table_get(&reader->definitions, MPROF_RECORD_CODE_RANGE, answer.range, &copy)
			 ? MPROF_OK
			 : MPROF_ERR_UNDEFINED_ID;
	if (status == MPROF_OK)
		copy.as.code_range.address = answer.address;
	element_put(range, record_size, 0, &copy, sizeof(copy));
	return status;
}
