/* SPDX-License-Identifier: MIT */
/* Counts compressed blocks and INDEX blocks. */
#include "common/block_storage.h"

#include "shared/text.h"

static const char *const codec_names[BLOCK_STORAGE_OTHER + 1] = {
	[MPROF_CODEC_DEFLATE] = "deflate", [MPROF_CODEC_ZSTD] = "zstd", [BLOCK_STORAGE_OTHER] = "unknown"};

void block_storage_add(block_storage *storage, const mprof_block *block)
{
	const uint32_t codec = block->codec < BLOCK_STORAGE_OTHER ? block->codec : BLOCK_STORAGE_OTHER;

	storage->blocks++;
	if (codec != MPROF_CODEC_NONE) {
		storage->packed_blocks++;
		storage->codecs[codec]++;
		storage->packed_bytes += block->header_length + block->length;
		storage->unpacked_bytes += block->header_length + block->unpacked_length;
	}
	storage->index_blocks += block->kind == MPROF_BLOCK_INDEX;
	storage->has_whole_index |=
		block->kind == MPROF_BLOCK_END && block->loaded && block->as.end.index_distance != 0;
}

void block_storage_print_json(const block_storage *storage, json_writer *json)
{
	json_begin_object(json, "packed");
	json_begin_array(json, "codecs");
	for (uint32_t codec = 1; codec <= BLOCK_STORAGE_OTHER; codec++) {
		if (storage->codecs[codec] > 0)
			json_string(json, NULL, codec_names[codec]);
	}
	json_end_array(json);
	json_unsigned(json, "blocks", storage->packed_blocks);
	json_unsigned(json, "bytes", storage->packed_bytes);
	json_unsigned(json, "unpacked_bytes", storage->unpacked_bytes);
	json_end_object(json);
	json_begin_object(json, "index");
	json_unsigned(json, "blocks", storage->index_blocks);
	json_boolean(json, "complete", storage->has_whole_index);
	json_end_object(json);
}

static void print_packed(const block_storage *storage, FILE *file)
{
	const char *separator = " with ";
	char packed[TEXT_NUMBER_SIZE];
	char blocks[TEXT_NUMBER_SIZE];

	fprintf(file, "%-12s %s of %s blocks", "compressed", text_count(packed, storage->packed_blocks),
		text_count(blocks, storage->blocks));
	for (uint32_t codec = 1; codec <= BLOCK_STORAGE_OTHER; codec++) {
		if (storage->codecs[codec] == 0)
			continue;
		fprintf(file, "%s%s", separator, codec_names[codec]);
		separator = ", ";
	}
	fprintf(file, ": %s instead of %s\n", text_bytes(packed, storage->packed_bytes),
		text_bytes(blocks, storage->unpacked_bytes));
}

void block_storage_print_text(const block_storage *storage, FILE *file)
{
	char count[TEXT_NUMBER_SIZE];

	if (storage->packed_blocks > 0)
		print_packed(storage, file);
	if (storage->index_blocks > 0)
		fprintf(file, "%-12s %s, INDEX blocks: %s\n", "index",
			storage->has_whole_index ? "complete" : "incomplete", text_count(count, storage->index_blocks));
}
