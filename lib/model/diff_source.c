/* SPDX-License-Identifier: MIT */
/* Visits the tables of a profile. */
#include "model/diff_source.h"

#include "base/array.h"

/** Frames of one call site. */
typedef struct diff_source {
	const mprof_allocator *allocator;
	const mprof_profile *profile;
	const mprof_reader *reader;
	progress *going;
	diff_source_visit visit;
	void *user;
	mprof_stack_frame *stack;
	size_t stack_capacity;
	diff_item *frames;
	size_t frame_count;
	size_t frame_capacity;
} diff_source;

static int visit_row(const diff_source *source, uint32_t table, uint32_t kind, uint32_t id, uint64_t count,
		     uint64_t self, uint64_t total)
{
	const diff_source_row row = {table, {kind, id, 0}, source->frames, source->frame_count, {count, self, total}};

	return source->visit(source->user, &row);
}

static int read_methods(diff_source *source)
{
	mprof_method_stats stats = {.struct_size = sizeof(stats)};
	int is_read = 1;

	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_METHODS); i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_METHODS, i, &stats) == MPROF_OK &&
		    (stats.calls > 0 || stats.total_ns > 0))
			is_read = visit_row(source, MPROF_TABLE_METHODS, MPROF_SAMPLE_METHOD, stats.id, stats.calls,
					    stats.self_ns, stats.total_ns);
	}
	return is_read;
}

static int read_allocations(diff_source *source)
{
	mprof_class_stats stats = {.struct_size = sizeof(stats)};
	int is_read = 1;

	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_CLASSES); i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_CLASSES, i, &stats) == MPROF_OK &&
		    stats.allocations > 0)
			is_read = visit_row(source, MPROF_TABLE_CLASSES, DIFF_CLASS, stats.id, stats.allocations,
					    stats.bytes, stats.bytes);
	}
	return is_read;
}

static int read_samples(diff_source *source)
{
	mprof_sample_stats stats = {.struct_size = sizeof(stats)};
	int is_read = 1;

	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_SAMPLES); i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_SAMPLES, i, &stats) == MPROF_OK &&
		    stats.total > 0)
			is_read = visit_row(source, MPROF_TABLE_SAMPLES, stats.kind, stats.id, 0, stats.self,
					    stats.total);
	}
	return is_read;
}

static int read_monitors(diff_source *source)
{
	mprof_monitor_stats stats = {.struct_size = sizeof(stats)};
	int is_read = 1;

	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_MONITORS); i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_MONITORS, i, &stats) == MPROF_OK)
			is_read = visit_row(source, MPROF_TABLE_MONITORS, DIFF_CLASS, stats.class_id, stats.contentions,
					    stats.contended_ns, stats.contended_ns);
	}
	return is_read;
}

static int add_frame(diff_source *source, uint32_t kind, uint32_t id, uint32_t flags)
{
	void *frames = source->frames;

	if (!progress_step(source->going) || !array_reserve(source->allocator, &frames, &source->frame_capacity,
							    source->frame_count + 1, sizeof(*source->frames)))
		return 0;
	source->frames = frames;
	source->frames[source->frame_count++] = (diff_item){kind, id, flags};
	return 1;
}

static int read_stack(diff_source *source, uint32_t stack)
{
	void *larger = source->stack;
	size_t count = 0;

	if (mprof_reader_lookup_stack(source->reader, stack, source->stack, sizeof(*source->stack),
				      source->stack_capacity, &count) != MPROF_OK)
		return 1;
	if (count > source->stack_capacity) {
		if (!array_reserve(source->allocator, &larger, &source->stack_capacity, count, sizeof(*source->stack)))
			return 0;
		source->stack = larger;
		if (mprof_reader_lookup_stack(source->reader, stack, source->stack, sizeof(*source->stack),
					      source->stack_capacity, &count) != MPROF_OK)
			return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const mprof_stack_frame *frame = &source->stack[i];

		if (!add_frame(source, frame->is_native ? MPROF_SAMPLE_LOCATION : MPROF_SAMPLE_METHOD, frame->id,
			       frame->is_compiling ? MPROF_EVENT_FLAG_COMPILING : 0))
			return 0;
	}
	return 1;
}

static int read_path(diff_source *source, uint32_t node)
{
	mprof_call_stats call = {.struct_size = sizeof(call)};

	while (node != MPROF_CALL_ROOT &&
	       mprof_profile_get_row(source->profile, MPROF_TABLE_CALLS, node, &call) == MPROF_OK) {
		if (!add_frame(source, MPROF_SAMPLE_METHOD, call.method, call.flags))
			return 0;
		node = call.parent;
	}
	return 1;
}

/* Reads the frames of a call site: of a call stack, a method, or a node of the call tree. */
static int read_site(diff_source *source, uint32_t stack, uint32_t caller, uint32_t node)
{
	source->frame_count = 0;
	if (stack != 0)
		return read_stack(source, stack);
	if (caller != 0 && node == 0)
		return add_frame(source, MPROF_SAMPLE_METHOD, caller, 0);
	return read_path(source, node);
}

static int read_sites(diff_source *source)
{
	mprof_allocation_site site = {.struct_size = sizeof(site)};
	mprof_monitor_site wait = {.struct_size = sizeof(wait)};
	int is_read = 1;

	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_ALLOCATION_SITES);
	     i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_ALLOCATION_SITES, i, &site) != MPROF_OK)
			continue;
		is_read = read_site(source, site.stack, site.caller, site.call) &&
			  (source->frame_count == 0 ||
			   visit_row(source, MPROF_TABLE_ALLOCATION_SITES, DIFF_CLASS, site.class_id, site.allocations,
				     site.bytes, site.bytes));
	}
	for (size_t i = 0; is_read && i < mprof_profile_get_row_count(source->profile, MPROF_TABLE_MONITOR_SITES);
	     i++) {
		if (!progress_step(source->going))
			return 0;
		if (mprof_profile_get_row(source->profile, MPROF_TABLE_MONITOR_SITES, i, &wait) != MPROF_OK)
			continue;
		is_read = read_site(source, wait.stack, 0, wait.call) &&
			  (source->frame_count == 0 ||
			   visit_row(source, MPROF_TABLE_MONITOR_SITES, DIFF_CLASS, wait.class_id, wait.contentions,
				     wait.contended_ns, wait.contended_ns));
	}
	return is_read;
}

uint64_t diff_source_steps(const mprof_profile *profile)
{
	static const uint32_t tables[] = {MPROF_TABLE_METHODS,          MPROF_TABLE_CLASSES,
					  MPROF_TABLE_SAMPLES,          MPROF_TABLE_MONITORS,
					  MPROF_TABLE_ALLOCATION_SITES, MPROF_TABLE_MONITOR_SITES};
	uint64_t steps = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		steps += mprof_profile_get_row_count(profile, tables[i]);
	return steps;
}

int diff_source_read(const mprof_allocator *allocator, const mprof_profile *profile, const mprof_reader *reader,
		     progress *going, diff_source_visit visit, void *user)
{
	diff_source source = {.allocator = allocator,
			      .profile = profile,
			      .reader = reader,
			      .going = going,
			      .visit = visit,
			      .user = user};
	int is_read = read_methods(&source) && read_allocations(&source) && read_samples(&source) &&
		      read_monitors(&source) && read_sites(&source);

	allocator_release(allocator, source.stack, source.stack_capacity * sizeof(*source.stack));
	allocator_release(allocator, source.frames, source.frame_capacity * sizeof(*source.frames));
	return is_read;
}
