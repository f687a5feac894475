/* SPDX-License-Identifier: MIT */
/* Sorts samples by thread, gives their call stacks IDs, and writes SAMPLES blocks. */
#include "recorder/samples_drain.h"

#include "recorder/messages.h"
#include "recorder/salvage_commit.h"

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
	for (sample_record *sample = samples; sample != NULL; sample = sample->next)
		sample->stack = stacks_intern(&drain->stacks, &drain->stacks.sample_memory, sample->frames,
					      sample->count, sample->counter);
	stacks_write(&drain->stacks);
}

static void write_samples_of_thread(recorder_drain *drain, uint64_t thread, mprof_event *events, size_t count)
{
	recorder_output *output = drain->output;

	output_convert_counters(output, events, count);
	if (output_is_writing(output))
		output_note_status(
			output, mprof_writer_write_samples(output->writer, thread, events[0].counter, events, count));
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

/*
 * Writes the samples of one thread, and returns the first of the next thread. Samples without a stack ID are counted as
 * lost.
 */
static const sample_record *write_thread(recorder_drain *drain, const sample_record *sample)
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
			write_samples_of_thread(drain, thread, events, count);
			count = 0;
		}
		if (sample->counter > drain->latest_counter)
			drain->latest_counter = sample->counter;
		events[count++] = (mprof_event){
			.kind = MPROF_EVENT_SAMPLE,
			.counter = sample->counter,
			.value = sample->stack,
		};
	}
	if (count > 0)
		write_samples_of_thread(drain, thread, events, count);
	if (lost > 0)
		output_count_lost(drain->output, reason_for_no_stack(drain->output), lost);
	return sample;
}

void samples_drain(recorder_drain *drain)
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
	for (const sample_record *sample = sorted; sample != NULL;)
		sample = write_thread(drain, sample);
	drain->progress.samples_done++;
	salvage_commit(drain);
	sample_store_release(&drain->shared->samples, sorted);
}
