/* SPDX-License-Identifier: MIT */
#include "log_text_parts.h"

#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <string.h>

void log_text_render_mappings(log_text *out, const log_input *input, uint64_t directives)
{
	mprof_mapping mapping;
	mprof_status status;
	size_t count;

	while ((status = log_input_mappings(input, &mapping, 1, &count)) == MPROF_OK) {
		if (mapping.is_method) {
			log_text_add(out, "  method id=%u class=%u flags=%u", mapping.id, mapping.class_id,
				     mapping.flags);
			if (mapping.source_file_id != 0)
				log_text_add(out, " file=%u line=%u source=\"%s\"", mapping.source_file_id,
					     mapping.source_line, mapping.source_file);
			log_text_add(out, " name=\"%s\"\n", mapping.name);
			continue;
		}
		log_text_add(out, "  class id=%u assembly=%u", mapping.id, mapping.assembly_id);
		if ((directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES)) != 0)
			log_text_add(out, " size=%u", mapping.size);
		log_text_add(out, " name=\"%s\"\n", mapping.name);
	}
	log_text_expect_end(out, input, status);
}

static void render_metric_value(log_text *out, const mprof_record *record)
{
	double value;

	memcpy(&value, &record->as.metric_value.value, sizeof(value));
	if ((record->as.metric_value.is_double & MPROF_METRIC_FLAG_DOUBLE) != 0)
		log_text_add(out, "  value id=%u double=%g", record->id, value);
	else
		log_text_add(out, "  value id=%u number=%lld", record->id, (long long)record->as.metric_value.value);
	if (record->as.metric_value.counter != 0)
		log_text_add(out, " counter=%llu", (number)record->as.metric_value.counter);
	if (record->as.metric_value.count != 0)
		log_text_add(out, " above=%lld count=%llu", (long long)record->as.metric_value.lower,
			     (number)record->as.metric_value.count);
	log_text_add(out, "\n");
}

static void render_module(log_text *out, const mprof_record *record)
{
	if (record->as.module.is_removed) {
		log_text_add(out, "  module id=%u removed\n", record->id);
		return;
	}
	log_text_add(out, "  module id=%u address=%llx size=%llu", record->id, (number)record->as.module.address,
		     (number)record->as.module.size);
	if (record->as.module.build_id[0] != 0 || record->as.module.file_offset == 0)
		log_text_add(out, " build=\"%s\"", record->as.module.build_id);
	if (record->as.module.file_offset != 0)
		log_text_add(out, " begin=%llx", (number)record->as.module.file_offset);
	log_text_add(out, " file=\"%s\"\n", record->as.module.file);
}

static void render_timeline_record(log_text *out, const mprof_record *record)
{
	const mprof_timeline_record *timeline = &record->as.timeline;
	const mprof_process_record *process = &record->as.process;

	if (record->kind == MPROF_RECORD_CLOCK)
		log_text_add(out, "  clock id=%u kind=%u rate=%llu/%llu name=\"%s\"\n", record->id,
			     record->as.clock.kind, (number)record->as.clock.numerator,
			     (number)record->as.clock.denominator, record->as.clock.name);
	else if (record->kind == MPROF_RECORD_TIMELINE)
		log_text_add(
			out,
			"  timeline id=%u thread=%llu kind=%u process=%llu system=%llu parent=%llu clock=%u flags=%u "
			"rank=%u name=\"%s\"\n",
			record->id, (number)timeline->thread, timeline->kind, (number)timeline->process,
			(number)timeline->system_thread, (number)timeline->parent, timeline->clock, timeline->flags,
			timeline->rank, timeline->name);
	else if (record->kind == MPROF_RECORD_PROCESS)
		log_text_add(out,
			     "  process id=%u number=%llu system=%llu parent=%llu start=%llu end=%llu name=\"%s\" "
			     "command=\"%s\"\n",
			     record->id, (number)process->number, (number)process->system_id, (number)process->parent,
			     (number)process->start, (number)process->end, process->name, process->command);
	else
		log_text_add(out, "  pair clock=%u value=%llu counter=%llu uncertainty=%llu\n", record->id,
			     (number)record->as.clock_pair.value, (number)record->as.clock_pair.counter,
			     (number)record->as.clock_pair.uncertainty);
}

static void render_type(log_text *out, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_ARGUMENT)
		log_text_add(out, "  argument id=%u kind=%u encoding=%u role=%u unit=%u name=\"%s\" unit-name=\"%s\"",
			     record->id, record->as.argument.kind, record->as.argument.encoding,
			     record->as.argument.role, record->as.argument.unit, record->as.argument.name,
			     record->as.argument.unit_name);
	else
		log_text_add(out, "  type id=%u form=%u pair=%u category=%u arguments=%u+%u name=\"%s\"", record->id,
			     record->as.type.form, record->as.type.pair, record->as.type.category,
			     record->as.type.first_argument, record->as.type.argument_count, record->as.type.name);
	if (record->kind == MPROF_RECORD_TYPE && record->as.type.form == MPROF_TYPE_SAMPLE)
		log_text_add(out, " period=%llu source=\"%s\"", (number)record->as.type.period, record->as.type.source);
	log_text_add(out, "\n");
}

static void render_stack(log_text *out, const mprof_record *record)
{
	if (record->as.stack.position != 0)
		log_text_add(out, "  stack id=%u position=%u caller=%u\n", record->id, record->as.stack.position,
			     record->as.stack.caller);
	else
		log_text_add(out, "  stack id=%u %s=%u caller=%u\n", record->id,
			     record->as.stack.is_native ? "location" : "method", record->as.stack.target,
			     record->as.stack.caller);
}

/* A record of a block of a heap snapshot or of a summary. */
static void render_note(log_text *out, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_LABEL:
		log_text_add(out, "  label id=%u object=%llx \"%s\"\n", record->id, (number)record->as.label.object,
			     record->as.label.text);
		break;
	case MPROF_RECORD_OBJECT_FLAGS:
		log_text_add(out, "  flags %u object=%llx\n", record->id, (number)record->as.object_flags.object);
		break;
	case MPROF_RECORD_REFERENCE_NAME:
		log_text_add(out, "  name id=%u object=%llx index=%u\n", record->id,
			     (number)record->as.reference_name.object, record->as.reference_name.index);
		break;
	case MPROF_RECORD_WEAK_REFERENCE:
		log_text_add(out, "  weak id=%u object=%llx target=%llx\n", record->id,
			     (number)record->as.weak_reference.object, (number)record->as.weak_reference.target);
		break;
	default:
		log_text_add(out, "  summary id=%u alive=%llu bytes=%llu dead=%llu bytes=%llu\n", record->id,
			     (number)record->as.summary.live_objects, (number)record->as.summary.live_bytes,
			     (number)record->as.summary.dead_objects, (number)record->as.summary.dead_bytes);
		break;
	}
}

static void render_reachability(log_text *out, const mprof_record *record)
{
	const mprof_memory_search_record *search = &record->as.memory_search;

	if (record->kind == MPROF_RECORD_MEMORY_BLOCK)
		log_text_add(out, "  block reachability=%u process=%llu address=%llx\n", record->id,
			     (number)record->as.memory_block.process, (number)record->as.memory_block.address);
	else
		log_text_add(out, "  search kind=%u process=%llu blocks=%llu bytes=%llu roots=%llu duration=%llu\n",
			     record->id, (number)search->process, (number)search->blocks, (number)search->bytes,
			     (number)search->root_bytes, (number)search->duration_ns);
}

/* Also records of REACHABILITY blocks. */
static void render_code_range(log_text *out, const mprof_record *record)
{
	const mprof_code_range_record *range = &record->as.code_range;

	if (record->kind >= MPROF_RECORD_MEMORY_SEARCH)
		render_reachability(out, record);
	else if (record->kind == MPROF_RECORD_CODE_LINE)
		log_text_add(out, "  line of range id=%u offset=%llu position=%u\n", record->id,
			     (number)record->as.code_line.offset, record->as.code_line.position);
	else if (record->kind == MPROF_RECORD_CODE_END)
		log_text_add(out, "  end of range id=%u counter=%llu address=%llx\n", record->id,
			     (number)record->as.code_end.counter, (number)record->as.code_end.address);
	else
		log_text_add(out,
			     "  range id=%u kind=%u address=%llx size=%llu start=%llu method=%u module=%u process=%llu "
			     "name=%s\n",
			     record->id, range->kind, (number)range->address, (number)range->size, (number)range->start,
			     range->method, range->module, (number)range->process, range->name);
}

static void render_metric(log_text *out, uint32_t id, const mprof_metric_record *metric)
{
	log_text_add(out, "  metric id=%u flags=%u section=\"%s\" name=\"%s\"", id, metric->flags, metric->section,
		     metric->name);
	if ((metric->flags & MPROF_METRIC_UNIT_MASK) == MPROF_METRIC_UNIT_NAMED)
		log_text_add(out, " unit=\"%s\"", metric->unit);
	log_text_add(out, "\n");
}

static void render_record(log_text *out, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		render_stack(out, record);
		break;
	case MPROF_RECORD_MODULE:
		render_module(out, record);
		break;
	case MPROF_RECORD_FUNCTION:
		log_text_add(out, "  function id=%u module=%u offset=%llx size=%llu name=\"%s\"\n", record->id,
			     record->as.function.module, (number)record->as.function.offset,
			     (number)record->as.function.size, record->as.function.name);
		break;
	case MPROF_RECORD_LOCATION:
		log_text_add(out, "  location id=%u module=%u offset=%llx function=%u\n", record->id,
			     record->as.location.module, (number)record->as.location.offset,
			     record->as.location.function);
		break;
	case MPROF_RECORD_ROOT:
		log_text_add(out, "  root id=%u kind=%u class=%u thread=%llu address=%llx size=%llu name=\"%s\"\n",
			     record->id, record->as.root.kind, record->as.root.class_id, (number)record->as.root.thread,
			     (number)record->as.root.address, (number)record->as.root.size, record->as.root.name);
		break;
	case MPROF_RECORD_METRIC:
		render_metric(out, record->id, &record->as.metric);
		break;
	case MPROF_RECORD_METRIC_VALUE:
		render_metric_value(out, record);
		break;
	case MPROF_RECORD_FIELD:
		log_text_add(out, "  field class=%u offset=%u stride=%u declared-by=%u name=\"%s\"\n", record->id,
			     record->as.field.offset, record->as.field.stride, record->as.field.class_id,
			     record->as.field.name);
		break;
	case MPROF_RECORD_ARGUMENT:
	case MPROF_RECORD_TYPE:
		render_type(out, record);
		break;
	case MPROF_RECORD_TEXT:
		log_text_add(out, "  text id=%u \"%s\"\n", record->id, record->as.text.text);
		break;
	case MPROF_RECORD_CLOCK:
	case MPROF_RECORD_TIMELINE:
	case MPROF_RECORD_PROCESS:
	case MPROF_RECORD_CLOCK_PAIR:
		render_timeline_record(out, record);
		break;
	case MPROF_RECORD_POSITION:
		log_text_add(out, "  position id=%u %s=%u inlined=%u line=%u offset=%u file=%u\n", record->id,
			     record->as.position.is_native ? "location" : "method", record->as.position.target,
			     record->as.position.is_inlined, record->as.position.line, record->as.position.offset,
			     record->as.position.file);
		break;
	default:
		if (record->kind >= MPROF_RECORD_CODE_RANGE)
			render_code_range(out, record);
		else
			render_note(out, record);
		break;
	}
}

void log_text_render_records(log_text *out, const log_input *input)
{
	mprof_record records[2];
	mprof_status status;
	size_t count;

	while ((status = log_input_records(input, records, 2, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			render_record(out, &records[i]);
	}
	log_text_expect_end(out, input, status);
}

void log_text_render_properties(log_text *out, const log_input *input)
{
	const char *key;
	const char *value;
	mprof_status status;

	while ((status = log_input_property(input, &key, &value)) == MPROF_OK)
		log_text_add(out, "  \"%s\"=\"%s\"\n", key, value);
	log_text_expect_end(out, input, status);
}
