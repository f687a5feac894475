/* SPDX-License-Identifier: MIT */
/* Reads where the objects of a heap snapshot were allocated, and selects objects by that. */
#include "common/heap_origins.h"

#include "common/arguments.h"
#include "common/profile_input.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Values of origin_filter::matches. */
#define SITE_DIFFERS 1
#define SITE_MATCHES 2

/* All blocks but those of samples, which have nothing to do with objects. */
#define WANTED_BLOCKS                                                                                                  \
	(~(MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL) | MPROF_BLOCK_BIT(MPROF_BLOCK_SAMPLES) |                           \
	   MPROF_BLOCK_BIT(MPROF_BLOCK_TYPED) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS)))

const char heap_origins_without_allocations[] = "the log has no allocations with addresses of objects; mprof record "
						"--heap --gc --alloc=objects+stack records them";

/* Memory for native blocks, unless the user allows another amount. */
#define DEFAULT_MEMORY_MIB 4096

int heap_origins_read_native(heap_origins *origins)
{
	const uint64_t memory = origins->memory != 0 ? origins->memory : DEFAULT_MEMORY_MIB;
	mprof_session session = {.struct_size = sizeof(session)};

	/* An address in memory belongs to one process, and means nothing if objects are numbered. */
	mprof_reader_get_session(origins->input.reader, &session);
	if (session.has_object_numbers ||
	    mprof_profile_get_row_count(origins->profile, MPROF_TABLE_MEMORY_SITES) == 0 ||
	    mprof_profile_get_row_count(origins->profile, MPROF_TABLE_PROCESSES) > 1)
		return STATUS_OK;
	return native_blocks_read(&origins->blocks, origins->path, origins->snapshot, memory << 20);
}

int heap_origins_read(heap_origins *origins, uint64_t traced)
{
	mprof_profile_options options;
	mprof_block block;

	memset(&block, 0, sizeof(block));
	if (input_open_again(&origins->input, origins->path, WANTED_BLOCKS) != STATUS_OK)
		return STATUS_NOTHING;
	/* Damage was reported when the snapshot was read. */
	origins->input.is_quiet = 1;
	mprof_profile_options_init(&options, sizeof(options));
	options.without_call_tree = 1;
	options.with_ages = 1;
	options.alive_at_snapshot = origins->snapshot;
	options.traced_object = traced;
	options.max_memory = origins->memory << 20;
	if (mprof_profile_create(&options, &origins->profile) != MPROF_OK)
		return STATUS_NOTHING;
	while (input_next_block(&origins->input, &block))
		profile_input_add(&origins->input, origins->profile, &block);
	profile_input_finish(&origins->input, origins->profile, &block);
	origins->stats.struct_size = sizeof(origins->stats);
	mprof_profile_get_row(origins->profile, MPROF_TABLE_AGES, 0, &origins->stats);
	return origins->input.status;
}

void heap_origins_release(heap_origins *origins)
{
	if (origins->path == NULL)
		return;
	native_blocks_release(&origins->blocks);
	mprof_profile_destroy(origins->profile);
	input_close(&origins->input);
}

int heap_origins_find_object(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin)
{
	origin->object.struct_size = sizeof(origin->object);
	origin->site.struct_size = sizeof(origin->site);
	origin->block = NULL;
	/* Without collections, the order of allocations and moves is not known. */
	return origins->profile != NULL && origins->stats.collections > 0 &&
	       mprof_profile_lookup_origin(origins->profile, address, &origin->object) == MPROF_OK &&
	       mprof_profile_get_row(origins->profile, MPROF_TABLE_AGE_SITES, origin->object.site, &origin->site) ==
		       MPROF_OK &&
	       origin->site.class_id == class_id;
}

int heap_origins_find(const heap_origins *origins, uint64_t address, uint32_t class_id, heap_origin *origin)
{
	if (heap_origins_find_object(origins, address, class_id, origin))
		return 1;
	origin->block = native_blocks_find(&origins->blocks, address);
	return origin->block != NULL;
}

const char *heap_origins_reason(const heap_origins *origins)
{
	if (origins->profile == NULL)
		return "out of memory";
	if (origins->stats.untracked > 0 || origins->stats.folded > 0 || origins->blocks.is_limited)
		return "more memory is needed than --memory allows";
	if (origins->stats.allocations == origins->stats.without_address)
		return heap_origins_without_allocations;
	if (origins->stats.collections == 0)
		return "the log has no collections; mprof record --heap --gc --alloc=objects+stack records them";
	return "allocated before recording started, by the runtime, or in events that are missing";
}

static mprof_stack_frame *frames_of_block(const heap_origins *origins, const native_block *block, size_t *count)
{
	const mprof_stack_frame *known;
	mprof_stack_frame *frames;

	*count = names_stack(origins->input.names, block->stack, &known);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL)
		*count = 0;
	else if (*count > 0)
		memcpy(frames, known, *count * sizeof(*frames));
	return frames;
}

mprof_stack_frame *heap_origins_frames(const heap_origins *origins, const heap_origin *origin, size_t *count)
{
	mprof_stack_frame *frames;
	uint32_t site = origin->object.site;

	if (origin->block != NULL)
		return frames_of_block(origins, origin->block, count);
	*count = 0;
	mprof_profile_get_age_site_frames(origins->profile, site, NULL, sizeof(*frames), 0, count);
	frames = calloc(*count + 1, sizeof(*frames));
	if (frames == NULL) {
		*count = 0;
		return NULL;
	}
	if (*count > 0) {
		mprof_profile_get_age_site_frames(origins->profile, site, frames, sizeof(*frames), *count, count);
	} else if (origin->site.caller != 0) {
		frames[0].id = origin->site.caller;
		*count = 1;
	}
	return frames;
}

int origin_filter_init(origin_filter *filter, const heap_origins *origins)
{
	filter->matches = calloc(mprof_profile_get_row_count(origins->profile, MPROF_TABLE_AGE_SITES) + 1, 1);
	filter->native_matches = calloc((size_t)origins->blocks.last_stack + 1, 1);
	return filter->matches != NULL && filter->native_matches != NULL;
}

void origin_filter_release(origin_filter *filter)
{
	free(filter->matches);
	free(filter->native_matches);
}

/* Compares the name of a frame with and without the parameters of the method. */
static int matches_frame(const char *pattern, const char *name)
{
	char text[512];
	const char *end;

	if (name == NULL)
		return 0;
	if (fnmatch(pattern, name, 0) == 0)
		return 1;
	end = strstr(name, " (");
	if (end == NULL || (size_t)(end - name) >= sizeof(text))
		return 0;
	memcpy(text, name, (size_t)(end - name));
	text[end - name] = '\0';
	return fnmatch(pattern, text, 0) == 0;
}

static int matches_site(const origin_filter *filter, const heap_origins *origins, const heap_origin *origin)
{
	size_t count;
	mprof_stack_frame *frames = heap_origins_frames(origins, origin, &count);
	int matches = 0;

	for (size_t i = 0; i < count && !matches; i++)
		matches = matches_frame(filter->pattern, names_frame(origins->input.names, &frames[i]));
	free(frames);
	return matches;
}

int origin_filter_needs_age(const origin_filter *filter)
{
	return filter->has_min_age || filter->has_max_age;
}

int origin_filter_wants(origin_filter *filter, const heap_origins *origins, const heap_origin *origin)
{
	unsigned char *mark = origin->block != NULL ? &filter->native_matches[origin->block->stack]
						    : &filter->matches[origin->object.site];

	if (origin->block == NULL && ((filter->has_min_age && origin->object.age < filter->min_age) ||
				      (filter->has_max_age && origin->object.age > filter->max_age)))
		return 0;
	if (filter->pattern == NULL)
		return 1;
	if (*mark == 0)
		*mark = matches_site(filter, origins, origin) ? SITE_MATCHES : SITE_DIFFERS;
	return *mark == SITE_MATCHES;
}
