/* SPDX-License-Identifier: MIT */
#include "recorder/samples.h"

#include "recorder/keys.h"
#include "recorder/recorder_internal.h"

#include <errno.h>
#include <string.h>

/* Samples in one block. */
#define BLOCK_SAMPLES 256

int mprof_recorder_record_sample(mprof_recorder *recorder, uint64_t thread, const mprof_frame *frames, size_t count)
{
	int saved_errno = errno;
	int is_filling;
	sample_record *record;
	uint64_t counter;

	/* Relaxed: a sample at the moment of a change may fall on either side of it. */
	if (recorder == NULL || frames == NULL || count == 0 ||
	    !atomic_load_explicit(&recorder->enabled, memory_order_relaxed) ||
	    atomic_load_explicit(&recorder->closing, memory_order_relaxed) || recorder_in_child(recorder))
		return 0;
	counter = counter_read(&recorder->counter);
	if (count > MPROF_STACK_MAX)
		count = MPROF_STACK_MAX;
	record = sample_store_claim(&recorder->samples, count, &is_filling);
	if (record != NULL) {
		record->thread = thread;
		record->counter = counter;
		memcpy(record->frames, frames, count * sizeof(*frames));
		sample_store_commit(&recorder->samples, record);
		if (is_filling)
			sem_post(&recorder->work);
	}
	errno = saved_errno;
	return record != NULL;
}

static int comes_before(const sample_record *a, const sample_record *b)
{
	return a->thread != b->thread ? a->thread < b->thread : a->counter <= b->counter;
}

/* Merges two sorted lists; of equal ones those of the first come first. */
static sample_record *merge(sample_record *first, sample_record *second)
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

/* Sorts the first \p count of a list by thread and counter, in place, and moves the list on behind them. */
static sample_record *sort(sample_record **list, size_t count)
{
	sample_record *first = *list;

	if (count > 1) {
		first = sort(list, count / 2);
		return merge(first, sort(list, count - count / 2));
	}
	*list = first->next;
	first->next = NULL;
	return first;
}

/* Makes chains of the frames. In the order of the threads: samples of one have much in common. */
static void intern_stacks(mprof_recorder *recorder, sample_record *samples)
{
	for (sample_record *sample = samples; sample != NULL; sample = sample->next)
		sample->stack = stacks_intern(recorder, &recorder->stacks.sample_memory, sample->frames, sample->count,
					      sample->counter);
	stacks_write(recorder);
}

static void write_block(mprof_recorder *recorder, uint64_t thread, const mprof_event *events, size_t count)
{
	if (recorder_is_writing(recorder))
		recorder_note_status(recorder, mprof_writer_write_samples(recorder->writer, thread, events[0].counter,
									  events, count));
	if (recorder_is_writing(recorder))
		recorder->samples.written += count;
	else
		recorder_count_lost(recorder, recorder_loss_cause(recorder), count);
}

static mprof_loss_cause reason_for_no_chain(mprof_recorder *recorder)
{
	return recorder_is_writing(recorder) ? MPROF_LOSS_NO_MEMORY : recorder_loss_cause(recorder);
}

/* Writes the samples of one thread, and returns those of the next. Samples without a chain say nothing: losses. */
static const sample_record *write_thread(mprof_recorder *recorder, const sample_record *sample)
{
	mprof_event events[BLOCK_SAMPLES];
	uint64_t thread = sample->thread;
	uint64_t lost = 0;
	size_t count = 0;

	for (; sample != NULL && sample->thread == thread; sample = sample->next) {
		if (sample->stack == 0) {
			lost++;
			continue;
		}
		if (count == BLOCK_SAMPLES) {
			write_block(recorder, thread, events, count);
			count = 0;
		}
		events[count++] = (mprof_event){
			.kind = MPROF_EVENT_SAMPLE,
			.counter = sample->counter,
			.value = sample->stack,
		};
	}
	if (count > 0)
		write_block(recorder, thread, events, count);
	if (lost > 0)
		recorder_count_lost(recorder, reason_for_no_chain(recorder), lost);
	return sample;
}

void samples_drain(mprof_recorder *recorder)
{
	sample_record *taken = sample_store_take(&recorder->samples);
	sample_record *sorted;
	size_t count = 0;

	if (taken == NULL)
		return;
	/* After the samples were taken: what defines the keys in them was pushed before they were. */
	recorder_process_messages(recorder);
	for (const sample_record *sample = taken; sample != NULL; sample = sample->next)
		count++;
	sorted = sort(&taken, count);
	intern_stacks(recorder, sorted);
	for (const sample_record *sample = sorted; sample != NULL;)
		sample = write_thread(recorder, sample);
	sample_store_release(&recorder->samples, sorted);
}
