/* SPDX-License-Identifier: MIT */
#include "log_text.h"

#include <mprof/parser.h>

#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void render(log_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void render(log_text *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	out->length += (size_t)vsnprintf(out->text + out->length, sizeof(out->text) - out->length, format, arguments);
	va_end(arguments);
	cr_assert_lt(out->length, sizeof(out->text));
}

typedef unsigned long long number;

static void render_clock(log_text *out, const char *name, const mprof_clock *clock)
{
	render(out, " %s=%llu/%llu", name, (number)clock->counter, (number)clock->time);
}

static void render_clocks(log_text *out, const mprof_block *block)
{
	render_clock(out, "start", &block->start);
	render_clock(out, "end", &block->end);
}

static void render_element(log_text *out, const mprof_block *block)
{
	const mprof_assembly_name *assembly = &block->assembly;

	render(out, " kind=%u start=%llu end=%llu thread=%llu id=%u name=\"%s\"\n", block->flags,
	       (number)block->base_counter, (number)block->end_counter, (number)block->thread, block->id, block->name);
	if (!block->has_assembly)
		return;
	render(out, "  assembly=\"%s\" version=%u.%u.%u.%u culture=\"%s\" token=\"%s\" retargetable=%u\n",
	       assembly->base_name, assembly->major, assembly->minor, assembly->build, assembly->revision,
	       assembly->culture, assembly->public_key_token, assembly->retargetable);
}

static void render_directives(log_text *out, const mprof_block *block)
{
	const char *separator = "";

	render_clocks(out, block);
	render(out, " in-force=");
	for (uint32_t directive = 0; directive < 64; directive++) {
		/* Whether those that are not known are told is not the point here. */
		if (directive > MPROF_DIRECTIVE_DETAILED_EVENTS || (block->directives >> directive & 1) == 0)
			continue;
		render(out, "%s%u", separator, directive);
		separator = ",";
	}
	render(out, "\n");
}

static void render_lost(log_text *out, const mprof_block *block)
{
	render_clocks(out, block);
	render(out, " thread=%llu", (number)block->thread);
	for (uint32_t cause = 0; cause < MPROF_LOSS_CAUSE_COUNT; cause++) {
		if (block->lost[cause] != 0)
			render(out, " %s=%llu", mprof_loss_cause_name((mprof_loss_cause)cause),
			       (number)block->lost[cause]);
	}
	render(out, "\n");
}

/* Extras: those that the directives give allocations, or that the kind has. */
static void render_detail(log_text *out, const mprof_event *event, uint64_t directives)
{
	const mprof_event_detail *detail = event->more.detail;
	int is_allocation = event->kind == MPROF_EVENT_ALLOCATION;

	if (detail == NULL)
		return;
	if (is_allocation && (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0)
		render(out, " caller=%u", detail->caller);
	if (event->kind == MPROF_EVENT_HANDLE_CREATED || event->kind == MPROF_EVENT_HANDLE_DELETED)
		render(out, " type=%u", detail->handle_type);
	if (is_allocation ? (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)) != 0
			  : detail->stack != 0)
		render(out, " stack=%u", detail->stack);
	if (is_allocation ? (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0
			  : detail->object != 0)
		render(out, " object=%llx", (number)detail->object);
}

static int has_value(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_ALLOCATION:
	case MPROF_EVENT_MONITOR:
	case MPROF_EVENT_HANDLE_CREATED:
		return 1;
	default:
		return event->id == 0 && event->kind != MPROF_EVENT_METHOD_LEAVE_IMPLICIT;
	}
}

static void render_event(log_text *out, const mprof_event *event, uint64_t directives)
{
	render(out, "  %s", mprof_event_kind_name((mprof_event_kind)event->kind));
	if (event->kind == MPROF_EVENT_UNKNOWN)
		render(out, " code=%02x", event->code);
	if (event->kind != MPROF_EVENT_SAMPLE || event->id == 0)
		render(out, " counter=%llu", (number)event->counter);
	if (event->id != 0)
		render(out, " id=%u", event->id);
	if (has_value(event))
		render(out, " value=%llu", (number)event->value);
	if (event->flags & MPROF_EVENT_FAILED)
		render(out, " failed");
	if (event->flags & MPROF_EVENT_NATIVE)
		render(out, " native");
	render_detail(out, event, directives);
	render(out, "\n");
}

static void render_heap_event(log_text *out, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;

	render(out, "  %s", mprof_event_kind_name((mprof_event_kind)event->kind));
	if (event->kind == MPROF_EVENT_HEAP_MOVE)
		render(out, " object=%llx value=%llx", (number)detail->object, (number)event->value);
	else if (event->kind != MPROF_EVENT_HEAP_REFERENCES)
		render(out, " id=%u value=%llu object=%llx", event->id, (number)event->value, (number)detail->object);
	for (uint32_t i = 0; i < detail->reference_count; i++)
		render(out, "%s%llx", i == 0 ? " references=" : ",", (number)detail->references[i]);
	render(out, "\n");
}

static void render_events(log_text *out, mprof_parser *parser, uint64_t directives)
{
	mprof_event events[3];
	mprof_status status;
	size_t count;

	while ((status = mprof_parser_next_events(parser, events, 3, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind >= MPROF_EVENT_HEAP_OBJECT && events[i].kind <= MPROF_EVENT_HEAP_REFERENCES)
				render_heap_event(out, &events[i]);
			else
				render_event(out, &events[i], directives);
		}
	}
	cr_assert_eq(status, MPROF_END);
}

static void render_mappings(log_text *out, mprof_parser *parser, uint64_t directives)
{
	mprof_mapping mapping;
	mprof_status status;
	size_t count;

	while ((status = mprof_parser_next_mappings(parser, &mapping, 1, &count)) == MPROF_OK) {
		if (mapping.is_method) {
			render(out, "  method id=%u class=%u flags=%u name=\"%s\"\n", mapping.id, mapping.class_id,
			       mapping.flags, mapping.name);
			continue;
		}
		render(out, "  class id=%u assembly=%u", mapping.id, mapping.assembly_id);
		if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)) != 0)
			render(out, " size=%u", mapping.size);
		render(out, " name=\"%s\"\n", mapping.name);
	}
	cr_assert_eq(status, MPROF_END);
}

static void render_metric_value(log_text *out, const mprof_record *record)
{
	double value;

	memcpy(&value, &record->value, sizeof(value));
	if ((record->flags & MPROF_METRIC_DOUBLE) != 0)
		render(out, "  value id=%u double=%g\n", record->id, value);
	else
		render(out, "  value id=%u number=%lld\n", record->id, (long long)record->value);
}

static void render_record(log_text *out, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		render(out, "  stack id=%u %s=%u caller=%u\n", record->id,
		       record->flags & MPROF_EVENT_NATIVE ? "location" : "method", record->target, record->parent);
		break;
	case MPROF_RECORD_MODULE:
		render(out, "  module id=%u address=%llx size=%llu build=\"%s\" file=\"%s\"\n", record->id,
		       (number)record->start, (number)record->size, record->section, record->name);
		break;
	case MPROF_RECORD_FUNCTION:
		render(out, "  function id=%u module=%u offset=%llx size=%llu name=\"%s\"\n", record->id,
		       record->parent, (number)record->start, (number)record->size, record->name);
		break;
	case MPROF_RECORD_LOCATION:
		render(out, "  location id=%u module=%u offset=%llx function=%u\n", record->id, record->parent,
		       (number)record->start, record->target);
		break;
	case MPROF_RECORD_ROOT:
		render(out, "  root id=%u kind=%u class=%u thread=%llu address=%llx size=%llu name=\"%s\"\n",
		       record->id, record->flags, record->target, (number)record->value, (number)record->start,
		       (number)record->size, record->name);
		break;
	case MPROF_RECORD_METRIC:
		render(out, "  metric id=%u flags=%u section=\"%s\" name=\"%s\"\n", record->id, record->flags,
		       record->section, record->name);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		render_metric_value(out, record);
		break;
	default:
		render(out, "  summary id=%u alive=%llu bytes=%llu dead=%llu bytes=%llu\n", record->id,
		       (number)record->counts[0], (number)record->counts[1], (number)record->counts[2],
		       (number)record->counts[3]);
		break;
	}
}

static void render_records(log_text *out, mprof_parser *parser, const mprof_block *block)
{
	mprof_record records[2];
	mprof_status status;
	size_t count;

	if (block->kind == MPROF_BLOCK_HEAP_SUMMARY)
		render(out, " collection=%u", block->id);
	render_clocks(out, block);
	render(out, "\n");
	while ((status = mprof_parser_next_records(parser, records, 2, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			render_record(out, &records[i]);
	}
	cr_assert_eq(status, MPROF_END);
}

static void render_properties(log_text *out, mprof_parser *parser)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = mprof_parser_next_property(parser, &key, &value)) == MPROF_OK)
		render(out, "  \"%s\"=\"%s\"\n", key, value);
	cr_assert_eq(status, MPROF_END);
}

static void render_block(log_text *out, mprof_parser *parser, const mprof_block *block, uint64_t *directives)
{
	render(out, "%s", mprof_block_kind_name((mprof_block_kind)block->kind));
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		render(out, " version=%u runtime=\"%s\" flags=%u", block->version, block->name, block->flags);
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		break;
	case MPROF_BLOCK_END:
		render(out, " version=%u", block->version);
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		break;
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		render_element(out, block);
		break;
	case MPROF_BLOCK_MAPPING:
		render_clocks(out, block);
		render(out, "\n");
		render_mappings(out, parser, *directives);
		break;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
		render(out, " thread=%llu base=%llu", (number)block->thread, (number)block->base_counter);
		render_clocks(out, block);
		render(out, "\n");
		render_events(out, parser, *directives);
		break;
	case MPROF_BLOCK_STATISTICAL:
		render(out, " start=%llu end=%llu\n", (number)block->base_counter, (number)block->end_counter);
		render_events(out, parser, *directives);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		render(out, " shot=%u flags=%u counter=%llu", block->id, block->flags, (number)block->base_counter);
		render_clocks(out, block);
		render(out, "\n");
		render_events(out, parser, *directives);
		break;
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_HEAP_SUMMARY:
		render_records(out, parser, block);
		break;
	case MPROF_BLOCK_MARK:
		render(out, " counter=%llu thread=%llu text=\"%s\"\n", (number)block->base_counter,
		       (number)block->thread, block->name);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		*directives = block->directives;
		render_directives(out, block);
		break;
	case MPROF_BLOCK_SESSION:
		render_clock(out, "clock", &block->start);
		render(out, "\n");
		render_properties(out, parser);
		break;
	case MPROF_BLOCK_THREAD:
		render_clock(out, "clock", &block->start);
		render(out, " thread=%llu name=\"%s\"\n", (number)block->thread, block->name);
		break;
	case MPROF_BLOCK_LOST:
		render_lost(out, block);
		break;
	default:
		render(out, " code=%u\n", block->code);
		break;
	}
}

void log_text_render(log_text *out, const uint8_t *bytes, size_t length, size_t piece)
{
	uint64_t directives = 0;
	size_t fed = 0;
	mprof_parser *parser;
	mprof_block block;
	mprof_status status;

	out->length = 0;
	mprof_block_init(&block);
	cr_assert_eq(mprof_parser_create(NULL, &parser), MPROF_OK);
	while ((status = mprof_parser_next_block(parser, &block)) != MPROF_END) {
		size_t more = length - fed < piece ? length - fed : piece;

		if (status == MPROF_OK) {
			render_block(out, parser, &block, &directives);
		} else if (status == MPROF_ERR_UNSUPPORTED) {
			render(out, "%s unreadable\n", mprof_block_kind_name((mprof_block_kind)block.kind));
		} else {
			cr_assert_eq(status, MPROF_AGAIN, "%s", mprof_status_text(status));
			cr_assert_gt(more, 0);
			cr_assert_eq(mprof_parser_feed(parser, bytes + fed, more), MPROF_OK);
			fed += more;
		}
		if (fed == length)
			mprof_parser_finish(parser);
	}
	cr_assert_eq(fed, length);
	cr_assert_eq(mprof_parser_valid_bytes(parser), length);
	mprof_parser_destroy(parser);
}
