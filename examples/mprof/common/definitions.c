/* SPDX-License-Identifier: MIT */
/* Iterates over the definitions that the reader makes itself for logs of older dialects. */
#include "common/definitions.h"

int definitions_next(definition_progress *progress, const log_input *input, mprof_record *record)
{
	static const mprof_record_kind kinds[] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION, MPROF_RECORD_LOCATION,
						  MPROF_RECORD_STACK};
	mprof_dialect_info dialect = {.struct_size = sizeof(dialect)};

	/* If blocks of the dialect contain these definitions, they are printed with the blocks. */
	if (mprof_dialect_get_info(input_dialect(input), &dialect) == MPROF_OK &&
	    mprof_block_set_has(&dialect.blocks, MPROF_BLOCK_STACKS))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		uint64_t *taken = &progress->taken[kinds[i]];

		while (*taken < mprof_reader_get_record_count(input->reader, kinds[i])) {
			++*taken;
			if (mprof_reader_lookup_record(input->reader, kinds[i], (uint32_t)*taken, record,
						       sizeof(*record)) == MPROF_OK)
				return 1;
		}
	}
	return 0;
}

void definitions_skip_listed(definition_progress *progress, const log_input *input)
{
	progress->taken[MPROF_RECORD_MODULE] = mprof_reader_get_record_count(input->reader, MPROF_RECORD_MODULE);
	progress->taken[MPROF_RECORD_FUNCTION] = mprof_reader_get_record_count(input->reader, MPROF_RECORD_FUNCTION);
}
