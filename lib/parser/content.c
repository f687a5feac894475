/* SPDX-License-Identifier: MIT */
/* Selects the functions that fetch the items of each kind of block. */
#include "parser/content.h"

#include "parser/events.h"
#include "parser/heap.h"
#include "parser/parser_internal.h"
#include "parser/records.h"
#include "parser/stack_samples.h"
#include "parser/statistical.h"

static const block_content events_content = {
	.reserve = parser_events_reserve,
	.begin_list = parser_events_init,
	.rewind = parser_events_rewind,
	.next_events = parser_events_next,
};

static const block_content samples_content = {
	.begin_list = parser_stack_samples_init,
	.rewind = parser_stack_samples_rewind,
	.next_events = parser_stack_samples_next,
};

static const block_content heap_content = {
	.reserve = parser_heap_reserve,
	.begin_list = parser_heap_init,
	.rewind = parser_heap_rewind,
	.next_events = parser_heap_next,
};

static const block_content statistical_content = {
	.reserve = parser_statistical_reserve,
	.rewind = parser_statistical_rewind,
	.next_events = parser_statistical_next,
	.next_record = parser_statistical_next_record,
};

static const block_content records_content = {
	.rewind = parser_records_rewind,
	.next_record = parser_records_next,
};

static const block_content mapping_content = {
	.rewind = parser_mappings_rewind,
};

static const block_content session_content = {
	.rewind = parser_properties_rewind,
};

static const block_content no_content = {0};

const block_content *block_content_get(uint32_t kind)
{
	switch (kind) {
	case MPROF_BLOCK_EVENTS:
		return &events_content;
	case MPROF_BLOCK_SAMPLES:
		return &samples_content;
	case MPROF_BLOCK_HEAP_DATA:
		return &heap_content;
	case MPROF_BLOCK_STATISTICAL:
		return &statistical_content;
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_FIELDS:
	case MPROF_BLOCK_HEAP_SUMMARY:
		return &records_content;
	case MPROF_BLOCK_MAPPING:
		return &mapping_content;
	case MPROF_BLOCK_SESSION:
		return &session_content;
	default:
		return &no_content;
	}
}

void block_content_rewind(mprof_parser *parser)
{
	const block_content *content = block_content_get(parser->block.kind);

	if (parser_is_loaded(parser) && content->rewind != NULL)
		content->rewind(parser);
}
