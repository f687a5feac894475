/* SPDX-License-Identifier: MIT */
/*
 * sample_totals FILE: counts the contents of a log of the older dialects with the library. Prints one number per line,
 * with fields separated by tabs. If a name occurs in several lines, their numbers must be added. Only complete blocks
 * count.
 */
#include <mprof/reader.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 1024
#define MAX_THREADS 1000
#define MAX_BLOCKS 10000

/* The IDs in logs of real programs are smaller. */
#define MAX_IDS 100000

/* Indexed by the ID of a method or a class. */
typedef struct id_counts {
	const char *name;
	int is_method;
	uint64_t counts[MAX_IDS];
} id_counts;

static id_counts enters = {"enter", 1, {0}};
static id_counts leaves = {"leave", 1, {0}};
static id_counts compilations = {"jitted", 1, {0}};
static id_counts allocations = {"alloc_count", 0, {0}};
static id_counts allocated_bytes = {"alloc_bytes", 0, {0}};
static id_counts jit_allocations = {"jit_time_alloc", 0, {0}};
static id_counts exceptions = {"exceptions", 0, {0}};

/* State of a thread. */
typedef struct thread_facts {
	uint64_t thread;
	uint64_t base_counter; /* Base counter of its last block. */
	uint64_t counter;      /* Counter of its last event. */
	uint64_t frames;       /* Frames of its call stack. */
} thread_facts;

static thread_facts threads[MAX_THREADS];
static size_t thread_count;

/* A block of events, and a digest of its contents. */
typedef struct read_block {
	uint64_t offset;
	uint64_t hash;
} read_block;

static read_block read_blocks[MAX_BLOCKS];
static size_t read_block_count;

static uint64_t block_counts[64];  /* Indexed by code. */
static uint64_t event_counts[256]; /* Indexed by event code, for EVENTS blocks. */
static uint64_t monitor_counts[4];
static uint64_t directives;
static uint64_t stale_blocks;
static uint64_t jitted_methods;
static uint64_t late_events;     /* Events after the end time of their block. */
static uint64_t backward_events; /* Events before the preceding event. */
static uint64_t strange_callers; /* Allocations by a method that is not in their call stack. */
static uint64_t sections_lost;   /* Allocations and waits without the call stack of the preceding stack section. */
static uint64_t samples_without_stack;

static void fail(const char *what)
{
	fprintf(stderr, "sample_totals: %s\n", what);
	exit(1);
}

static uint64_t add(id_counts *counts, uint32_t id, uint64_t number)
{
	if (id >= MAX_IDS)
		fail("an ID exceeds MAX_IDS");
	return counts->counts[id] += number;
}

static thread_facts *find_thread(uint64_t thread, int *is_new)
{
	for (size_t i = 0; i < thread_count; i++) {
		*is_new = 0;
		if (threads[i].thread == thread)
			return &threads[i];
	}
	if (thread_count == MAX_THREADS)
		fail("too many threads");
	*is_new = 1;
	threads[thread_count].thread = thread;
	return &threads[thread_count++];
}

/* Returns the number of frames of a call stack. \p has_method: set to 1 if \p method is among them. */
static uint64_t chain_length(const mprof_reader *reader, uint32_t stack, uint32_t method, int *has_method)
{
	mprof_stack_frame frame;
	uint64_t length = 0;

	*has_method = 0;
	for (; mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &stack) == MPROF_OK; length++)
		*has_method |= !frame.is_native && frame.id == method;
	return length;
}

/* Compares the call stack of an event with the stack sections before it. */
static void check_stack(const mprof_reader *reader, const thread_facts *facts, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	uint32_t caller = detail != NULL ? detail->caller : 0;
	int has_caller;

	if (event->kind != MPROF_EVENT_MONITOR &&
	    (directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) == 0)
		return;
	sections_lost += chain_length(reader, stack, caller, &has_caller) != facts->frames;
	strange_callers += stack != 0 && caller != 0 && !has_caller;
}

static void count_event(const mprof_event *event)
{
	switch (event->kind) {
	case MPROF_EVENT_METHOD_ENTER:
		add(&enters, event->id, 1);
		break;
	case MPROF_EVENT_METHOD_LEAVE:
		add(&leaves, event->id, 1);
		break;
	case MPROF_EVENT_METHOD_JIT_END:
		jitted_methods += add(&compilations, event->id, 1) == 1;
		break;
	case MPROF_EVENT_ALLOCATION_AT_JIT:
	case MPROF_EVENT_ALLOCATION:
		if (event->kind == MPROF_EVENT_ALLOCATION_AT_JIT)
			add(&jit_allocations, event->id, 1);
		add(&allocations, event->id, 1);
		add(&allocated_bytes, event->id, event->value);
		break;
	case MPROF_EVENT_EXCEPTION:
		add(&exceptions, event->id, 1);
		break;
	case MPROF_EVENT_MONITOR:
		monitor_counts[event->value & 3]++;
		break;
	case MPROF_EVENT_SAMPLE:
		samples_without_stack += event->value == 0;
		break;
	default:
		break;
	}
}

static void check_event(const mprof_reader *reader, thread_facts *facts, const mprof_block *block,
			const mprof_event *event)
{
	event_counts[event->kind]++;
	late_events += (int64_t)(event->counter - block->end.counter) > 0;
	backward_events += (int64_t)(event->counter - facts->counter) < 0;
	facts->counter = event->counter;
	if (event->kind == MPROF_EVENT_STACK_SECTION)
		facts->frames = event->value + (event->more.detail != NULL ? event->more.detail->reference_count : 0);
	else if (event->kind == MPROF_EVENT_ALLOCATION || event->kind == MPROF_EVENT_ALLOCATION_AT_JIT ||
		 event->kind == MPROF_EVENT_MONITOR)
		check_stack(reader, facts, event);
}

/*
 * A block with another base counter starts there. That may be earlier than the last event, if another thread had the
 * same ID.
 */
static thread_facts *begin_block(const mprof_block *block)
{
	int is_new;
	thread_facts *facts = find_thread(block->thread, &is_new);

	if (!is_new && facts->base_counter == block->as.events.base_counter)
		stale_blocks++;
	else
		facts->counter = block->as.events.base_counter;
	facts->base_counter = block->as.events.base_counter;
	return facts;
}

static uint64_t hash_event(uint64_t hash, const mprof_event *event)
{
	const uint64_t numbers[] = {event->kind, event->id, event->counter, event->value,
				    event->more.detail != NULL ? event->more.detail->stack : 0};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		hash = (hash ^ numbers[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void note_block(const mprof_block *block, uint64_t hash)
{
	if (read_block_count == MAX_BLOCKS)
		fail("too many blocks");
	read_blocks[read_block_count].offset = block->offset;
	read_blocks[read_block_count++].hash = hash;
}

/*
 * Seeks to each block again, from the last to the first. Returns the number of blocks that differ from the first pass.
 */
static uint64_t read_backwards(mprof_reader *reader)
{
	static mprof_event events[BATCH];
	uint64_t differing = 0;
	mprof_block block;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	for (size_t i = read_block_count; i-- > 0;) {
		uint64_t hash = 0;

		if (mprof_reader_seek(reader, read_blocks[i].offset) != MPROF_OK ||
		    mprof_reader_next_block(reader, &block) != MPROF_OK)
			fail("a block cannot be read again");
		while (mprof_reader_next_events(reader, events, BATCH, &count) == MPROF_OK) {
			for (size_t event = 0; event < count; event++)
				hash = hash_event(hash, &events[event]);
		}
		differing += hash != read_blocks[i].hash;
	}
	return differing;
}

static void count_events(mprof_reader *reader, const mprof_block *block)
{
	thread_facts *facts = block->kind == MPROF_BLOCK_EVENTS ? begin_block(block) : NULL;
	static mprof_event events[BATCH];
	uint64_t hash = 0;
	mprof_status status;
	size_t count;

	while ((status = mprof_reader_next_events(reader, events, BATCH, &count)) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			hash = hash_event(hash, &events[i]);
			count_event(&events[i]);
			if (facts != NULL)
				check_event(reader, facts, block, &events[i]);
		}
	}
	if (status != MPROF_END)
		fail("a complete block cannot be read");
	note_block(block, hash);
}

static void count_block(mprof_reader *reader, const mprof_block *block)
{
	if (block->code >= 64)
		fail("a block of an unknown code");
	block_counts[block->code]++;
	if (block->kind == MPROF_BLOCK_DIRECTIVES)
		directives = block->as.directives.declared.bits[0];
	if (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_STATISTICAL ||
	    block->kind == MPROF_BLOCK_HEAP_DATA)
		count_events(reader, block);
}

static void print_number(const char *name, uint64_t number)
{
	printf("%s\t\t%" PRIu64 "\n", name, number);
}

static void print_ids(const mprof_reader *reader, const id_counts *counts)
{
	char name[4096];

	for (uint32_t id = 0; id < MAX_IDS; id++) {
		mprof_mapping mapping = {0};

		if (counts->counts[id] == 0)
			continue;
		if (counts->is_method && mprof_reader_lookup_method(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
			mprof_reader_format_method(reader, id, name, sizeof(name));
		else if (!counts->is_method &&
			 mprof_reader_lookup_class(reader, id, &mapping, sizeof(mapping)) == MPROF_OK)
			snprintf(name, sizeof(name), "%s", mapping.name);
		else
			snprintf(name, sizeof(name), "#%" PRIu32, id);
		printf("%s\t%s%s\t%" PRIu64 "\n", counts->name, name,
		       mapping.flags & MPROF_METHOD_FLAG_WRAPPER ? " [wrapper]" : "", counts->counts[id]);
	}
}

static void print_all(const mprof_reader *reader)
{
	static const id_counts *const all[] = {&enters,          &leaves,          &allocations,
					       &allocated_bytes, &jit_allocations, &exceptions};

	for (size_t code = 0; code < 64; code++) {
		if (block_counts[code] > 0)
			printf("block\t%zu\t%" PRIu64 "\n", code, block_counts[code]);
	}
	for (int directive = 0; directive < 64; directive++) {
		if (directives >> directive & 1)
			printf("directive\t%d\t1\n", directive);
	}
	for (uint32_t kind = 0; kind < 256; kind++) {
		if (event_counts[kind] > 0)
			printf("event\t%s\t%" PRIu64 "\n", mprof_event_get_name(kind), event_counts[kind]);
	}
	for (int state = 1; state < 4; state++) {
		if (monitor_counts[state] > 0)
			printf("monitor\t%d\t%" PRIu64 "\n", state, monitor_counts[state]);
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		print_ids(reader, all[i]);
}

/* Reads up to the end, or to where the log is cut. */
static void read_all(mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK)
		count_block(reader, &block);
	if (status != MPROF_END)
		mprof_reader_get_error(reader, &error);
	mprof_reader_get_session(reader, &session);
	print_number("read_until", status == MPROF_ERR_TRUNCATED ? error.offset : session.valid_bytes);
	print_number("valid_bytes", session.valid_bytes);
	print_number("ended", session.complete);
	print_number("header_bytes", block.header_length);
	print_number("threads", thread_count);
	print_number("stale_blocks", stale_blocks);
	print_number("jitted_methods", jitted_methods);
	print_number("late_events", late_events);
	print_number("backward_events", backward_events);
	print_number("strange_callers", strange_callers);
	print_number("sections_lost", sections_lost);
	print_number("samples_without_stack", samples_without_stack);
	print_number("differing_blocks", read_backwards(reader));
	print_all(reader);
}

int main(int argc, char **argv)
{
	mprof_reader *reader;
	mprof_status status;

	if (argc != 2)
		fail("usage: sample_totals FILE");
	status = mprof_reader_open_path(argv[1], NULL, &reader);
	if (status != MPROF_OK)
		fail(mprof_status_get_text(status));
	read_all(reader);
	mprof_reader_destroy(reader);
	return 0;
}
