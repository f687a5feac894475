/* SPDX-License-Identifier: MIT */
/* Prints text: one line per block, and its contents indented below. */
#include "dump/dump.h"
#include "shared/kinds.h"
#include "common/names.h"
#include "common/typed.h"
#include "shared/text.h"

#include <inttypes.h>
#include <string.h>

#define MAPPING_BATCH 256

static mprof_status print_mappings(log_input *input)
{
	static mprof_mapping mappings[MAPPING_BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_mappings(input->reader, mappings, sizeof(*mappings), MAPPING_BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			const mprof_mapping *mapping = &mappings[i];

			if (mapping->is_method)
				printf("    method %" PRIu32 " of class %" PRIu32 "%s ", mapping->id, mapping->class_id,
				       mapping->flags & MPROF_METHOD_FLAG_WRAPPER ? ", wrapper" : "");
			else if (mapping->assembly_id != 0)
				printf("    class %" PRIu32 " of assembly %" PRIu32 " ", mapping->id,
				       mapping->assembly_id);
			else
				printf("    class %" PRIu32 " ", mapping->id);
			text_name(stdout, mapping->name);
			if (mapping->source_file[0] != '\0') {
				fputs(" in ", stdout);
				text_name(stdout, mapping->source_file);
				if (mapping->source_line != 0)
					printf(":%" PRIu32, mapping->source_line);
			}
			if (mapping->size != 0)
				printf(", %" PRIu32 " bytes each", mapping->size);
			putchar('\n');
		}
	} while (status == MPROF_OK);
	return status;
}

static mprof_status print_properties(log_input *input)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = mprof_reader_next_property(input->reader, &key, &value)) == MPROF_OK) {
		fputs("    ", stdout);
		text_name(stdout, key);
		fputs(": ", stdout);
		text_name(stdout, value);
		putchar('\n');
	}
	return status;
}

static void print_element(const mprof_block *block)
{
	printf(" %s %" PRIu32 " ", kind_of_element(block->as.element.kind), block->as.element.id);
	text_name(stdout, block->as.element.name);
	if (block->as.element.kind & MPROF_ELEMENT_FLAG_FAILURE)
		fputs(" (failed)", stdout);
	printf(", thread 0x%" PRIx64 ", counter %" PRIu64 " to %" PRIu64, block->thread,
	       block->as.element.start_counter, block->as.element.end_counter);
}

static void print_lost(const mprof_block *block)
{
	printf(" thread 0x%" PRIx64, block->thread);
	for (uint32_t cause = 0; cause < block->as.lost.count; cause++) {
		if (block->as.lost.counts[cause] > 0)
			printf(", %" PRIu64 " %s", block->as.lost.counts[cause], mprof_loss_get_name(cause));
	}
}

static void print_heap_shot(const mprof_block *block)
{
	if (block->as.heap_data.has_clocks) {
		printf(" collection %" PRIu32 ", counter %" PRIu64 " to %" PRIu64 "%s", block->as.heap_data.number,
		       block->as.heap_data.start.counter, block->as.heap_data.end.counter,
		       block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST ? ", snapshot" : "");
		return;
	}
	printf(" snapshot %" PRIu32 ", counter %" PRIu64 "%s%s%s", block->as.heap_data.number,
	       block->as.heap_data.counter, block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST ? ", first" : "",
	       block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST ? ", last" : "",
	       block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE ? ", incomplete" : "");
	if (block->as.heap_data.process != 0)
		printf(", process %" PRIu64, block->as.heap_data.process);
}

static void print_mark(const mprof_block *block)
{
	printf(" thread 0x%" PRIx64 ", counter %" PRIu64 ": ", block->thread, block->as.mark.counter);
	text_name(stdout, block->as.mark.text);
}

/* What the data means is not known: its length is all that can be stated as text. */
static void print_application(const mprof_block *block)
{
	fputc(' ', stdout);
	text_name(stdout, block->as.application.name);
	printf(", kind %" PRIu32 ", flags %" PRIu32 ", %zu bytes", block->as.application.kind,
	       block->as.application.flags, block->as.application.size);
}

static void print_directives(const mprof_number_set *directives)
{
	int is_empty = 1;

	for (uint32_t directive = 0; directive < 256; directive++) {
		if (!mprof_number_set_has(directives, directive))
			continue;
		printf(" %" PRIu32, directive);
		is_empty = 0;
	}
	if (is_empty)
		fputs(" none", stdout);
}

/* Prints the rest of the block's line. */
static void print_fields(const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		printf(" version %" PRIu32 ", flags 0x%" PRIx64 ", runtime ", block->as.intro.version,
		       block->as.intro.flags);
		text_name(stdout, block->as.intro.runtime);
		break;
	case MPROF_BLOCK_END:
		printf(" version %" PRIu32, block->as.end.version);
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		print_element(block);
		break;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		printf(" thread 0x%" PRIx64 ", counter %" PRIu64, block->thread, block->as.samples.base_counter);
		break;
	case MPROF_BLOCK_STATISTICAL:
		printf(" counter %" PRIu64 " to %" PRIu64, block->as.statistical.start_counter,
		       block->as.statistical.end_counter);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		print_directives(&block->as.directives.declared);
		break;
	case MPROF_BLOCK_THREAD:
		printf(" thread 0x%" PRIx64 " ", block->thread);
		text_name(stdout, block->as.thread_name.name);
		break;
	case MPROF_BLOCK_LOST:
		print_lost(block);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		print_heap_shot(block);
		break;
	case MPROF_BLOCK_HEAP_SUMMARY:
		printf(" collection %" PRIu32, block->as.heap_summary.collection);
		break;
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
		printf(" snapshot %" PRIu32, block->as.heap_notes.number);
		break;
	case MPROF_BLOCK_MARK:
		print_mark(block);
		break;
	case MPROF_BLOCK_APPLICATION:
		print_application(block);
		break;
	case MPROF_BLOCK_INDEX:
		printf(" %" PRIu64 " blocks", block->as.index.count);
		break;
	case MPROF_BLOCK_WATERMARK:
		printf(" counter %" PRIu64, block->as.watermark.counter);
		break;
	default:
		printf(" code %" PRIu32, block->code);
		break;
	}
}

/*
 * Whether a block has fields on its own line; the contents of other kinds are only on the lines below it. A STATISTICAL
 * block has its counters there, unless its clock pairs contain them.
 */
static int has_fields(const mprof_block *block)
{
	const uint64_t lists = MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) | MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_FIELDS) | MPROF_BLOCK_BIT(MPROF_BLOCK_TYPES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_TEXTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCKS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_TIMELINES) | MPROF_BLOCK_BIT(MPROF_BLOCK_PROCESSES) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_CLOCK_PAIRS) | MPROF_BLOCK_BIT(MPROF_BLOCK_POSITIONS) |
			       MPROF_BLOCK_BIT(MPROF_BLOCK_CODE_RANGES) | MPROF_BLOCK_BIT(MPROF_BLOCK_REACHABILITY);

	if (block->kind == MPROF_BLOCK_STATISTICAL)
		return !block->has_clocks;
	return (MPROF_BLOCK_BIT(block->kind) & lists) == 0;
}

static void print_block(log_input *input, const mprof_block *block)
{
	mprof_status status = MPROF_END;

	printf("%10" PRIu64 " %s, %" PRIu64 " bytes", block->offset, mprof_block_get_name(block->kind), block->length);
	if (block->codec != MPROF_CODEC_NONE)
		printf(" (%" PRIu64 " uncompressed)", block->unpacked_length);
	putchar(':');
	if (block->loaded && has_fields(block))
		print_fields(block);
	if (block->loaded && block->has_clocks)
		printf("%s clock %" PRIu64, has_fields(block) ? "," : "", block->start.counter);
	putchar('\n');
	if (block->loaded && block->kind == MPROF_BLOCK_MAPPING)
		status = print_mappings(input);
	if (block->loaded && block->kind == MPROF_BLOCK_SESSION)
		status = print_properties(input);
	if (status != MPROF_END)
		input_fetch_failed(input);
}

static void print_subject(const log_input *input, const mprof_event *event)
{
	mprof_record root;
	class_name class;

	switch (dump_subject_of(event)) {
	case MPROF_EVENT_ID_METHOD:
		if (event->id == 0) {
			fputs(" (no method)", stdout);
			break;
		}
		printf(" %" PRIu32 " ", event->id);
		text_name(stdout, names_full_method(input->names, event->id));
		break;
	case MPROF_EVENT_ID_CLASS:
		if (event->id == 0) {
			fputs(" (class unknown)", stdout);
			break;
		}
		printf(" %" PRIu32 " ", event->id);
		text_name(stdout, names_class_or_none(input->reader, event->id, &class));
		break;
	case MPROF_EVENT_ID_ROOT:
		printf(" %" PRIu32 " ", event->id);
		if (mprof_reader_lookup_record(input->reader, MPROF_RECORD_ROOT, event->id, &root, sizeof(root)) ==
		    MPROF_OK)
			text_name(stdout, root.as.root.name);
		break;
	default:
		break;
	}
}

static void print_value(const log_input *input, const mprof_event *event)
{
	char address[NAMES_OBJECT_SIZE];

	switch (dump_event_info(event).value) {
	case MPROF_EVENT_VALUE_THREAD:
	case MPROF_EVENT_VALUE_HANDLE:
		printf(" 0x%" PRIx64, event->value);
		break;
	case MPROF_EVENT_VALUE_SIZE:
		printf(", %" PRIu64 " bytes", event->value);
		break;
	case MPROF_EVENT_VALUE_MONITOR_STATE:
		printf(" %s", kind_of_monitor_state(event->value));
		break;
	case MPROF_EVENT_VALUE_CLAUSE:
		printf(", %s clause %" PRIu64, kind_of_clause(event->value & 3), event->value >> 2);
		break;
	case MPROF_EVENT_VALUE_CODE:
		printf(", %s, %" PRIu64 " bytes", kind_of_code(event->value & 15), event->value >> 4);
		break;
	case MPROF_EVENT_VALUE_ROOT_KIND:
		printf(" %s", kind_of_root(event->value));
		break;
	case MPROF_EVENT_VALUE_ADDRESS:
		if (!dump_is_memory(event))
			printf(" to %s", names_object(input->reader, event->value, address));
		break;
	default:
		if (dump_has_value(event))
			printf(" %" PRIu64, event->value);
		break;
	}
	if (event->kind == MPROF_EVENT_UNKNOWN)
		printf(" (code 0x%02x)", event->code);
	if (dump_collection_of(event) != 0)
		printf(", collection %" PRIu32, event->id);
	if (event->flags & MPROF_EVENT_FLAG_FAILED)
		fputs(" (failed)", stdout);
}

static void print_frame(const log_input *input, const mprof_stack_frame *frame)
{
	const char *name = names_frame(input->names, frame);

	text_name(stdout, name != NULL ? name : "(unknown)");
	if (frame->is_compiling)
		fputs(" (compiling)", stdout);
}

static void print_section(const log_input *input, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	printf(", %" PRIu64 " stay", event->value);
	for (uint32_t i = 0; detail != NULL && i < detail->reference_count; i++) {
		mprof_stack_frame frame = dump_section_frame(detail, i);

		fputs(i == 0 ? ", on them " : " < ", stdout);
		print_frame(input, &frame);
	}
}

/* Prints the field of a reference; an element of an array has its index. */
static void print_field(const log_input *input, const mprof_event *event, uint32_t index)
{
	mprof_session session = {.struct_size = sizeof(session)};
	uint64_t element;
	const char *name = dump_field_of(input, event, index, &element);

	if (name == NULL) {
		mprof_reader_get_session(input->reader, &session);
		printf(" (%s %" PRIu64 ")", session.has_slots ? "slot" : "offset", event->more.detail->offsets[index]);
		return;
	}
	fputs(" (", stdout);
	if (strncmp(name, "[]", 2) == 0) {
		printf("[%" PRIu64 "]", element);
		name += 2;
	}
	if (name[0] != '\0')
		text_name(stdout, name);
	putchar(')');
}

static void print_references(const log_input *input, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	char address[NAMES_OBJECT_SIZE];

	for (uint32_t i = 0; i < detail->reference_count; i++) {
		printf("%s %s", i == 0 ? ", refers to" : "",
		       names_object(input->reader, detail->references[i], address));
		if (detail->offsets != NULL)
			print_field(input, event, i);
	}
}

static void print_detail(const log_input *input, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint64_t object = dump_object_of(event);
	char address[NAMES_OBJECT_SIZE];

	if (detail == NULL)
		return;
	if (event->kind == MPROF_EVENT_HANDLE_CREATED || event->kind == MPROF_EVENT_HANDLE_DELETED)
		printf(", %s", kind_of_handle(detail->handle_type));
	if (detail->caller != 0)
		printf(", %s method %" PRIu32, event->kind == MPROF_EVENT_EXCEPTION_CLAUSE ? "of" : "by",
		       detail->caller);
	if (object != 0)
		printf(", at %s", names_object(input->reader, object, address));
	if (event->kind == MPROF_EVENT_OBJECT_RESIZED)
		printf(", %" PRIu64 " bytes", detail->size);
	if (detail->stack != 0)
		printf(", stack %" PRIu32, detail->stack);
	if (event->kind == MPROF_EVENT_SAMPLE)
		printf(", %" PRIu64 " times", detail->samples);
	print_references(input, event);
}

/* Prints the ID and the innermost frame. All frames are in the definition of the stack, which is printed once. */
static void print_stack(const log_input *input, uint32_t stack)
{
	const char *name = dump_innermost(input, stack);

	printf(" stack %" PRIu32 ": ", stack);
	text_name(stdout, name != NULL ? name : "(unknown)");
}

static void print_memory(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->kind == MPROF_EVENT_MEMORY_RESIZED && detail != NULL)
		printf(" 0x%" PRIx64 " to", detail->object);
	printf(" 0x%" PRIx64, event->value);
	if (detail == NULL)
		return;
	if (event->kind != MPROF_EVENT_MEMORY_FREED)
		printf(", %" PRIu64 " bytes", detail->size);
	if (event->kind == MPROF_EVENT_MEMORY_RESIZED)
		printf(", started %" PRIu64, detail->started);
	if (detail->stack != 0)
		printf(", stack %" PRIu32, detail->stack);
}

/* Prints the type of an event and the arguments that the log describes. */
static void print_typed(const log_input *input, const mprof_event *event)
{
	typed_arguments arguments;
	typed_argument argument;

	printf(" %" PRIu32 " ", event->id);
	if (!typed_begin(&arguments, input->reader, event)) {
		fputs("(type not defined)", stdout);
		return;
	}
	text_name(stdout, arguments.type.name);
	while (typed_next(&arguments, &argument)) {
		fputs(", ", stdout);
		text_name(stdout, argument.definition.name);
		putchar(' ');
		text_name(stdout, typed_value_text(input->reader, &argument));
	}
	if (arguments.is_damaged)
		fputs(" (arguments cannot be read)", stdout);
	else if (typed_rest(&arguments) > 0)
		printf(" (and %zu bytes)", typed_rest(&arguments));
}

static void print_event(const log_input *input, const mprof_event *event)
{
	if (event->kind == MPROF_EVENT_TYPED) {
		print_typed(input, event);
		return;
	}
	if (dump_is_memory(event)) {
		print_memory(event);
		return;
	}
	print_subject(input, event);
	if (event->kind == MPROF_EVENT_STACK_SECTION) {
		print_section(input, event);
		return;
	}
	if (dump_has_stack(event))
		print_stack(input, (uint32_t)event->value);
	else
		print_value(input, event);
	print_detail(input, event);
}

static void print_events(const log_input *input, const mprof_block *block, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_SAMPLES ||
		    block->kind == MPROF_BLOCK_TYPED)
			printf("    %" PRIu64 " %s", events[i].counter, mprof_event_get_name(events[i].kind));
		else
			printf("    %s", mprof_event_get_name(events[i].kind));
		print_event(input, &events[i]);
		putchar('\n');
	}
}

/*
 * Records: the definitions and data of all blocks except mappings and events.
 */

/* Prints a method or a location, and its name. */
static void print_target_text(const log_input *input, const mprof_stack_frame *frame)
{
	const char *name = names_frame(input->names, frame);

	printf(" %s %" PRIu32 " ", frame->is_native ? "location" : "method", frame->id);
	text_name(stdout, name != NULL ? name : "(unknown)");
	if (frame->is_compiling)
		fputs(" (compiling)", stdout);
}

static void print_position_text(const log_input *input, const mprof_position_record *position)
{
	const mprof_stack_frame frame = {.id = position->target, .is_native = position->is_native};

	print_target_text(input, &frame);
	if (position->line != 0)
		printf(", line %" PRIu32, position->line);
	if (position->file != 0) {
		fputs(" of ", stdout);
		text_name(stdout, typed_text(input->reader, position->file));
	}
	if (position->offset != 0)
		printf(", offset 0x%" PRIx32, position->offset);
	if (position->is_inlined)
		fputs(" (inlined)", stdout);
}

static void print_stack_text(const log_input *input, const mprof_record *record)
{
	const mprof_stack_frame frame = {.id = record->as.stack.target,
					 .is_native = record->as.stack.is_native,
					 .is_compiling = record->as.stack.is_compiling};
	mprof_record position;

	if (record->as.stack.position == 0) {
		print_target_text(input, &frame);
	} else {
		printf(" position %" PRIu32 ",", record->as.stack.position);
		if (mprof_reader_lookup_record(input->reader, MPROF_RECORD_POSITION, record->as.stack.position,
					       &position, sizeof(position)) == MPROF_OK)
			print_position_text(input, &position.as.position);
		else
			fputs(" (unknown)", stdout);
	}
	if (record->as.stack.caller != 0)
		printf(", called by stack %" PRIu32, record->as.stack.caller);
}

static void print_root_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	printf(" %s ", kind_of_root(record->as.root.kind));
	text_name(stdout, record->as.root.name);
	if (record->as.root.class_id != 0) {
		printf(", class %" PRIu32 " ", record->as.root.class_id);
		text_name(stdout, names_class_or_none(input->reader, record->as.root.class_id, &class));
	}
	if (record->as.root.thread != 0)
		printf(", thread 0x%" PRIx64, record->as.root.thread);
	printf(", at 0x%" PRIx64 ", %" PRIu64 " bytes", record->as.root.address, record->as.root.size);
}

static void print_module_text(const mprof_record *record)
{
	if (record->as.module.is_removed) {
		fputs(" is no more", stdout);
		return;
	}
	putchar(' ');
	text_name(stdout, record->as.module.file);
	printf(", at 0x%" PRIx64, record->as.module.address);
	if (record->as.module.size != 0)
		printf(", %" PRIu64 " bytes", record->as.module.size);
	if (record->as.module.file_offset != 0)
		printf(", from byte %" PRIu64 " of it", record->as.module.file_offset);
	if (record->as.module.build_id[0] != '\0') {
		fputs(", build ID ", stdout);
		text_name(stdout, record->as.module.build_id);
	}
}

/* Prints the location of a function or a frame. For a named function, offset 0 means that it is unknown. */
static void print_code_offset(uint32_t module, uint64_t offset, int has_offset)
{
	if (module != 0)
		printf(", module %" PRIu32, module);
	if (has_offset || offset != 0)
		printf("%s0x%" PRIx64, module != 0 ? " + " : ", at ", offset);
}

static void print_function_text(const mprof_function_record *function)
{
	putchar(' ');
	text_name(stdout, function->name);
	print_code_offset(function->module, function->offset, function->size != 0);
	if (function->size != 0)
		printf(", %" PRIu64 " bytes", function->size);
}

static void print_location_text(const mprof_location_record *location)
{
	if (location->function != 0)
		printf(" function %" PRIu32, location->function);
	print_code_offset(location->module, location->offset, location->function == 0);
}

static void print_code_text(const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_MODULE)
		print_module_text(record);
	else if (record->kind == MPROF_RECORD_FUNCTION)
		print_function_text(&record->as.function);
	else
		print_location_text(&record->as.location);
}

static void print_number_text(uint32_t flags, uint64_t value)
{
	if (flags & MPROF_METRIC_FLAG_DOUBLE)
		printf(" %g", kind_double_value(value));
	else
		printf(" %" PRId64, (int64_t)value);
}

static void print_value_text(const log_input *input, const mprof_record *record)
{
	const mprof_metric_value_record *value = &record->as.metric_value;
	const uint32_t flags = dump_metric_flags(input, record->id);

	if ((flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0) {
		printf(" %" PRIu64 " above", value->count);
		print_number_text(flags, value->lower);
		printf(", up to");
	}
	print_number_text(flags, value->value);
	if (value->counter != 0)
		printf(", at %" PRIu64, value->counter);
}

static void print_summary_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	putchar(' ');
	text_name(stdout, names_class_or_none(input->reader, record->id, &class));
	printf(", %" PRIu64 " alive (%" PRIu64 " bytes), %" PRIu64 " dead (%" PRIu64 " bytes)",
	       record->as.summary.live_objects, record->as.summary.live_bytes, record->as.summary.dead_objects,
	       record->as.summary.dead_bytes);
}

static void print_field_text(const log_input *input, const mprof_record *record)
{
	class_name class;

	putchar(' ');
	text_name(stdout, names_class_or_none(input->reader, record->id, &class));
	printf(", offset %" PRIu32, record->as.field.offset);
	if (record->as.field.stride != 0)
		printf(", every %" PRIu32 " bytes", record->as.field.stride);
	fputs(", ", stdout);
	text_name(stdout, record->as.field.name);
	if (record->as.field.class_id != 0) {
		printf(", declared by class %" PRIu32 " ", record->as.field.class_id);
		text_name(stdout, names_class_or_none(input->reader, record->as.field.class_id, &class));
	}
}

static void print_argument_text(const mprof_argument_record *argument)
{
	const char *unit = kind_of_argument_unit(argument);

	putchar(' ');
	text_name(stdout, argument->name);
	printf(", %s, %s", kind_of_argument(argument->kind), kind_of_encoding(argument->encoding));
	if (argument->role != MPROF_ROLE_NONE)
		printf(", role %s", kind_of_role(argument->role));
	if (unit[0] != '\0') {
		fputs(", in ", stdout);
		text_name(stdout, unit);
	}
}

static void print_type_text(const log_input *input, const mprof_type_record *type)
{
	putchar(' ');
	text_name(stdout, type->name);
	printf(", %s", kind_of_form(type->form));
	if (type->pair != 0)
		printf(" of type %" PRIu32, type->pair);
	if (type->category != 0) {
		fputs(", category ", stdout);
		text_name(stdout, typed_text(input->reader, type->category));
	}
	if (type->argument_count > 0)
		printf(", arguments %" PRIu32 " to %" PRIu32, type->first_argument,
		       type->first_argument + type->argument_count - 1);
}

static void print_clock_text(const mprof_clock_record *clock)
{
	putchar(' ');
	text_name(stdout, clock->name);
	printf(", %s", kind_of_clock(clock->kind));
	if (clock->numerator != 0 && clock->denominator != 0)
		printf(", %" PRIu64 "/%" PRIu64 " ticks per second", clock->numerator, clock->denominator);
}

static void print_timeline_text(const mprof_timeline_record *timeline)
{
	printf(" thread 0x%" PRIx64 " ", timeline->thread);
	text_name(stdout, timeline->name);
	printf(", %s", kind_of_timeline(timeline->kind));
	if (timeline->process != 0)
		printf(", process %" PRIu64, timeline->process);
	if (timeline->system_thread != 0)
		printf(", system thread %" PRIu64, timeline->system_thread);
	if (timeline->parent != 0)
		printf(", part of thread 0x%" PRIx64, timeline->parent);
	if (timeline->clock != 0)
		printf(", clock %" PRIu32, timeline->clock);
	if (timeline->rank != 0)
		printf(", rank %" PRIu32, timeline->rank);
	if ((timeline->flags & MPROF_TIMELINE_FLAG_ENDED) != 0)
		fputs(", ended", stdout);
}

static void print_process_text(const mprof_process_record *process)
{
	printf(" process %" PRIu64 " ", process->number);
	text_name(stdout, process->name);
	if (process->system_id != 0)
		printf(", system ID %" PRIu64, process->system_id);
	if (process->parent != 0)
		printf(", started by process %" PRIu64, process->parent);
	if (process->start != 0)
		printf(", from %" PRIu64, process->start);
	if (process->end != 0)
		printf(", to %" PRIu64, process->end);
	if (process->command[0] != '\0') {
		fputs(", ", stdout);
		text_name(stdout, process->command);
	}
}

static void print_note_text(const log_input *input, const mprof_record *record)
{
	const char *text = dump_note_text(input, record);
	char address[NAMES_OBJECT_SIZE];

	printf(", object %s", names_object(input->reader, dump_note_object(record), address));
	if (record->kind == MPROF_RECORD_REFERENCE_NAME)
		printf(", reference %" PRIu32, record->as.reference_name.index);
	if (record->kind == MPROF_RECORD_WEAK_REFERENCE)
		printf(" to %s", names_object(input->reader, record->as.weak_reference.target, address));
	if (record->kind == MPROF_RECORD_OBJECT_FLAGS || text == NULL)
		return;
	fputs(", ", stdout);
	text_name(stdout, text);
}

static void print_metric_text(const mprof_metric_record *metric)
{
	putchar(' ');
	text_name(stdout, metric->section);
	fputs(", ", stdout);
	text_name(stdout, metric->name);
	fputs(" (", stdout);
	text_name(stdout, kind_of_metric_unit(metric));
	fputs((metric->flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0 ? ", histogram)" : ")", stdout);
	if ((metric->flags & MPROF_METRIC_FLAG_THREAD) != 0)
		printf(" of thread 0x%" PRIx64, metric->thread);
}

/* Prints a record of a CODE_RANGES block. */
static void print_range_text(const log_input *input, const mprof_record *record)
{
	const mprof_code_range_record *range = &record->as.code_range;
	const mprof_stack_frame method = {.id = range->method};

	if (record->kind == MPROF_RECORD_CODE_LINE) {
		printf(", offset 0x%" PRIx64 ", position %" PRIu32, record->as.code_line.offset,
		       record->as.code_line.position);
	} else if (record->kind == MPROF_RECORD_CODE_END) {
		printf(", at counter %" PRIu64, record->as.code_end.counter);
		if (record->as.code_end.address != 0)
			printf(", moved to 0x%" PRIx64, record->as.code_end.address);
	} else {
		printf(" %s, at 0x%" PRIx64 ", %" PRIu64 " bytes, from counter %" PRIu64,
		       kind_of_code_range(range->kind), range->address, range->size, range->start);
		if (range->process != 0)
			printf(", process %" PRIu64, range->process);
		if (range->module != 0)
			printf(", module %" PRIu32, range->module);
		if (range->method != 0)
			print_target_text(input, &method);
		if (range->name[0] != '\0') {
			fputs(", ", stdout);
			text_name(stdout, range->name);
		}
	}
}

static void print_reachability_text(const mprof_record *record)
{
	const mprof_memory_search_record *search = &record->as.memory_search;

	if (record->kind == MPROF_RECORD_MEMORY_BLOCK)
		printf(", process %" PRIu64 ", at 0x%" PRIx64, record->as.memory_block.process,
		       record->as.memory_block.address);
	else
		printf(", process %" PRIu64 ": %" PRIu64 " blocks, %" PRIu64 " bytes; %" PRIu64
		       " bytes of roots, %" PRIu64 " ns",
		       search->process, search->blocks, search->bytes, search->root_bytes, search->duration_ns);
}

/* Prints a record of a block that has several kinds. */
static void print_part_text(const log_input *input, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_MEMORY_SEARCH || record->kind == MPROF_RECORD_MEMORY_BLOCK)
		print_reachability_text(record);
	else if (dump_is_of_code_ranges(record))
		print_range_text(input, record);
	else
		print_note_text(input, record);
}

static void print_record(const log_input *input, const mprof_record *record)
{
	printf("    %s %" PRIu32, kind_of_record(record->kind), record->id);
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		print_stack_text(input, record);
		break;
	case MPROF_RECORD_MODULE:
	case MPROF_RECORD_FUNCTION:
	case MPROF_RECORD_LOCATION:
		print_code_text(record);
		break;
	case MPROF_RECORD_ROOT:
		print_root_text(input, record);
		break;
	case MPROF_RECORD_METRIC:
		print_metric_text(&record->as.metric);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		print_value_text(input, record);
		break;
	case MPROF_RECORD_SUMMARY:
		print_summary_text(input, record);
		break;
	case MPROF_RECORD_FIELD:
		print_field_text(input, record);
		break;
	case MPROF_RECORD_ARGUMENT:
		print_argument_text(&record->as.argument);
		break;
	case MPROF_RECORD_TYPE:
		print_type_text(input, &record->as.type);
		break;
	case MPROF_RECORD_TEXT:
		putchar(' ');
		text_name(stdout, record->as.text.text);
		break;
	case MPROF_RECORD_CLOCK:
		print_clock_text(&record->as.clock);
		break;
	case MPROF_RECORD_TIMELINE:
		print_timeline_text(&record->as.timeline);
		break;
	case MPROF_RECORD_PROCESS:
		print_process_text(&record->as.process);
		break;
	case MPROF_RECORD_CLOCK_PAIR:
		printf(" %" PRIu64 " at %" PRIu64 " +- %" PRIu64, record->as.clock_pair.value,
		       record->as.clock_pair.counter, record->as.clock_pair.uncertainty);
		break;
	case MPROF_RECORD_POSITION:
		print_position_text(input, &record->as.position);
		break;
	default:
		print_part_text(input, record);
		break;
	}
	putchar('\n');
}

static void print_records(const log_input *input, const mprof_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		print_record(input, &records[i]);
}

const dump_form dump_form_text = {print_block, print_events, print_records};
