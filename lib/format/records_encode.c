/* SPDX-License-Identifier: MIT */
/* Encodes the lists of records in STACKS, CODE, METRICS, ROOTS, FIELDS and HEAP_SUMMARY blocks. */
#include "format/records_encode.h"

#include "format/record_lists.h"
#include "format/zigzag.h"

#include <string.h>

static void encode_record_text(encode_buffer *buffer, const char *text)
{
	if (text == NULL)
		text = "";
	encode_string(buffer, text, strlen(text));
}

static void encode_stack(encode_buffer *buffer, const mprof_record *record)
{
	uint64_t frame = (uint64_t)record->as.stack.target << 1;

	if (record->as.stack.is_native)
		frame |= STACK_FRAME_NATIVE;
	else if (record->as.stack.is_compiling)
		frame |= STACK_FRAME_COMPILING;
	encode_varint(buffer, frame);
	encode_varint(buffer, record->id - record->as.stack.caller);
}

static void encode_metric_value(encode_buffer *buffer, const id_map *double_metrics, const mprof_record *record)
{
	uint64_t is_double = id_map_get(double_metrics, record->id) != 0;

	encode_varint(buffer, (uint64_t)record->id << 1 | is_double);
	/* Round doubles, such as whole numbers, have zeros in the low bytes: reversed, they are short varints. */
	encode_varint(buffer, is_double ? __builtin_bswap64(record->as.metric_value.value)
					: zigzag_fold(record->as.metric_value.value));
}

/* Encodes the fields of a record after its ID. */
static void encode_fields(encode_buffer *buffer, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		encode_varint(buffer, record->as.module.address);
		encode_varint(buffer, record->as.module.size);
		encode_record_text(buffer, record->as.module.build_id);
		encode_record_text(buffer, record->as.module.file);
		break;
	case MPROF_RECORD_FUNCTION:
		encode_varint(buffer, record->as.function.module);
		encode_varint(buffer, record->as.function.offset);
		encode_varint(buffer, record->as.function.size);
		encode_record_text(buffer, record->as.function.name);
		break;
	case MPROF_RECORD_LOCATION:
		encode_varint(buffer, record->as.location.module);
		encode_varint(buffer, record->as.location.offset);
		encode_varint(buffer, record->as.location.function);
		break;
	case MPROF_RECORD_ROOT:
		encode_varint(buffer, record->as.root.kind);
		encode_varint(buffer, record->as.root.class_id);
		encode_varint(buffer, record->as.root.thread);
		encode_varint(buffer, record->as.root.address);
		encode_varint(buffer, record->as.root.size);
		encode_record_text(buffer, record->as.root.name);
		break;
	case MPROF_RECORD_METRIC:
		encode_varint(buffer, record->as.metric.flags);
		if ((record->as.metric.flags & MPROF_METRIC_FLAG_THREAD) != 0)
			encode_varint(buffer, record->as.metric.thread);
		encode_record_text(buffer, record->as.metric.section);
		encode_record_text(buffer, record->as.metric.name);
		break;
	case MPROF_RECORD_FIELD:
		encode_varint(buffer, record->as.field.offset);
		encode_varint(buffer, record->as.field.stride);
		encode_varint(buffer, record->as.field.class_id);
		encode_record_text(buffer, record->as.field.name);
		break;
	default:
		encode_varint(buffer, record->as.summary.live_objects);
		encode_varint(buffer, record->as.summary.live_bytes);
		encode_varint(buffer, record->as.summary.dead_objects);
		encode_varint(buffer, record->as.summary.dead_bytes);
		break;
	}
}

static void encode_record(encode_buffer *buffer, const id_map *double_metrics, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_STACK) {
		encode_stack(buffer, record);
	} else if (record->kind == MPROF_RECORD_METRIC_VALUE) {
		encode_metric_value(buffer, double_metrics, record);
	} else {
		encode_varint(buffer, record->id);
		encode_fields(buffer, record);
	}
}

void records_encode(encode_buffer *buffer, uint32_t block_kind, uint32_t first_stack, const id_map *double_metrics,
		    const mprof_record *records, size_t count)
{
	uint32_t kind;

	if (block_kind == MPROF_BLOCK_STACKS) {
		encode_varint(buffer, first_stack);
		encode_varint(buffer, count);
	}
	for (uint32_t list = 0; (kind = record_list_kind(block_kind, list)) != 0; list++) {
		for (size_t i = 0; i < count; i++) {
			if (records[i].kind == kind)
				encode_record(buffer, double_metrics, &records[i]);
		}
		if (kind != MPROF_RECORD_STACK)
			encode_varint(buffer, 0);
	}
}
