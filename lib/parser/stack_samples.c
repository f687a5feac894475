/* SPDX-License-Identifier: MIT */
/* Fetches the samples of SAMPLES blocks in batches. */
#include "parser/stack_samples.h"

#include "parser/lists.h"
#include "parser/parser_internal.h"

static const char *sample_fault(samples_decode_result result)
{
	switch (result) {
	case SAMPLES_DECODE_TRUNCATED:
		return "the last sample overlaps the CLOCK at the end of the block";
	case SAMPLES_DECODE_LIST_END:
		return "the list of samples ends before the CLOCK at the end of the block";
	case SAMPLES_DECODE_BAD_VARINT:
		return "a varint of the sample exceeds 64 bits";
	default:
		return "the stack ID of the sample exceeds 32 bits";
	}
}

void parser_stack_samples_init(mprof_parser *parser, size_t length)
{
	parser->stack_samples.length = length;
}

void parser_stack_samples_rewind(mprof_parser *parser)
{
	parser->stack_samples.position = 0;
	parser->stack_samples.counter = parser->block.as.samples.base_counter;
}

mprof_status parser_stack_samples_next(mprof_parser *parser, mprof_event *events, size_t capacity, size_t *count)
{
	samples_decode_result result;
	list_stop stop = LIST_STOP_MALFORMED;

	parser->stack_samples.bytes = parser_list_bytes(parser);
	result = samples_decode(&parser->stack_samples, events, capacity, count);
	if (*count > 0)
		return MPROF_OK;
	if (result == SAMPLES_DECODE_DONE)
		stop = LIST_STOP_END;
	else if (result == SAMPLES_DECODE_TRUNCATED || result == SAMPLES_DECODE_LIST_END)
		stop = LIST_STOP_TRUNCATED;
	return parser_list_end(parser, stop, parser->stack_samples.fault, sample_fault(result));
}
