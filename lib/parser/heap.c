/* SPDX-License-Identifier: MIT */
/* Fetches the objects of HEAP_DATA blocks in batches. */
#include "parser/heap.h"

#include "parser/lists.h"
#include "parser/parser_internal.h"

static int reserve_references(mprof_parser *parser)
{
	if (parser->batch.references == NULL)
		parser->batch.references = allocator_allocate(
			&parser->allocator, PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.references));
	return parser->batch.references != NULL;
}

static int has_offsets(const mprof_parser *parser)
{
	return (parser->decoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS)) != 0;
}

static int reserve_offsets(mprof_parser *parser)
{
	if (parser->batch.offsets == NULL && has_offsets(parser))
		parser->batch.offsets = allocator_allocate(&parser->allocator,
							   PARSER_REFERENCE_CAPACITY * sizeof(*parser->batch.offsets));
	return parser->batch.offsets != NULL || !has_offsets(parser);
}

int parser_heap_reserve(mprof_parser *parser)
{
	return parser_details_reserve(parser) && reserve_references(parser) && reserve_offsets(parser);
}

void parser_heap_init(mprof_parser *parser, size_t length)
{
	parser->heap.length = length;
}

void parser_heap_rewind(mprof_parser *parser)
{
	heap_decode_state *heap = &parser->heap;

	heap->position = 0;
	heap->previous_address = 0;
	heap->references_left = 0;
	heap->run_left = 0;
	heap->next_offset = 0;
	heap->has_offsets = (uint8_t)has_offsets(parser);
	heap->has_runs = 0;
	heap->counter = parser->block.as.heap_data.counter;
	heap->shift = parser->body.shift;
	heap->layout = heap_item_layout_get(parser->body.heap.layout);
}

mprof_status parser_heap_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	heap_decode_batch batch = {.events = events,
				   .details = parser->batch.details,
				   .capacity = capacity,
				   .references = parser->batch.references,
				   .reference_capacity = PARSER_REFERENCE_CAPACITY,
				   .offsets = parser->batch.offsets};
	heap_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	if (capacity > PARSER_DETAIL_CAPACITY)
		batch.capacity = PARSER_DETAIL_CAPACITY;
	parser->heap.bytes = parser_list_bytes(parser);
	result = heap_decode(&parser->heap, &parser->object_sizes, &batch);
	*count = batch.count;
	if (batch.count > 0)
		return MPROF_OK;
	if (result == HEAP_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == HEAP_DECODE_TRUNCATED || result == HEAP_DECODE_LIST_END || result == HEAP_DECODE_BAD_COUNT)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->heap.fault, heap_decode_fault(result));
}
