/* SPDX-License-Identifier: MIT */
/* Lines for people: blocks at the margin, what is in them indented. */
#include "dump.h"
#include "names.h"
#include "text.h"

#include <inttypes.h>

#define MAPPING_BATCH 256

static mprof_status print_mappings(log_input *input)
{
	static mprof_mapping mappings[MAPPING_BATCH];
	mprof_status status;
	size_t count = 0;

	do {
		status = mprof_reader_next_mappings(input->reader, mappings, MAPPING_BATCH, &count);
		for (size_t i = 0; i < count; i++) {
			const mprof_mapping *mapping = &mappings[i];

			if (mapping->is_method)
				printf("    method %" PRIu32 " of class %" PRIu32 "%s ", mapping->id, mapping->class_id,
				       mapping->flags & MPROF_METHOD_WRAPPER ? ", wrapper" : "");
			else if (mapping->assembly_id != 0)
				printf("    class %" PRIu32 " of assembly %" PRIu32 " ", mapping->id,
				       mapping->assembly_id);
			else
				printf("    class %" PRIu32 " ", mapping->id);
			text_name(stdout, mapping->name);
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
	printf(" %s %" PRIu32 " ", dump_element_type(block->flags), block->id);
	text_name(stdout, block->name);
	if (block->flags & MPROF_ELEMENT_FAILURE)
		fputs(" (failed)", stdout);
	printf(", thread 0x%" PRIx64 ", counter %" PRIu64 " to %" PRIu64, block->thread, block->base_counter,
	       block->end_counter);
}

static void print_lost(const mprof_block *block)
{
	printf(" thread 0x%" PRIx64, block->thread);
	for (uint32_t cause = 0; cause < MPROF_LOSS_CAUSE_COUNT; cause++) {
		if (block->lost[cause] > 0)
			printf(", %" PRIu64 " %s", block->lost[cause], mprof_loss_cause_name((mprof_loss_cause)cause));
	}
}

static void print_directives(uint64_t directives)
{
	for (uint32_t directive = 0; directive < 64; directive++) {
		if (directives >> directive & 1)
			printf(" %" PRIu32, directive);
	}
}

/* The rest of the block's own line. */
static void print_fields(const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		printf(" version %" PRIu32 ", flags 0x%" PRIx32 ", runtime ", block->version, block->flags);
		text_name(stdout, block->name);
		break;
	case MPROF_BLOCK_END:
		printf(" version %" PRIu32, block->version);
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		print_element(block);
		break;
	case MPROF_BLOCK_EVENTS:
		printf(" thread 0x%" PRIx64 ", counter %" PRIu64, block->thread, block->base_counter);
		break;
	case MPROF_BLOCK_STATISTICAL:
		printf(" counter %" PRIu64 " to %" PRIu64, block->base_counter, block->end_counter);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		print_directives(block->directives);
		break;
	case MPROF_BLOCK_THREAD:
		printf(" thread 0x%" PRIx64 " ", block->thread);
		text_name(stdout, block->name);
		break;
	case MPROF_BLOCK_LOST:
		print_lost(block);
		break;
	default:
		printf(" code %" PRIu32, block->code);
		break;
	}
}

static void print_block(log_input *input, const mprof_block *block)
{
	mprof_status status = MPROF_END;

	printf("%10" PRIu64 " %s, %" PRIu64 " bytes:", block->offset,
	       mprof_block_kind_name((mprof_block_kind)block->kind), block->length);
	if (block->loaded && block->kind != MPROF_BLOCK_MAPPING && block->kind != MPROF_BLOCK_SESSION)
		print_fields(block);
	if (block->loaded && block->has_clocks)
		printf(", clock %" PRIu64, block->start.counter);
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
	class_name class;

	switch (dump_subject_of(event)) {
	case DUMP_SUBJECT_METHOD:
		printf(" %" PRIu32 " ", event->id);
		text_name(stdout, names_full_method(input->reader, event->id));
		break;
	case DUMP_SUBJECT_CLASS:
		names_class(input->reader, event->id, &class);
		printf(" %" PRIu32 " ", event->id);
		text_name(stdout, class.name);
		break;
	case DUMP_SUBJECT_NONE:
		if (event->flags & MPROF_EVENT_NATIVE)
			printf(" native function %" PRIu32, event->id);
		break;
	}
}

static void print_value(const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	if (event->kind == MPROF_EVENT_THREAD_START || event->kind == MPROF_EVENT_THREAD_END)
		printf(" 0x%" PRIx64, event->value);
	else if (event->kind == MPROF_EVENT_ALLOCATION || event->kind == MPROF_EVENT_ALLOCATION_AT_JIT)
		printf(", %" PRIu64 " bytes", event->value);
	else if (dump_has_value(event) && event->kind != MPROF_EVENT_SAMPLE)
		printf(" %" PRIu64, event->value);
	if (event->kind == MPROF_EVENT_UNKNOWN)
		printf(" (code 0x%02x)", event->code);
	if (event->flags & MPROF_EVENT_FAILED)
		fputs(" (failed)", stdout);
	if (detail != NULL && detail->caller != 0)
		printf(", by method %" PRIu32, detail->caller);
	if (detail != NULL && detail->object != 0)
		printf(", at 0x%" PRIx64, detail->object);
}

static void print_events(const log_input *input, const mprof_block *block, const mprof_event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (block->kind == MPROF_BLOCK_EVENTS)
			printf("    %" PRIu64 " %s", events[i].counter,
			       mprof_event_kind_name((mprof_event_kind)events[i].kind));
		else
			printf("    %s", mprof_event_kind_name((mprof_event_kind)events[i].kind));
		print_subject(input, &events[i]);
		print_value(&events[i]);
		putchar('\n');
	}
}

const dump_form dump_form_text = {print_block, print_events};
