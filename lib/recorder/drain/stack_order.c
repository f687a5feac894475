/* SPDX-License-Identifier: MIT */
/* Drains threads so that the events of each call stack are in order of time, even if several threads have used it. */
#include "recorder/drain/stack_order.h"

#include "base/checked.h"
#include "base/sort.h"
#include "recorder/drain/drain_buffer.h"
#include "recorder/drain/messages.h"
#include "recorder/drain/slots.h"
#include "recorder/threads/switches.h"
#include "recorder/threads/thread.h"

/*
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

int stack_order_is_needed(const recorder_shared *shared)
{
	/* Acquire: loaded after published slots were seen, so it counts every thread with a switch among them. */
	return atomic_load_explicit(&shared->switching_threads, memory_order_acquire) > 1;
}

mprof_thread *stack_order_add(event_buffer *first)
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

void stack_order_drain(recorder_drain *drain)
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
