/* SPDX-License-Identifier: MIT */
/* Rounds of draining, in the order that call stacks need, and the SESSION blocks of the recorder. */
#include "recorder/drain/drain.h"

#include <mprof/base.h>

#include "base/allocator.h"
#include "base/sort.h"
#include "base/testpoint.h"
#include "format/values/clock_conversion.h"
#include "format/values/varint.h"
#include "recorder/drain/drain_buffer.h"
#include "recorder/drain/messages.h"
#include "recorder/drain/salvage_commit.h"
#include "recorder/drain/slots.h"
#include "recorder/queues/ring_code.h"
#include "recorder/threads/switches.h"
#include "recorder/threads/thread.h"
#include "recorder/threads/thread_attach.h"
#include "writer/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef _WIN32
#include <unistd.h>
#endif

/*
 * Order of stacks: drains threads so that the events of each call stack are in the log in order of time, even if the
 * stack moves from thread to thread. Readers rely on it: they have one list of frames for each stack. Threads are
 * drained one after the other, so otherwise the events of one thread on a stack could be written before earlier events
 * of another thread on it.
 *
 * Only stacks that more than one thread uses matter. The slots at which a thread switches to or from such a stack, or
 * ends it, are sorted by counter. For each of these slots in turn, its thread is drained up to it.
 *
 * Which slots may be drained: a thread continues a stack only after another thread has left it, so the switch away from
 * the stack was published before the switch to it. All threads are examined twice. Whatever a slot seen in the first
 * pass depends on was published before, so the second pass finds it. Of the slots that only the second pass has seen,
 * only those are drained that others depend on.
 */
struct stack_point {
	uint64_t counter;
	mprof_thread *thread;
	slot_position end;    /**< After the slot. */
	switched_stack *from; /**< The stack before it; NULL: the thread's own. */
	switched_stack *to;   /**< The stack after it, or the one that ends; NULL: the thread's own. */
};

typedef void (*visit_function)(recorder_drain *drain, const stack_point *point);

static int position_is_before(slot_position left, slot_position right)
{
	int32_t buffers = (int32_t)(left.sequence - right.sequence);

	return buffers < 0 || (buffers == 0 && left.slots < right.slots);
}

static slot_position later_position(slot_position left, slot_position right)
{
	return position_is_before(left, right) ? right : left;
}

/* Whether threads must be drained in this order, because two or more have switched between stacks. */
static int stack_order_is_needed(const recorder_shared *shared)
{
	/* Acquire: loaded after published slots were seen, so it counts every thread with a switch among them. */
	return atomic_load_explicit(&shared->switching_threads, memory_order_acquire) > 1;
}

/*
 * Adds full buffers that were taken from the pool, linked by next_full, to thread_round::full_first of their threads.
 * Returns the threads that had none before, linked by thread_round::next_full, in the order of their first buffers.
 */
static mprof_thread *stack_order_add(event_buffer *first)
{
	mprof_thread *threads = NULL;
	mprof_thread **link = &threads;

	while (first != NULL) {
		event_buffer *next = first->next_full;
		thread_round *round = &first->owner->drain.round;

		first->next_full = NULL;
		if (round->full_first == NULL) {
			round->full_first = first;
			round->next_full = NULL;
			*link = first->owner;
			link = &round->next_full;
		} else {
			round->full_last->next_full = first;
		}
		round->full_last = first;
		first = next;
	}
	return threads;
}

/* Returns how far a thread has published slots. */
static slot_position look_at(mprof_thread *thread)
{
	thread_round *round = &thread->drain.round;
	slot_position position = {thread->drain.next_sequence, 0};

	for (event_buffer *full = round->full_first; full != NULL; full = full->next_full)
		position.sequence++;
	round->current = atomic_load_explicit(&thread->current, memory_order_acquire);
	/* Another ticket: the thread has handed over a buffer that was not taken yet. */
	if (atomic_load_explicit(&round->current->ticket, memory_order_acquire) ==
	    ((uint64_t)thread->serial << 32 | position.sequence))
		position.slots = atomic_load_explicit(&round->current->published, memory_order_acquire);
	else
		round->current = NULL;
	return position;
}

static void look_at_all(recorder_drain *drain)
{
	mprof_thread *threads = recorder_threads(drain->shared);

	drain->round_number++;
	(void)stack_order_add(buffer_pool_take_full(&drain->shared->pool));
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next) {
		thread->drain.round.known = look_at(thread);
		thread->drain.round.number = drain->round_number;
	}
	threads = recorder_threads(drain->shared);
	(void)stack_order_add(buffer_pool_take_full(&drain->shared->pool));
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next) {
		thread->drain.round.available = look_at(thread);
		/* The thread was attached between the passes. */
		if (thread->drain.round.number != drain->round_number)
			thread->drain.round.known = (slot_position){thread->drain.next_sequence, 0};
		thread->drain.round.number = drain->round_number;
		thread->drain.round.limit = thread->drain.round.known;
		thread->drain.round.is_needed = 0;
	}
}

/* The state of scanning a thread's slots. */
typedef struct stack_scan {
	stack_point point;
	visit_function visit;
} stack_scan;

static switched_stack *find_switched_stack(recorder_drain *drain, uint64_t number, uint64_t counter)
{
	stack_state *state = number != 0 ? stack_table_find(&drain->switched, number) : NULL;

	if (state == NULL && number != 0) {
		state = stack_table_add(&drain->switched, number, counter);
		drain->order_has_failed |= state == NULL;
	}
	return (switched_stack *)state;
}

static void scan_slot(recorder_drain *drain, stack_scan *scan, const event_slot *slot)
{
	stack_point *point = &scan->point;

	switch (slot->stamp & SLOT_KIND_MASK) {
	case MPROF_EVENT_STACK_SWITCH:
		point->to = find_switched_stack(drain, slot->subject, point->counter);
		scan->visit(drain, point);
		point->from = point->to;
		break;
	case MPROF_EVENT_STACK_END:
		point->to = find_switched_stack(drain, slot->subject, point->counter);
		scan->visit(drain, point);
		if (point->from == point->to)
			point->from = NULL;
		break;
	case MPROF_EVENT_THREAD_START:
		if (slot->subject == point->thread->id)
			point->from = NULL;
		break;
	default:
		break;
	}
}

static void scan_buffer(recorder_drain *drain, stack_scan *scan, const event_buffer *buffer, uint32_t until)
{
	uint64_t last = buffer->drained == 0 ? buffer->start_counter : scan->point.thread->drain.last_counter;

	for (uint32_t i = buffer->drained; i < until; i += slot_count(&buffer->slots[i])) {
		if ((buffer->slots[i].stamp & SLOT_WIDE) != 0)
			continue;
		scan->point.counter = slot_counter(last, buffer->slots[i].stamp);
		scan->point.end.slots = i + 1;
		scan_slot(drain, scan, &buffer->slots[i]);
	}
}

/* Visits all switches in published slots. */
static void scan_all(recorder_drain *drain, visit_function visit)
{
	for (mprof_thread *thread = recorder_threads(drain->shared); thread != NULL; thread = thread->next) {
		stack_scan scan = {.visit = visit};

		/* The thread was attached after the second pass. */
		if (thread->drain.round.number != drain->round_number)
			continue;
		scan.point.thread = thread;
		scan.point.from = thread->drain.stacks.other;
		scan.point.end.sequence = thread->drain.next_sequence;
		for (const event_buffer *full = thread->drain.round.full_first; full != NULL; full = full->next_full) {
			scan_buffer(drain, &scan, full, full->published);
			scan.point.end.sequence++;
		}
		if (thread->drain.round.current != NULL)
			scan_buffer(drain, &scan, thread->drain.round.current, thread->drain.round.available.slots);
	}
}

/* Marks stacks that more than one thread uses. */
static void visit_to_mark(recorder_drain *drain, const stack_point *point)
{
	switched_stack *stack = point->to;

	if (stack == NULL)
		return;
	if (stack->round != drain->round_number) {
		stack->round = drain->round_number;
		/*
		 * Earlier users do not matter, since their events are in the log, unless a thread is still on the
		 * stack.
		 */
		stack->user = (uint32_t)stack->state.thread;
		stack->is_shared = 0;
		stack->is_needed = 0;
	}
	if (stack->user != 0 && stack->user != point->thread->serial)
		stack->is_shared = 1;
	stack->user = point->thread->serial;
}

static int is_shared(const recorder_drain *drain, const switched_stack *stack)
{
	return stack != NULL && stack->round == drain->round_number && stack->is_shared;
}

static void visit_to_gather(recorder_drain *drain, const stack_point *point)
{
	void *points = drain->stack_points;

	if (!is_shared(drain, point->from) && !is_shared(drain, point->to))
		return;
	if (!array_reserve(&drain->shared->allocator, &points, &drain->stack_point_capacity,
			   drain->stack_point_count + 1, sizeof(*point))) {
		drain->order_has_failed = 1;
		return;
	}
	drain->stack_points = points;
	drain->stack_points[drain->stack_point_count++] = *point;
}

static int compare_points(const void *left, const void *right)
{
	const stack_point *first = left;
	const stack_point *second = right;
	int64_t difference = (int64_t)(first->counter - second->counter);

	if (difference != 0)
		return difference < 0 ? -1 : 1;
	if (first->thread != second->thread)
		return first->thread->serial < second->thread->serial ? -1 : 1;
	return position_is_before(first->end, second->end) ? -1 : 1;
}

/*
 * Extends the limits of threads, from the last point to the first: points that the first pass has seen are drained, and
 * so are all points before them of the same thread or the same stack. The others stay for the next round.
 */
static void extend_limits(recorder_drain *drain)
{
	for (size_t i = drain->stack_point_count; i > 0; i--) {
		stack_point *point = &drain->stack_points[i - 1];
		thread_round *round = &point->thread->drain.round;
		int is_known = !position_is_before(round->known, point->end);

		if (!is_known && !round->is_needed && (point->from == NULL || !point->from->is_needed) &&
		    (point->to == NULL || !point->to->is_needed))
			continue;
		round->is_needed = 1;
		if (point->to != NULL)
			point->to->is_needed = 1;
		round->limit = later_position(round->limit, point->end);
	}
}

/* The buffer with a thread's next slots; NULL if none. */
static event_buffer *next_buffer_of(const mprof_thread *thread)
{
	return thread->drain.round.full_first != NULL ? thread->drain.round.full_first : thread->drain.round.current;
}

static void drop_full(recorder_drain *drain, mprof_thread *thread)
{
	event_buffer *done = thread->drain.round.full_first;

	thread->drain.round.full_first = done->next_full;
	thread->drain.next_sequence++;
	recorder_give_back(drain->shared, done);
}

static void drain_to(recorder_drain *drain, mprof_thread *thread, slot_position limit)
{
	event_buffer *buffer;

	while ((buffer = next_buffer_of(thread)) != NULL &&
	       (int32_t)(limit.sequence - thread->drain.next_sequence) >= 0) {
		int is_full = buffer == thread->drain.round.full_first;
		uint32_t until = limit.slots;

		if (is_full && limit.sequence != thread->drain.next_sequence)
			until = atomic_load_explicit(&buffer->published, memory_order_acquire);
		if (until > buffer->drained)
			drain_buffer(drain, thread, buffer, until);
		if (!is_full || buffer->drained < atomic_load_explicit(&buffer->published, memory_order_acquire))
			return;
		drop_full(drain, thread);
	}
}

/* Drains the earlier handles with the thread's ID first: their events are older. */
static void drain_predecessor(recorder_drain *drain, mprof_thread *thread)
{
	mprof_thread *before = thread->next;

	if (!thread->drain.follows_another)
		return;
	thread->drain.follows_another = 0;
	while (before != NULL && before->id != thread->id)
		before = before->next;
	if (before == NULL)
		return;
	drain_predecessor(drain, before);
	drain_to(drain, before, before->drain.round.limit);
}

static void drain_thread(recorder_drain *drain, mprof_thread *thread, slot_position limit)
{
	drain_predecessor(drain, thread);
	drain_to(drain, thread, limit);
}

static int is_in_round(const stack_point *point)
{
	return !position_is_before(point->thread->drain.round.limit, point->end);
}

static void drain_in_order(recorder_drain *drain)
{
	for (size_t i = 0; i < drain->stack_point_count; i++) {
		const stack_point *point = &drain->stack_points[i];
		int is_last = i + 1 == drain->stack_point_count;

		/* Consecutive points of one thread need only one block. */
		if (!is_last && point[1].thread == point->thread && is_in_round(&point[1]))
			continue;
		if (is_in_round(point))
			drain_thread(drain, point->thread, point->end);
	}
}

/* Drains everything that was published before the call, and what it depends on. */
static void stack_order_drain(recorder_drain *drain)
{
	look_at_all(drain);
	/* After the passes: the definitions of the keys in the slots were pushed before the slots were published. */
	messages_process(drain);
	drain->order_has_failed = 0;
	drain->stack_point_count = 0;
	scan_all(drain, visit_to_mark);
	scan_all(drain, visit_to_gather);
	sort_in_place(drain->stack_points, drain->stack_point_count, sizeof(*drain->stack_points), compare_points);
	extend_limits(drain);
	drain_in_order(drain);
	for (mprof_thread *thread = recorder_threads(drain->shared); thread != NULL; thread = thread->next) {
		if (thread->drain.round.number == drain->round_number)
			drain_thread(drain, thread, thread->drain.round.limit);
	}
	drain->order_has_failed = 0;
}

void stack_order_destroy(recorder_drain *drain)
{
	allocator_release(&drain->shared->allocator, drain->stack_points,
			  drain->stack_point_capacity * sizeof(*drain->stack_points));
}

/* The clocks at the start of the log, for its first SESSION block: a client's counter is read once, as for a block. */
static void read_first_instant(recorder_drain *drain, counter_instant *now)
{
	const counter_source *source = &drain->shared->counter;

	if (source->read != NULL)
		counter_read_instant(source, now);
	else
		counter_wait_calibrated(source, &drain->rate.start, now);
}

/* Writes a SESSION block whose clock pair is that of an instant. */
static mprof_status write_session_at(recorder_output *output, const counter_instant *instant,
				     const mprof_property *properties, size_t count)
{
	mprof_status status;

	output->next_clock = (mprof_clock){output_counter(output, instant->counter), instant->time_us};
	output->has_next_clock = 1;
	status = mprof_writer_write_session(output->writer, properties, sizeof(*properties), count);
	output->has_next_clock = 0;
	return status;
}

#define OWN_PROPERTIES 11
#define NUMBER_SIZE 32

static int gives_property(const mprof_recorder_options *options, const char *key)
{
	for (size_t i = 0; i < options->property_count; i++) {
		/* Elements may be larger than this version's. */
		const mprof_property *property =
			(const void *)((const char *)options->properties + i * options->property_size);

		if (property->key != NULL && strcmp(property->key, key) == 0)
			return 1;
	}
	return 0;
}

/* Which process this is, unless the client states it: viewers name it, and relate its threads to other records. */
static size_t add_process(const mprof_recorder_options *options, char numbers[2][NUMBER_SIZE], mprof_property *copy)
{
	size_t count = 0;

#ifndef _WIN32
	if (!gives_property(options, "pid")) {
		snprintf(numbers[0], NUMBER_SIZE, "%ld", (long)getpid());
		copy[count++] = (mprof_property){"pid", numbers[0]};
	}
	if (!gives_property(options, "parent_pid")) {
		snprintf(numbers[1], NUMBER_SIZE, "%ld", (long)getppid());
		copy[count++] = (mprof_property){"parent_pid", numbers[1]};
	}
#endif
#ifdef __linux__
	if (!gives_property(options, "program") && program_invocation_name != NULL && *program_invocation_name != '\0')
		copy[count++] = (mprof_property){"program", program_invocation_name};
#endif
	return count;
}

mprof_status session_begin(recorder_drain *drain, const mprof_recorder_options *options)
{
	const counter_source *source = &drain->shared->counter;
	counter_rate *rate = &drain->rate;
	mprof_property copy[OWN_PROPERTIES];
	char counter[64], numbers[7][NUMBER_SIZE];
	counter_instant now;
	size_t count = 0;

	read_first_instant(drain, &now);
	counter_rate_begin(rate, source, options->counters_per_second, &now);
	drain->shared->opened = rate->start;
	if (source->read != NULL)
		drain->shared->counters_per_second =
			counter_is_monotonic_clock(source) ? 1e9 : options->counters_per_second;
	counter_describe(source, counter, sizeof(counter));
	copy[count++] = (mprof_property){"recorder", "libmprof " MPROF_VERSION_STRING};
	copy[count++] = (mprof_property){"counter", counter};
	if (rate_is_valid(rate->stated)) {
		rate_text_format(rate->stated, numbers[0], NUMBER_SIZE);
		copy[count++] = (mprof_property){RATE_KEY, numbers[0]};
	}
	snprintf(numbers[1], NUMBER_SIZE, "%" PRIu64, now.monotonic_ns);
	copy[count++] = (mprof_property){"monotonic_ns", numbers[1]};
	if (now.boottime_ns != 0) {
		snprintf(numbers[2], NUMBER_SIZE, "%" PRIu64, now.boottime_ns);
		copy[count++] = (mprof_property){"boottime_ns", numbers[2]};
	}
	if (options->resolution_ns > 0) {
		snprintf(numbers[3], NUMBER_SIZE, "%" PRIu32, options->resolution_ns);
		copy[count++] = (mprof_property){"resolution", numbers[3]};
	}
	count += add_process(options, numbers + 4, copy + count);
	if (options->sample_interval_ns > 0) {
		snprintf(numbers[6], NUMBER_SIZE, "%" PRIu64, options->sample_interval_ns);
		copy[count++] = (mprof_property){"sample_period_ns", numbers[6]};
	}
	if (options->sample_clock != MPROF_SAMPLE_CLOCK_NONE)
		copy[count++] = (mprof_property){
			"sample_clock", options->sample_clock == MPROF_SAMPLE_CLOCK_REAL ? "real" : "processor"};
	return write_session_at(drain->output, &now, copy, count);
}

/* States the frequency of the counter again if it was measured over a longer time since. */
static void session_state_rate(recorder_drain *drain, int is_last)
{
	recorder_output *output = drain->output;
	char text[RATE_TEXT_SIZE];
	const mprof_property property = {RATE_KEY, text};
	counter_instant now;

	if (!output->has_session || !output_is_writing(output) || !counter_rate_update(&drain->rate, is_last, &now))
		return;
	rate_text_format(drain->rate.stated, text, sizeof(text));
	output_note_status(output, write_session_at(output, &now, &property, 1));
}

/* Maximum number of samples in one block. */
#define BLOCK_SAMPLES 256

static int comes_before(const sample_record *a, const sample_record *b)
{
	return a->thread != b->thread ? a->thread < b->thread : a->counter <= b->counter;
}

/* Merges two sorted lists. The merge is stable: of equal samples, those of the first list come first. */
static sample_record *merge_samples(sample_record *first, sample_record *second)
{
	sample_record *merged = NULL;
	sample_record **end = &merged;

	while (first != NULL && second != NULL) {
		sample_record **smaller = comes_before(first, second) ? &first : &second;

		*end = *smaller;
		end = &(*smaller)->next;
		*smaller = *end;
	}
	*end = first != NULL ? first : second;
	return merged;
}

/* Removes the first \p count samples from a list and returns them sorted by thread and counter. */
static sample_record *sort_samples(sample_record **list, size_t count)
{
	sample_record *first = *list;

	if (count > 1) {
		first = sort_samples(list, count / 2);
		return merge_samples(first, sort_samples(list, count - count / 2));
	}
	*list = first->next;
	first->next = NULL;
	return first;
}

/* Interns the call stacks, thread by thread: those of one thread have many frames in common. */
static void intern_stacks(recorder_drain *drain, sample_record *samples)
{
	for (sample_record *sample = samples; sample != NULL; sample = sample->next) {
		const size_t count = sample_frame_count(sample);

		if (count > 0)
			sample->stack = stacks_intern(&drain->stacks, &drain->stacks.sample_memory, sample->frames,
						      count, sample->counter);
	}
	stacks_write(&drain->stacks);
}

static void write_samples_of_thread(recorder_drain *drain, uint64_t thread, mprof_event *events, size_t count)
{
	recorder_output *output = drain->output;
	const int is_typed = events[0].kind == MPROF_EVENT_TYPED;

	output_convert_counters(output, events, count);
	if (output_is_writing(output))
		output_note_status(output, is_typed ? mprof_writer_write_typed(output->writer, thread,
									       events[0].counter, events, count)
						    : mprof_writer_write_samples(output->writer, thread,
										 events[0].counter, events, count));
	if (output_is_writing(output)) {
		drain->samples_written += count;
		output_note_events(output, count);
	} else {
		output_count_lost(output, output_loss_cause(output), count);
	}
}

static mprof_loss_cause reason_for_no_stack(const recorder_output *output)
{
	return output_is_writing(output) ? MPROF_LOSS_NO_MEMORY : output_loss_cause(output);
}

/* Samples of one thread that become a block. */
typedef struct sample_block {
	mprof_event events[BLOCK_SAMPLES];
	mprof_event_detail details[BLOCK_SAMPLES]; /* Of samples of kinds. */
	uint8_t arguments[BLOCK_SAMPLES][KNOWN_SAMPLE_ARGUMENTS * MPROF_VARINT_MAX_LENGTH];
	size_t count;
} sample_block;

/* Encodes the arguments of a sample of a kind in the order of its type. Returns their length. */
static size_t encode_sample(const sample_record *sample, const sample_of_kind *kind, uint8_t *out)
{
	const uint64_t values[] = {
		[KNOWN_SAMPLE_THREAD] = sample->thread, [KNOWN_SAMPLE_STACK] = sample->stack,
		[KNOWN_SAMPLE_WEIGHT] = kind->weight,   [KNOWN_SAMPLE_CPU] = kind->cpu,
		[KNOWN_SAMPLE_MODE] = kind->mode,
	};
	uint32_t layout = kind->layout & ~KNOWN_IS_SAMPLE;
	uint8_t *end = out;

	for (; layout != 0; layout >>= KNOWN_SAMPLE_BITS) {
		const uint32_t role = layout & ((1 << KNOWN_SAMPLE_BITS) - 1);

		/* Only the file of a recorder that ended may have another one. */
		end = varint_put(end, role <= KNOWN_SAMPLE_MODE ? values[role] : 0);
	}
	return (size_t)(end - out);
}

static void add_to_block(sample_block *block, const sample_record *sample)
{
	const size_t i = block->count++;
	sample_of_kind kind;

	block->events[i] = (mprof_event){
		.kind = MPROF_EVENT_SAMPLE,
		.counter = sample->counter,
		.value = sample->stack,
	};
	if (sample->kind_words == 0)
		return;
	kind = sample_kind_of(sample);
	block->details[i] = (mprof_event_detail){.struct_size = sizeof(mprof_event_detail),
						 .arguments = block->arguments[i],
						 .argument_size = encode_sample(sample, &kind, block->arguments[i])};
	block->events[i] = (mprof_event){
		.kind = MPROF_EVENT_TYPED,
		.id = kind.type,
		.counter = sample->counter,
		.more.detail = &block->details[i],
	};
}

/*
 * Writes the samples of one thread that have a kind, or none, and returns the first of the next thread. Samples whose
 * call stack got no ID are counted as lost.
 */
static const sample_record *write_thread(recorder_drain *drain, const sample_record *sample, int has_kind)
{
	const uint64_t thread = sample->thread;
	sample_block block = {.count = 0};
	uint64_t lost = 0;

	for (; sample != NULL && sample->thread == thread; sample = sample->next) {
		if ((sample->kind_words != 0) != has_kind)
			continue;
		if (sample->stack == 0 && sample_frame_count(sample) > 0) {
			lost++;
			continue;
		}
		if (block.count == BLOCK_SAMPLES) {
			write_samples_of_thread(drain, thread, block.events, block.count);
			block.count = 0;
		}
		/* The time of a sample of a kind may be any that the client states. */
		if (!has_kind && sample->counter > drain->latest_counter)
			drain->latest_counter = sample->counter;
		add_to_block(&block, sample);
	}
	if (block.count > 0)
		write_samples_of_thread(drain, thread, block.events, block.count);
	if (lost > 0)
		output_count_lost(drain->output, reason_for_no_stack(drain->output), lost);
	return sample;
}

/* Writes the samples that were recorded so far. Do not call it inside a block. */
static void samples_drain(recorder_drain *drain)
{
	sample_record *taken = sample_store_take(&drain->shared->samples);
	sample_record *sorted;
	size_t count = 0;

	if (taken == NULL)
		return;
	for (sample_record *sample = taken; sample != NULL; sample = sample->next) {
		sample->batch = (uint32_t)drain->progress.samples_done + 1;
		count++;
	}
	/* After the samples were taken: the definitions of their keys were pushed before them. */
	messages_process(drain);
	sorted = sort_samples(&taken, count);
	intern_stacks(drain, sorted);
	for (const sample_record *sample = sorted; sample != NULL;) {
		(void)write_thread(drain, sample, 0);
		sample = write_thread(drain, sample, 1);
	}
	drain->progress.samples_done++;
	salvage_commit(drain);
	sample_store_release(&drain->shared->samples, sorted);
}

/* Whether the handle of a detached thread is still needed for its last times. Writer thread. */
static inline int thread_times_are_due(const mprof_thread *thread)
{
	return thread->times.is_counted && !thread->drain.times_are_final;
}

#define BATCH_THREADS 64

typedef struct value_batch {
	mprof_metric_value values[BATCH_THREADS * THREAD_METRIC_COUNT];
	size_t count;
} value_batch;

/* Defines the metrics of a thread that the system counts, once. Returns 0 if there is no memory. */
static int define_metrics(recorder_drain *drain, mprof_thread *thread)
{
	for (size_t i = 0; i < THREAD_METRIC_COUNT; i++) {
		const mprof_record record = {.kind = MPROF_RECORD_METRIC,
					     .as.metric = {.flags = thread_metrics[i].flags,
							   .section = THREAD_METRIC_SECTION,
							   .name = thread_metrics[i].name,
							   .thread = thread->id,
							   .unit = ""}};
		message *created;

		if (thread->drain.metrics[i] != 0 || !(thread->times.begin.available >> i & 1))
			continue;
		created = message_record(&drain->shared->messages.allocator, MESSAGE_DEFINE_METRIC, &record);
		if (created == NULL)
			return 0;
		thread->drain.metrics[i] = recorder_define_metric(drain->shared, created);
	}
	return 1;
}

static void add_values(value_batch *batch, const mprof_thread *thread, const thread_clock *now)
{
	const thread_clock *begin = &thread->times.begin;

	for (size_t i = 0; i < THREAD_METRIC_COUNT; i++) {
		if ((begin->available & now->available) >> i & 1 && now->values[i] >= begin->values[i])
			batch->values[batch->count++] = (mprof_metric_value){
				.metric = thread->drain.metrics[i], .value = now->values[i] - begin->values[i]};
	}
}

/* Reads the times of a thread. Returns 0 if none are written for it in this round. */
static int read_times(mprof_thread *thread, int is_last, thread_clock *now)
{
	if (!thread_times_are_due(thread))
		return 0;
	/* Acquire: pairs with the release in mprof_thread_detach(), so the last times are valid. */
	if (atomic_load_explicit(&thread->detached, memory_order_acquire)) {
		*now = thread->times.end;
		thread->drain.times_are_final = 1;
		return 1;
	}
	if (!thread_clock_read(thread->times.system_id, now))
		return 0;
	/*
	 * A thread that is being detached may have read its last times already. They are written in the next round, and
	 * values must not decrease. Pairs with the store in attached_times_end().
	 */
	return is_last || !atomic_load_explicit(&thread->times.is_ending, memory_order_seq_cst);
}

static void write_batch(recorder_drain *drain, value_batch *batch)
{
	if (batch->count == 0)
		return;
	/* The definitions of the metrics were pushed before. */
	messages_process(drain);
	metrics_write_values(&drain->metrics, batch->values, batch->count);
	batch->count = 0;
}

/*
 * Writes the times of all threads, for detached ones the last time. Writer thread, before handles are freed.
 * is_last: no round follows.
 */
static void thread_times_write(recorder_drain *drain, int is_last)
{
	value_batch batch = {.count = 0};
	thread_clock now;

	if (!drain->shared->records_thread_times)
		return;
	for (mprof_thread *thread = recorder_threads(drain->shared); thread != NULL; thread = thread->next) {
		if (!read_times(thread, is_last, &now) || !define_metrics(drain, thread))
			continue;
		add_values(&batch, thread, &now);
		if (batch.count + THREAD_METRIC_COUNT > sizeof(batch.values) / sizeof(batch.values[0]))
			write_batch(drain, &batch);
	}
	write_batch(drain, &batch);
}

/* Drains the full buffers thread by thread (list: round.full_first); threads are in the order of their first one. */
static void drain_in_turn(recorder_drain *drain, mprof_thread *thread)
{
	while (thread != NULL) {
		while (thread->drain.round.full_first != NULL)
			drain_full_buffer(drain, &drain->block, thread->drain.round.full_first);
		drain_end_block(drain, &drain->block);
		thread = thread->drain.round.next_full;
	}
}

/*
 * Drains the full buffers. Returns 0 if threads must be drained by stack_order_drain() instead; the buffers taken are
 * kept for it.
 */
static int drain_full(recorder_drain *drain)
{
	mprof_thread *threads = stack_order_add(buffer_pool_take_full(&drain->shared->pool));

	/* Checked after the buffers were taken, since they may contain switches. */
	if (stack_order_is_needed(drain->shared))
		return 0;
	/* After the buffers were taken: the definitions of their keys were pushed before them. */
	messages_process(drain);
	if (writer_has_columns(drain->output->writer) && drain_threads_help(&drain->threads, threads))
		drain_threads_run(drain, threads);
	else
		drain_in_turn(drain, threads);
	return 1;
}

/* Notes how much a thread has published in its current buffer. Returns 0 if another buffer must be drained first. */
static int look_at_current(mprof_thread *thread)
{
	event_buffer *buffer = atomic_load_explicit(&thread->current, memory_order_acquire);
	uint64_t expected = (uint64_t)thread->serial << 32 | thread->drain.next_sequence;

	thread->drain.round.current = NULL;
	TESTPOINT("drain: current buffer read");
	/*
	 * Another ticket: a full buffer of the thread was not taken yet and must be drained first, or the thread is
	 * about to move on from a buffer that was drained and given back.
	 */
	if (atomic_load_explicit(&buffer->ticket, memory_order_acquire) != expected)
		return 0;
	thread->drain.round.current = buffer;
	thread->drain.round.available.slots = atomic_load_explicit(&buffer->published, memory_order_acquire);
	return 1;
}

/*
 * Drains the earlier handles whose IDs are in use again. Everything recorded under such an ID was handed over before
 * the new handle was attached, and is drained here, before the new handle's events. Returns 0 as drain_full() does.
 */
static int drain_predecessors(recorder_drain *drain, mprof_thread *threads)
{
	int any = 0;

	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		any |= thread->drain.follows_another;
	if (!any)
		return 1;
	if (!drain_full(drain))
		return 0;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		thread->drain.follows_another = 0;
	return 1;
}

/*
 * Writes everything that was published before the call. A thread that changes buffers after the full buffers were first
 * taken hands its buffer over before it goes on, so taking them again finds everything that it had published before the
 * call; its new buffer contains only later events.
 */
static void drain_all_current(recorder_drain *drain)
{
	int moved_on = 0;
	mprof_thread *threads;

	TESTPOINT("drain: full buffers taken");
	threads = recorder_threads(drain->shared);
	if (!drain_predecessors(drain, threads))
		return;
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next)
		moved_on |= !look_at_current(thread);
	/* Checked last: any of the buffers taken may contain switches. */
	if (stack_order_is_needed(drain->shared))
		return;
	/*
	 * After the buffers were taken: the definitions of the keys in the slots were pushed before the slots were
	 * published.
	 */
	messages_process(drain);
	for (mprof_thread *thread = threads; thread != NULL; thread = thread->next) {
		if (thread->drain.round.current != NULL)
			drain_buffer(drain, thread, thread->drain.round.current, thread->drain.round.available.slots);
	}
	if (moved_on)
		(void)drain_full(drain);
}

static void drain_recorded(recorder_drain *drain, int partial)
{
	/* Finding dead objects requires all allocations before them. */
	if (!stack_order_is_needed(drain->shared) && drain_full(drain) && (partial || drain->heap.deaths.is_tracking))
		drain_all_current(drain);
	/* Ordering may also have become necessary meanwhile; drain_full() and drain_all_current() then stopped. */
	if (stack_order_is_needed(drain->shared))
		stack_order_drain(drain);
}

/* Losses that could not be reported for a thread are reported for thread 0. */
static void report_as_thread_0(recorder_output *output, mprof_thread *thread)
{
	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++)
		output->lost_unreported[cause] += thread->drain.lost_unreported[cause];
	memset(thread->drain.lost_unreported, 0, sizeof(thread->drain.lost_unreported));
}

static void report_thread_losses(recorder_drain *drain, mprof_thread *thread, int is_last)
{
	recorder_output *output = drain->output;
	uint64_t any = 0;

	for (int cause = 1; cause < LOSS_CAUSE_COUNT; cause++) {
		uint64_t lost = atomic_load_explicit(&thread->lost[cause], memory_order_relaxed);

		any |= lost - thread->drain.lost_seen[cause];
		thread_count_lost(thread, output, (mprof_loss_cause)cause, lost - thread->drain.lost_seen[cause]);
		any |= thread->drain.lost_unreported[cause];
		thread->drain.lost_seen[cause] = lost;
	}
	output_write_losses(output, thread->id, thread->drain.lost_unreported, is_last);
	if (any != 0 && thread->salvaged != NULL)
		salvage_commit_losses(drain, thread);
}

/* Removes the threads that are detached and drained from the list. Returns them, linked by next. */
static mprof_thread *unlink_threads(recorder_shared *shared)
{
	mprof_thread **link;
	mprof_thread *reaped = NULL;

	pthread_mutex_lock(&shared->threads_lock);
	link = &shared->threads;
	while (*link != NULL) {
		mprof_thread *thread = *link;

		/*
		 * sequence may be read once detached is set: the owner is gone. Until the two are equal, a buffer that
		 * was handed over is not drained, and its owner field points to this thread.
		 */
		if (atomic_load_explicit(&thread->detached, memory_order_acquire) &&
		    thread->drain.next_sequence == thread->sequence && !thread_times_are_due(thread)) {
			*link = thread->next;
			thread_remove_by_id(thread);
			thread->next = reaped;
			reaped = thread;
		} else {
			link = &thread->next;
		}
	}
	pthread_mutex_unlock(&shared->threads_lock);
	return reaped;
}

static void reap_threads(recorder_drain *drain, int is_last)
{
	mprof_thread *reaped;

	TESTPOINT("drain: about to free handles");
	reaped = unlink_threads(drain->shared);
	while (reaped != NULL) {
		mprof_thread *next = reaped->next;

		report_thread_losses(drain, reaped, is_last);
		report_as_thread_0(drain->output, reaped);
		thread_release(reaped);
		reaped = next;
	}
}

/* Reports the losses of the round. Losses after the size limit are reported when it is reached and again on close. */
static void report_losses(recorder_drain *drain, int is_last)
{
	recorder_shared *shared = drain->shared;
	recorder_output *output = drain->output;
	int reached = output->limit_reached;

	for (mprof_thread *thread = recorder_threads(shared); thread != NULL; thread = thread->next) {
		report_thread_losses(drain, thread, is_last);
		if (is_last)
			report_as_thread_0(output, thread);
	}
	reap_threads(drain, is_last);
	output_count_lost(output, MPROF_LOSS_NO_SAMPLE_ROOM, sample_store_take_losses(&shared->samples));
	output_count_lost(output, MPROF_LOSS_NO_BUFFER, message_queue_take_refused(&shared->messages));
	if (is_last)
		writer_release_reserve(output->writer);
	output_write_losses(output, 0, output->lost_unreported, is_last);
	output->limit_reported = reached;
}

/* Number of native memory events after which all threads are drained, so that readers hold back few. */
#define WATERMARK_EVENTS (UINT64_C(128) * 1024)

/*
 * A thread that is stopped between reading the counter and publishing the event is assumed to continue within this
 * time.
 */
#define WATERMARK_NANOSECONDS UINT64_C(100000000)

static uint64_t monotonic_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static int watermark_is_due(const recorder_drain *drain)
{
	return monotonic_time() - drain->whole_round_time >= WATERMARK_NANOSECONDS;
}

int drain_needs_watermark(const recorder_drain *drain)
{
	return drain->memory_events >= WATERMARK_EVENTS && watermark_is_due(drain);
}

/*
 * Called after a round that drained all threads and began at \p counter. Everything published before it began is in the
 * log. A thread publishes an event right after it has read the counter, so all events with counters from before the
 * remembered round were published by then.
 */
static void write_watermark(recorder_drain *drain, uint64_t round)
{
	if (drain->whole_round != 0) {
		if (!watermark_is_due(drain) || !output_is_writing(drain->output))
			return;
		output_note_status(drain->output,
				   mprof_writer_write_watermark(drain->output->writer,
								output_counter(drain->output, drain->whole_round)));
		drain->memory_events = 0;
	}
	drain->whole_round = round;
	drain->whole_round_time = monotonic_time();
}

/* Returns 0 if a part of a snapshot is left. */
static int drain_heap(recorder_drain *drain, int all, int is_last)
{
	/* Commits often, because the chunks that were read are given back only after a commit. */
	if (all && drain->shared->heap.chunks.area != NULL) {
		while (!heap_drain_advance(&drain->heap)) {
			salvage_commit(drain);
			heap_drain_give_back(&drain->heap);
		}
	}
	return heap_drain_run(&drain->heap, all, is_last);
}

/*
 * Called after a round that drained all threads and began at \p counter. All events with counters from before the round
 * before it are in the ring, for the same reason as with watermarks.
 */
static void drop_old_code(recorder_drain *drain, uint64_t round)
{
	block_ring *ring = drain->output->ring;

	if (ring_code_is_due(ring))
		ring_code_drop(ring, output_counter(drain->output, drain->ring_round));
	drain->ring_round = round;
}

void drain_round(recorder_drain *drain, int partial, int is_last)
{
	const int is_ring = drain->output->ring != NULL;
	const uint64_t now = drain->memory_events > 0 || is_ring ? counter_read(&drain->shared->counter) : 0;
	const uint64_t round = drain->memory_events > 0 ? now : 0;

	heap_drain_begin(&drain->heap);
	if (partial)
		native_code_follow_modules(&drain->stacks.code);
	drain_recorded(drain, partial);
	if (partial)
		write_watermark(drain, round);
	/* A few samples would make a small block, so unless a drain was requested they wait for more. */
	if (partial || sample_store_is_filling(&drain->shared->samples))
		samples_drain(drain);
	if (drain_heap(drain, partial, is_last))
		root_table_forget(&drain->roots, drain->heap.until_counter);
	/* Rounds for full buffers alone take no time that grows with the number of threads. */
	if (partial) {
		thread_times_write(drain, is_last);
		report_losses(drain, is_last);
		session_state_rate(drain, is_last);
		if (drain->output->status == MPROF_OK)
			output_note_status(drain->output, mprof_writer_flush(drain->output->writer));
	}
	if (partial && is_ring)
		drop_old_code(drain, now);
	salvage_commit(drain);
	heap_drain_give_back(&drain->heap);
	/* No further buffer may follow that would wake them. */
	recorder_wake_waiting(drain->shared);
}
