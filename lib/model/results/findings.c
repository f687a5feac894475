/* SPDX-License-Identifier: MIT */
/* What stands out in a profile: the rules, one function for each matter. Those about frames are in finding_frames.c. */
#include "base/allocator.h"
#include "base/caller_structs.h"
#include "model/records/meanings.h"
#include "model/results/finding_frames.h"
#include "model/results/finding_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)
#define MEGABYTE UINT64_C(1000000)

/* Gets a row of a table into a struct; 0 after the last one. */
#define NEXT_ROW(source, table, index, row) (mprof_profile_get_row((source)->profile, table, index, row) == MPROF_OK)

static size_t count_rows(const finding_source *source, uint32_t table)
{
	return mprof_profile_get_row_count(source->profile, table);
}

static uint64_t at_least(uint64_t severity, uint64_t least)
{
	return severity > least ? severity : least;
}

static uint64_t at_most(uint64_t severity, uint64_t most)
{
	return severity < most ? severity : most;
}

/* The number of events in a second of the run; 0 if its time is not known. */
static uint64_t per_second(const finding_source *source, uint64_t count)
{
	return finding_scaled(count, source->totals.wall_ns, (double)SECOND);
}

/* Writes ", NUMBER per second"; "" if the time of the run is not known. */
static char *describe_rate(const finding_source *source, const char *number, char text[FINDING_NUMBER_SIZE + 16])
{
	if (source->totals.wall_ns == 0)
		text[0] = '\0';
	else
		snprintf(text, FINDING_NUMBER_SIZE + 16, ", %s per second", number);
	return text;
}

/* Writes " (SHARE of the run)"; "" if the time of the run is not known. */
static char *describe_part_of_run(const finding_source *source, uint64_t part, char text[FINDING_NUMBER_SIZE + 16])
{
	char share[FINDING_NUMBER_SIZE];

	if (source->totals.wall_ns == 0)
		text[0] = '\0';
	else
		snprintf(text, FINDING_NUMBER_SIZE + 16, " (%s of the run)",
			 finding_share(share, part, source->totals.wall_ns));
	return text;
}

/*
 * Call sites.
 */

/*
 * Writes the name of a frame of a call stack: of native code, that of the innermost function that is inlined there, as
 * far as the caller of the library has it, unless that is of the runtime.
 */
static void name_frame(const finding_source *source, const mprof_stack_frame *frame, char text[FINDING_NAME_SIZE])
{
	mprof_record record;

	if (!frame->is_native) {
		finding_name(source, MPROF_SAMPLE_METHOD, frame->id, text);
		return;
	}
	if (source->options.name != NULL) {
		finding_name(source, MPROF_SAMPLE_LOCATION, frame->id, text);
		if (text[0] != '\0' && !finding_is_of_runtime(text))
			return;
	}
	if (mprof_reader_lookup_record(source->reader, MPROF_RECORD_LOCATION, frame->id, &record, sizeof(record)) ==
		    MPROF_OK &&
	    record.as.location.function != 0)
		finding_name(source, MPROF_SAMPLE_FUNCTION, record.as.location.function, text);
	else
		finding_name(source, MPROF_SAMPLE_LOCATION, frame->id, text);
}

/* Writes the innermost frame of a call stack that is not of the runtime; without one, the innermost. */
static int name_stack(const finding_source *source, uint32_t stack, char text[FINDING_NAME_SIZE])
{
	enum { MAX_DEPTH = 64 };
	char name[FINDING_NAME_SIZE];
	mprof_stack_frame frame;
	int has_name = 0;

	for (int depth = 0; stack != 0 && depth < MAX_DEPTH; depth++) {
		if (mprof_reader_lookup_caller(source->reader, stack, &frame, sizeof(frame), &stack) != MPROF_OK)
			break;
		name_frame(source, &frame, name);
		if (!has_name || !finding_is_of_runtime(name))
			memcpy(text, name, sizeof(name));
		has_name = 1;
		if (!finding_is_of_runtime(name))
			break;
	}
	return has_name;
}

/* The same for a node of the call tree. */
static int name_call(const finding_source *source, uint32_t call, char text[FINDING_NAME_SIZE])
{
	mprof_call_stats node = {.struct_size = sizeof(node)};
	char name[FINDING_NAME_SIZE];
	int has_name = 0;

	while (call != MPROF_CALL_ROOT && NEXT_ROW(source, MPROF_TABLE_CALLS, call, &node)) {
		finding_name(source, MPROF_SAMPLE_METHOD, node.method, name);
		if (!has_name || !finding_is_of_runtime(name))
			memcpy(text, name, sizeof(name));
		has_name = 1;
		if (!finding_is_of_runtime(name))
			break;
		call = node.parent;
	}
	return has_name;
}

/* Writes "WORDS NAME" for a call site; "" if it is not known. */
static void describe_site(const finding_source *source, const char *words, uint32_t stack, uint32_t call, char *text,
			  size_t size)
{
	char name[FINDING_NAME_SIZE];

	text[0] = '\0';
	if (name_stack(source, stack, name) || name_call(source, call, name))
		snprintf(text, size, "%s %s", words, name);
}

/*
 * What the figures are worth.
 */

static void find_losses(finding_source *source)
{
	const uint64_t lost = source->totals.lost_events;
	char count[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];

	if (lost == 0)
		return;
	finding_add(source, "loss", "totals", 50 + finding_percent(lost, lost + source->totals.events) / 2, "check",
		    "%s events (%s) were lost: the figures below lack them.", finding_count(count, lost),
		    finding_share(share, lost, lost + source->totals.events));
}

static void find_few_samples(finding_source *source)
{
	enum { FEW = 100, VERY_FEW = 20 };
	const uint64_t samples = source->totals.samples;
	uint64_t error = 100;
	char count[FINDING_NUMBER_SIZE];

	if (samples == 0 || samples >= FEW)
		return;
	/* Two standard errors of a share of one half: 1 / sqrt(samples). */
	while (error > 1 && (error - 1) * (error - 1) * samples >= 10000)
		error--;
	/* The answer comes first, unless so few samples hardly are one. */
	finding_add(source, "sampling", "samples", samples < VERY_FEW ? 35 : 12, "report --sections=samples",
		    "There %s only %s sample%s, so a share of 50 %% may be off by %" PRIu64
		    " points: record for longer, or with --sample=1000.",
		    samples == 1 ? "is" : "are", finding_count(count, samples), samples == 1 ? "" : "s", error);
}

static void find_cut_stacks(finding_source *source)
{
	mprof_sample_node node = {.struct_size = sizeof(node)};
	char share[FINDING_NUMBER_SIZE];
	uint64_t cut = 0;

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_SAMPLE_NODES, i, &node); i++) {
		if (node.kind == MPROF_SAMPLE_TRUNCATED)
			cut += node.total;
	}
	if (finding_percent(cut, source->totals.samples) >= 5)
		finding_add(source, "sampling", "sample-tree", finding_percent(cut, source->totals.samples) / 2,
			    "report --sections=sample-tree",
			    "The call stacks of %s of the samples are cut: who called is not known for them.",
			    finding_share(share, cut, source->totals.samples));
}

/*
 * Waiting.
 */

/* What threads did together, as far as the log has their times. */
typedef struct thread_times {
	size_t threads;
	size_t unknown; /* Threads that did something, without times. */
	uint64_t longest_ns;
	uint64_t cpu_ns;
	uint64_t ready_ns;
} thread_times;

static thread_times sum_thread_times(const finding_source *source)
{
	mprof_thread_stats row = {.struct_size = sizeof(row)};
	thread_times sum = {0};

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_THREADS, i, &row); i++) {
		if (row.kind != MPROF_TIMELINE_THREAD)
			continue;
		sum.threads += row.wall_ns > 0;
		sum.unknown += row.wall_ns == 0 && row.events + row.samples > 0;
		sum.longest_ns = at_least(sum.longest_ns, row.wall_ns);
		sum.cpu_ns += row.cpu_ns;
		sum.ready_ns += row.ready_ns;
	}
	return sum;
}

/* Whether all that the log has of its threads is in their times, and these are of the whole run. */
static int times_cover_run(const finding_source *source, const thread_times *times)
{
	enum { NEARLY_ALL = 90 };

	return times->unknown == 0 && finding_percent(times->longest_ns, source->totals.wall_ns) >= NEARLY_ALL;
}

/* The number of samples that show what threads wait for. */
static uint64_t count_waiting_samples(const finding_source *source)
{
	mprof_sample_node node = {.struct_size = sizeof(node)};
	uint64_t count = 0;

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_SAMPLE_NODES, i, &node); i++) {
		if (node.wait != MPROF_WAIT_NONE || node.kind == MPROF_SAMPLE_IDLE)
			count += node.self;
	}
	return count;
}

/* The row of the thread that ran longest; its time is 0 if there is none. */
static mprof_thread_stats find_busiest_thread(const finding_source *source)
{
	mprof_thread_stats row = {.struct_size = sizeof(row)};
	mprof_thread_stats busiest = {.struct_size = sizeof(busiest)};

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_THREADS, i, &row); i++) {
		if (row.kind == MPROF_TIMELINE_THREAD && row.cpu_ns > busiest.cpu_ns)
			busiest = row;
	}
	return busiest;
}

/*
 * Samples by processor time do not show that the thread that does the work also waits. A system that does not measure
 * how long threads are ready states 0: then it is not known whether a thread waited.
 */
static int has_hidden_waits(const finding_source *source, const mprof_thread_stats *thread, uint64_t *waited)
{
	/* Samples by processor time, too, hit threads that begin to wait. */
	enum { MIN_SHARE = 15, FEW = 20 };
	const uint64_t active = thread->cpu_ns + thread->ready_ns;

	*waited = thread->wall_ns > active ? thread->wall_ns - active : 0;
	return source->totals.samples > 0 && source->totals.jit_methods > 0 && thread->ready_ns > 0 &&
	       finding_percent(count_waiting_samples(source), source->totals.samples) < FEW &&
	       finding_percent(*waited, source->totals.wall_ns) >= MIN_SHARE;
}

static void find_waiting_thread(finding_source *source)
{
	enum { MAX_SEVERITY = 45 };
	const mprof_thread_stats thread = find_busiest_thread(source);
	uint64_t waited;
	char duration[FINDING_NUMBER_SIZE];
	char part[FINDING_NUMBER_SIZE + 16];
	char name[FINDING_WORDS_SIZE];

	if (!has_hidden_waits(source, &thread, &waited))
		return;
	finding_add(source, "wait", "threads", at_most(finding_percent(waited, source->totals.wall_ns), MAX_SEVERITY),
		    "report --sections=threads",
		    "Thread %s, which ran longest, waited for %s%s; record --sample-real shows where.",
		    finding_words(name, thread.name != NULL ? thread.name : "(without a name)"),
		    finding_duration(duration, waited), describe_part_of_run(source, waited, part));
}

/* A thread that is ready waits for a processor: because of the machine, not of the program. */
static void find_idle_threads(finding_source *source)
{
	const thread_times times = sum_thread_times(source);
	const mprof_thread_stats busiest = find_busiest_thread(source);
	const uint64_t wall = source->totals.wall_ns;
	const uint64_t active = finding_percent(times.cpu_ns + times.ready_ns, wall);
	uint64_t waited;
	char used[FINDING_NUMBER_SIZE];
	char ready[FINDING_NUMBER_SIZE];
	char whole[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char clause[2 * FINDING_NUMBER_SIZE] = "";
	const char *words;

	if (!times_cover_run(source, &times))
		return;
	if (finding_percent(times.ready_ns, wall) >= 20)
		finding_add(source, "processor", "threads", at_most(finding_percent(times.ready_ns, wall) / 2, 20),
			    "report --sections=threads",
			    "Threads that were ready to run waited %s in all for a processor, in a run of %s: the "
			    "machine was busy, so times are too long.",
			    finding_duration(ready, times.ready_ns), finding_duration(whole, wall));
	/* Another finding states it of the thread that does the work, and which samples show more. */
	if (active >= 50 || has_hidden_waits(source, &busiest, &waited))
		return;
	words = count_waiting_samples(source) > 0 ? "report --sections=threads,sample-waits"
						  : "report --sections=threads";
	/* A system that does not measure it states 0. */
	if (times.ready_ns > 0)
		snprintf(clause, sizeof(clause), " and %s ready to run for %s", times.threads == 1 ? "was" : "were",
			 finding_duration(ready, times.ready_ns));
	if (times.threads == 1)
		finding_add(source, "wait", "threads", 80 - active, words,
			    "The thread of the log ran for %s of %s (%s)%s: for most of the time, it waited.",
			    finding_duration(used, times.cpu_ns), finding_duration(whole, wall),
			    finding_share(share, times.cpu_ns, wall), clause);
	else
		finding_add(source, "wait", "threads", 80 - active, words,
			    "The %s threads of the log together ran for %s of %s (%s)%s: for most of the time, all of "
			    "them waited.",
			    finding_count(count, times.threads), finding_duration(used, times.cpu_ns),
			    finding_duration(whole, wall), finding_share(share, times.cpu_ns, wall), clause);
}

/* The thread that held monitors longest while others waited. */
static void describe_holder(const finding_source *source, uint32_t class_id, char *text, size_t size)
{
	mprof_monitor_holder holder = {.struct_size = sizeof(holder)};
	mprof_monitor_holder longest = {.struct_size = sizeof(longest)};
	mprof_thread_stats thread = {.struct_size = sizeof(thread)};
	char duration[FINDING_NUMBER_SIZE];
	char name[FINDING_WORDS_SIZE];

	text[0] = '\0';
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MONITOR_HOLDERS, i, &holder); i++) {
		if (holder.class_id == class_id && holder.contended_ns > longest.contended_ns)
			longest = holder;
	}
	if (longest.contended_ns == 0)
		return;
	finding_duration(duration, longest.contended_ns);
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_THREADS, i, &thread); i++) {
		if (thread.id == longest.thread && thread.name != NULL) {
			snprintf(text, size, ", %s of it while thread %s held one", duration,
				 finding_words(name, thread.name));
			return;
		}
	}
	snprintf(text, size, ", %s of it while thread 0x%" PRIx64 " held one", duration, longest.thread);
}

static void find_contention(finding_source *source)
{
	mprof_monitor_stats row = {.struct_size = sizeof(row)};
	mprof_monitor_stats longest = {.struct_size = sizeof(longest)};
	mprof_monitor_site site = {.struct_size = sizeof(site)};
	mprof_monitor_site worst = {.struct_size = sizeof(worst)};
	char name[FINDING_NAME_SIZE];
	char duration[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char holder[FINDING_NAME_SIZE + 64];
	char site_text[FINDING_NAME_SIZE + 64];

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MONITORS, i, &row); i++) {
		if (longest.contentions == 0 || row.contended_ns > longest.contended_ns)
			longest = row;
	}
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MONITOR_SITES, i, &site); i++) {
		if (site.class_id == longest.class_id && site.contended_ns > worst.contended_ns)
			worst = site;
	}
	if (longest.contentions + longest.unfinished == 0)
		return;
	describe_holder(source, longest.class_id, holder, sizeof(holder));
	describe_site(source, ", the largest part in", worst.stack, worst.call, site_text, sizeof(site_text));
	finding_add(source, "contention", "locks",
		    at_least(finding_percent(source->totals.contended_ns, source->totals.wall_ns),
			     longest.unfinished > 0 ? 40 : 6),
		    "report --sections=locks", "Threads waited %s for monitors of %s (%s times)%s%s.",
		    finding_duration(duration, longest.contended_ns),
		    finding_name(source, MPROF_SAMPLE_CLASS, longest.class_id, name),
		    finding_count(count, longest.contentions), site_text, holder);
}

/*
 * Memory.
 */

static void find_allocations(finding_source *source)
{
	mprof_class_stats row = {.struct_size = sizeof(row)};
	mprof_class_stats most = {.struct_size = sizeof(most)};
	mprof_allocation_site site = {.struct_size = sizeof(site)};
	mprof_allocation_site worst = {.struct_size = sizeof(worst)};
	const uint64_t rate = per_second(source, source->totals.allocated_bytes);
	const char *about = source->totals.allocation_samples > 0 ? "about " : "";
	char bytes[FINDING_NUMBER_SIZE];
	char rate_text[FINDING_NUMBER_SIZE + 16];
	char each_second[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	char site_text[FINDING_NAME_SIZE + 64];

	if (source->totals.allocated_bytes == 0)
		return;
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_CLASSES, i, &row); i++) {
		if (row.bytes > most.bytes)
			most = row;
	}
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_ALLOCATION_SITES, i, &site); i++) {
		if (site.class_id == most.id && site.bytes > worst.bytes)
			worst = site;
	}
	describe_site(source, ", the largest part in", worst.stack, worst.call, site_text, sizeof(site_text));
	if (site_text[0] == '\0' && worst.caller != 0) {
		char caller[FINDING_NAME_SIZE];

		snprintf(site_text, sizeof(site_text), ", the largest part in %s",
			 finding_name(source, MPROF_SAMPLE_METHOD, worst.caller, caller));
	}
	finding_add(source, "allocation", "allocations", at_most(at_least(rate / (10 * MEGABYTE), 6), 60),
		    "report --sections=allocations,allocation-sites",
		    "Objects of %s%s were allocated%s; %s%s of the bytes are %s%s.", about,
		    finding_bytes(bytes, source->totals.allocated_bytes),
		    describe_rate(source, finding_bytes(each_second, rate), rate_text), about,
		    finding_share(share, most.bytes, source->totals.allocated_bytes),
		    finding_name(source, MPROF_SAMPLE_CLASS, most.id, name), site_text);
}

/* A class of which a snapshot has much, and what the first snapshot has of it. */
typedef struct class_growth {
	uint32_t class_id;
	uint64_t bytes;
	uint64_t before;
} class_growth;

/* The classes with the most bytes of a snapshot: what grew most is among them unless very many grew. */
enum { MAX_CLASSES = 64 };

/* Lists them with the most bytes first. Returns their number. */
static size_t list_largest(const finding_source *source, size_t shot, class_growth largest[MAX_CLASSES])
{
	mprof_heap_shot_class row = {.struct_size = sizeof(row)};
	size_t count = 0;

	for (size_t i = 0; mprof_profile_get_heap_shot_class(source->profile, shot, i, &row) == MPROF_OK; i++) {
		size_t to = count;

		if (count == MAX_CLASSES && row.bytes <= largest[count - 1].bytes)
			continue;
		if (count < MAX_CLASSES)
			count++;
		else
			to--;
		for (; to > 0 && largest[to - 1].bytes < row.bytes; to--)
			largest[to] = largest[to - 1];
		largest[to] = (class_growth){.class_id = row.class_id, .bytes = row.bytes};
	}
	return count;
}

/* The one that grew most since the first snapshot; NULL if none did. */
static const class_growth *find_grown_class(const finding_source *source, class_growth *largest, size_t count)
{
	mprof_heap_shot_class row = {.struct_size = sizeof(row)};
	const class_growth *grown = NULL;
	uint64_t most = 0;

	for (size_t i = 0; mprof_profile_get_heap_shot_class(source->profile, 0, i, &row) == MPROF_OK; i++) {
		for (size_t k = 0; k < count; k++) {
			if (largest[k].class_id == row.class_id)
				largest[k].before = row.bytes;
		}
	}
	for (size_t k = 0; k < count; k++) {
		if (largest[k].bytes > largest[k].before && largest[k].bytes - largest[k].before > most) {
			most = largest[k].bytes - largest[k].before;
			grown = &largest[k];
		}
	}
	return grown;
}

/* Writes "; BYTES more are held by ROOT -> STEP"; "" if that is not known. */
static char *describe_heap_holder(const finding_source *source, char text[FINDING_HOLDER_SIZE])
{
	enum { WORDS_SIZE = 40 };
	const mprof_finding_list_options *options = &source->options;
	char path[FINDING_HOLDER_SIZE - FINDING_NUMBER_SIZE - WORDS_SIZE] = "";
	char printable[sizeof(path)];
	char bytes[FINDING_NUMBER_SIZE];
	uint64_t growth;

	text[0] = '\0';
	if (options->holder == NULL)
		return text;
	growth = options->holder(options->user, path, sizeof(path));
	path[sizeof(path) - 1] = '\0';
	if (path[0] != '\0')
		snprintf(text, FINDING_HOLDER_SIZE, "; %s more are held by %s", finding_bytes(bytes, growth),
			 finding_printable(printable, sizeof(printable), path));
	return text;
}

static void add_heap_growth(finding_source *source, const mprof_heap_shot *first, const mprof_heap_shot *last,
			    size_t shots, const class_growth *grown)
{
	const uint64_t growth = last->bytes > first->bytes ? last->bytes - first->bytes : 0;
	char from[FINDING_NUMBER_SIZE];
	char to[FINDING_NUMBER_SIZE];
	char more[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	char holder[FINDING_HOLDER_SIZE];

	if (growth == 0 || grown == NULL)
		return;
	finding_add(source, "heap-growth", "heap",
		    at_least(40 + finding_percent(growth, last->bytes) / 2, finding_percent(growth, last->bytes)),
		    "heap --leaks", "The heap grew from %s to %s in %s snapshots; objects of %s hold %s more%s.",
		    finding_bytes(from, first->bytes), finding_bytes(to, last->bytes), finding_count(count, shots),
		    finding_name(source, MPROF_SAMPLE_CLASS, grown->class_id, name),
		    finding_bytes(more, grown->bytes - grown->before), describe_heap_holder(source, holder));
}

/*
 * Whether snapshots can be compared: all are of one process, and neither the first nor the last one lacks objects. The
 * bytes of objects that are no memory of the program are no growth.
 */
static int are_comparable(const finding_source *source, size_t shots)
{
	mprof_heap_shot shot = {.struct_size = sizeof(shot)};
	uint64_t process = 0;

	for (size_t i = 0; i < shots; i++) {
		if (!NEXT_ROW(source, MPROF_TABLE_HEAP_SHOTS, i, &shot))
			return 0;
		if (i == 0)
			process = shot.process;
		if (shot.process != process ||
		    ((i == 0 || i == shots - 1) && (shot.incomplete || shot.synthetic_objects > 0)))
			return 0;
	}
	return shots > 1;
}

static void add_last_snapshot(finding_source *source, const mprof_heap_shot *last, const class_growth *largest)
{
	char bytes[FINDING_NUMBER_SIZE];
	char objects[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	const char *incomplete = last->incomplete ? ", which is incomplete," : "";

	finding_count(objects, last->objects);
	/* Their bytes are in the sum, but which class they belong to is not known. */
	if (last->synthetic_objects > 0)
		finding_add(source, "heap", "heap", 10, "heap", "The last heap snapshot%s has %s object%s.", incomplete,
			    objects, last->objects == 1 ? "" : "s");
	else
		finding_add(source, "heap", "heap", 10, "heap",
			    "The last heap snapshot%s has %s in %s object%s; %s of the bytes are %s.", incomplete,
			    finding_bytes(bytes, last->bytes), objects, last->objects == 1 ? "" : "s",
			    finding_share(share, largest->bytes, last->bytes),
			    finding_name(source, MPROF_SAMPLE_CLASS, largest->class_id, name));
}

static void find_heap(finding_source *source)
{
	const size_t shots = count_rows(source, MPROF_TABLE_HEAP_SHOTS);
	mprof_heap_shot first = {.struct_size = sizeof(first)};
	mprof_heap_shot last = {.struct_size = sizeof(last)};
	class_growth largest[MAX_CLASSES];
	size_t count;

	if (shots == 0 || !NEXT_ROW(source, MPROF_TABLE_HEAP_SHOTS, 0, &first) ||
	    !NEXT_ROW(source, MPROF_TABLE_HEAP_SHOTS, shots - 1, &last))
		return;
	count = list_largest(source, shots - 1, largest);
	if (count == 0)
		return;
	if (are_comparable(source, shots))
		add_heap_growth(source, &first, &last, shots, find_grown_class(source, largest, count));
	add_last_snapshot(source, &last, &largest[0]);
}

/*
 * Growth without snapshots.
 */

/* Sizes of the heap after full collections: each is the smallest size until the next one. */
typedef struct heap_sizes {
	uint64_t first;
	uint64_t middle;
	uint64_t last;
	size_t count;
	size_t increases;
} heap_sizes;

static uint32_t oldest_generation(const finding_source *source)
{
	mprof_collection row = {.struct_size = sizeof(row)};
	uint32_t oldest = 0;

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_COLLECTIONS, i, &row); i++)
		oldest = row.generation > oldest ? row.generation : oldest;
	return oldest;
}

/* The smallest size from one time to another, 0 if there is none. \p next: the first row to look at; it is moved on. */
static uint64_t least_size(const finding_source *source, int64_t from, int64_t to, size_t *next)
{
	mprof_heap_resize row = {.struct_size = sizeof(row)};
	uint64_t least = 0;

	for (; NEXT_ROW(source, MPROF_TABLE_HEAP_RESIZES, *next, &row) && row.time_ns < to; ++*next) {
		if (row.time_ns >= from && (least == 0 || row.bytes < least))
			least = row.bytes;
	}
	return least;
}

static void add_size(heap_sizes *sizes, uint64_t size, size_t middle)
{
	if (size == 0)
		return;
	sizes->increases += sizes->count > 0 && size > sizes->last;
	sizes->first = sizes->count == 0 ? size : sizes->first;
	sizes->middle = sizes->count <= middle ? size : sizes->middle;
	sizes->last = size;
	sizes->count++;
}

static heap_sizes sizes_after_collections(const finding_source *source)
{
	const uint32_t oldest = oldest_generation(source);
	mprof_collection row = {.struct_size = sizeof(row)};
	heap_sizes sizes = {0};
	int64_t start = 0;
	size_t full = 0;
	size_t next = 0;
	int has_start = 0;

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_COLLECTIONS, i, &row); i++)
		full += row.generation == oldest;
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_COLLECTIONS, i, &row); i++) {
		if (row.generation != oldest)
			continue;
		if (has_start)
			add_size(&sizes, least_size(source, start, row.start_ns, &next), full / 2);
		start = row.start_ns;
		has_start = 1;
	}
	if (has_start)
		add_size(&sizes, least_size(source, start, INT64_MAX, &next), full / 2);
	return sizes;
}

/* Collections of everything that leave more each time: something holds objects that are not needed any more. */
static void find_kept_memory(finding_source *source)
{
	enum { MIN_COUNT = 4, NEARLY_ALWAYS = 80, MIN_LATE_GROWTH = 20 };
	const heap_sizes sizes = sizes_after_collections(source);
	char from[FINDING_NUMBER_SIZE];
	char to[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];

	if (count_rows(source, MPROF_TABLE_HEAP_SHOTS) > 0 || sizes.count < MIN_COUNT || sizes.last < MEGABYTE ||
	    finding_percent(sizes.increases, sizes.count - 1) < NEARLY_ALWAYS || sizes.last / 2 < sizes.first ||
	    sizes.last < sizes.middle || finding_percent(sizes.last - sizes.middle, sizes.middle) < MIN_LATE_GROWTH)
		return;
	finding_add(source, "heap-growth", "collections",
		    at_most(30 + finding_percent(sizes.last - sizes.first, sizes.last) / 2, 75),
		    "report --sections=collections",
		    "The heap grew from %s to %s, and %s full collections did not bring it back: record --heap, then "
		    "mprof heap --leaks, shows what holds the objects.",
		    finding_bytes(from, sizes.first), finding_bytes(to, sizes.last), finding_count(count, sizes.count));
}

/* Writes "; SHARE of it was allocated by NAME" for the largest site; "" if its call stack is not known. */
static char *describe_memory_site(const finding_source *source, uint32_t stack, uint64_t part, uint64_t whole,
				  char *text, size_t size)
{
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];

	text[0] = '\0';
	if (part > 0 && name_stack(source, stack, name))
		snprintf(text, size, "; %s of that was allocated by %s", finding_share(share, part, whole), name);
	return text;
}

/* Adds what the program could not reach any more, or that it could reach all. */
static void add_searched_leak(finding_source *source, const mprof_memory_stats *memory)
{
	mprof_memory_site site = {.struct_size = sizeof(site)};
	mprof_memory_site worst = {.struct_size = sizeof(worst)};
	const uint64_t share_of_peak = finding_percent(memory->unreachable_bytes, memory->peak_bytes);
	char texts[4][FINDING_NUMBER_SIZE];
	char site_text[FINDING_NAME_SIZE + 64];

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MEMORY_SITES, i, &site); i++) {
		if (site.unreachable_bytes - site.indirect_bytes > worst.unreachable_bytes - worst.indirect_bytes &&
		    site.stack != 0)
			worst = site;
	}
	if (memory->unreachable == 0)
		finding_add(source, "native-leak", "memory", 8, "report --sections=memory",
			    "%s of native memory in %s block%s never freed; the program could still reach %s at its "
			    "end.",
			    finding_bytes(texts[0], memory->live_bytes), finding_count(texts[1], memory->live),
			    memory->live == 1 ? " was" : "s were",
			    memory->unsearched > 0 ? "what was searched" : "all");
	else
		finding_add(source, "native-leak", "memory",
			    memory->unreachable_bytes < MEGABYTE / 10 ? 30
								      : at_least(at_most(20 + share_of_peak, 90), 30),
			    "report --sections=memory",
			    "%s of native memory in %s block%s unreachable at the end, of %s in %s never freed%s.",
			    finding_bytes(texts[0], memory->unreachable_bytes),
			    finding_count(texts[1], memory->unreachable), memory->unreachable == 1 ? " was" : "s were",
			    finding_bytes(texts[2], memory->live_bytes), finding_count(texts[3], memory->live),
			    describe_memory_site(source, worst.stack, worst.unreachable_bytes,
						 memory->unreachable_bytes, site_text, sizeof(site_text)));
}

static void add_native_leak(finding_source *source, const mprof_memory_stats *memory)
{
	mprof_memory_site site = {.struct_size = sizeof(site)};
	mprof_memory_site worst = {.struct_size = sizeof(worst)};
	const uint64_t share_of_peak = finding_percent(memory->live_bytes, memory->peak_bytes);
	char bytes[FINDING_NUMBER_SIZE];
	char blocks[FINDING_NUMBER_SIZE];
	char site_text[FINDING_NAME_SIZE + 64];

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MEMORY_SITES, i, &site); i++) {
		if (site.live_bytes > worst.live_bytes && site.stack != 0)
			worst = site;
	}
	if (memory->live_bytes == 0)
		return;
	if (memory->is_searched) {
		add_searched_leak(source, memory);
		return;
	}
	finding_add(source, "native-leak", "memory",
		    memory->live_bytes < MEGABYTE / 10 ? 8 : at_least(at_most(20 + share_of_peak, 90), 30),
		    "report --sections=memory", "%s%s of native memory in %s block%s never freed%s.",
		    memory->is_estimate ? "About " : "", finding_bytes(bytes, memory->live_bytes),
		    finding_count(blocks, memory->live), memory->live == 1 ? " was" : "s were",
		    describe_memory_site(source, worst.stack, worst.live_bytes, memory->live_bytes, site_text,
					 sizeof(site_text)));
}

static void find_native_memory(finding_source *source)
{
	mprof_memory_stats memory = {.struct_size = sizeof(memory)};
	mprof_memory_site site = {.struct_size = sizeof(site)};
	mprof_memory_site worst = {.struct_size = sizeof(worst)};
	char bytes[FINDING_NUMBER_SIZE];
	char blocks[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char site_text[FINDING_NAME_SIZE + 64];

	if (!NEXT_ROW(source, MPROF_TABLE_MEMORY, 0, &memory) || memory.allocations == 0)
		return;
	add_native_leak(source, &memory);
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_MEMORY_SITES, i, &site); i++) {
		if (site.peak_bytes > worst.peak_bytes && site.stack != 0)
			worst = site;
	}
	finding_add(source, "native-memory", "memory", 9, "report --sections=memory", "Native memory reached %s%s%s.",
		    memory.is_peak_estimate ? "about " : "", finding_bytes(bytes, memory.peak_bytes),
		    describe_memory_site(source, worst.stack, worst.peak_bytes, memory.peak_bytes, site_text,
					 sizeof(site_text)));
	if (memory.allocations >= 10000 && finding_percent(memory.temporaries, memory.allocations) >= 30)
		finding_add(source, "allocation", "memory",
			    at_most(finding_percent(memory.temporaries, memory.allocations) / 3, 30),
			    "report --sections=memory",
			    "%s%s of %s blocks of native memory were freed by their thread before it allocated again.",
			    memory.is_peak_estimate ? "About " : "",
			    finding_share(share, memory.temporaries, memory.allocations),
			    finding_count(blocks, memory.allocations));
}

/*
 * Pauses.
 */

/* What collections took together: pauses of those that have one, or the durations of all if none has. */
typedef struct collection_sum {
	uint64_t total_ns;
	uint64_t longest_ns;
	int64_t longest_start_ns;
	uint32_t generation;
	size_t count;
} collection_sum;

static collection_sum sum_collections(const finding_source *source, int with_pauses)
{
	mprof_collection row = {.struct_size = sizeof(row)};
	collection_sum sum = {0};

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_COLLECTIONS, i, &row); i++) {
		const uint64_t time = with_pauses ? row.pause_ns : row.duration_ns;

		if (with_pauses && !row.has_pause)
			continue;
		sum.count++;
		sum.total_ns += time;
		if (time >= sum.longest_ns) {
			sum.longest_ns = time;
			sum.longest_start_ns = row.start_ns;
			sum.generation = row.generation;
		}
	}
	return sum;
}

static void find_collections(finding_source *source)
{
	collection_sum sum = sum_collections(source, 1);
	const int has_pauses = sum.count > 0;
	uint64_t by_length;
	char duration[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char longest[FINDING_NUMBER_SIZE];
	char part[FINDING_NUMBER_SIZE + 16];
	char start[FINDING_NUMBER_SIZE];

	if (!has_pauses)
		sum = sum_collections(source, 0);
	if (sum.count == 0)
		return;
	by_length = sum.longest_ns >= 100 * MILLISECOND ? 45 : sum.longest_ns >= 20 * MILLISECOND ? 25 : 5;
	finding_add(source, has_pauses ? "pause" : "collection", "collections",
		    at_least(finding_percent(sum.total_ns, source->totals.wall_ns), by_length),
		    has_pauses ? "report --pauses" : "report --sections=collections",
		    "%s collection%s %s %s%s, %s at most: generation %" PRIu32 ", at %s.",
		    finding_count(count, sum.count), sum.count == 1 ? "" : "s",
		    has_pauses ? "stopped the program for" : "took", finding_duration(duration, sum.total_ns),
		    describe_part_of_run(source, sum.total_ns, part), finding_duration(longest, sum.longest_ns),
		    sum.generation,
		    finding_duration(start, sum.longest_start_ns > 0 ? (uint64_t)sum.longest_start_ns : 0));
}

/*
 * Exceptions, compilation and spans.
 */

static void find_exceptions(finding_source *source)
{
	mprof_class_stats row = {.struct_size = sizeof(row)};
	mprof_class_stats most = {.struct_size = sizeof(most)};
	mprof_exception_site site = {.struct_size = sizeof(site)};
	mprof_exception_site worst = {.struct_size = sizeof(worst)};
	const uint64_t rate = per_second(source, source->totals.exceptions);
	char rate_text[FINDING_NUMBER_SIZE + 16];
	char count[FINDING_NUMBER_SIZE];
	char each_second[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];
	char site_text[FINDING_NAME_SIZE + 64];

	if (source->totals.exceptions == 0)
		return;
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_CLASSES, i, &row); i++) {
		if (row.exceptions > most.exceptions)
			most = row;
	}
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_EXCEPTION_SITES, i, &site); i++) {
		if (site.class_id == most.id && site.exceptions > worst.exceptions)
			worst = site;
	}
	describe_site(source, ", the largest part in", worst.stack, worst.call, site_text, sizeof(site_text));
	finding_add(source, "exception", "exceptions", rate < 10 ? 2 : at_most(at_least(rate / 200, 6), 70),
		    "report --sections=exceptions", "%s exception%s thrown%s; %s of them are %s%s%s.",
		    finding_count(count, source->totals.exceptions), source->totals.exceptions == 1 ? " was" : "s were",
		    describe_rate(source, finding_count(each_second, rate), rate_text),
		    finding_share(share, most.exceptions, source->totals.exceptions),
		    finding_name(source, MPROF_SAMPLE_CLASS, most.id, name), site_text,
		    site_text[0] == '\0' ? "; record --exceptions=stack shows where" : "");
}

static void find_compilation(finding_source *source)
{
	mprof_method_stats row = {.struct_size = sizeof(row)};
	mprof_method_stats longest = {.struct_size = sizeof(longest)};
	const uint64_t share_of_run = finding_percent(source->totals.jit_ns, source->totals.wall_ns);
	char duration[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char most[FINDING_NUMBER_SIZE];
	char name[FINDING_NAME_SIZE];

	if (share_of_run < 3)
		return;
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_METHODS, i, &row); i++) {
		if (row.jit_ns > longest.jit_ns)
			longest = row;
	}
	finding_add(source, "compile", "compilation", share_of_run, "report --sections=compilation",
		    "Compiling %s methods took %s (%s of the run), of that %s for %s.",
		    finding_count(count, source->totals.jit_methods), finding_duration(duration, source->totals.jit_ns),
		    finding_share(share, source->totals.jit_ns, source->totals.wall_ns),
		    finding_duration(most, longest.jit_ns),
		    finding_name(source, MPROF_SAMPLE_METHOD, longest.id, name));
}

static void add_span(finding_source *source, const mprof_event_type_stats *span)
{
	char count[FINDING_NUMBER_SIZE];
	char median[FINDING_NUMBER_SIZE];
	char slow[FINDING_NUMBER_SIZE];
	char longest[FINDING_NUMBER_SIZE];
	char name[FINDING_WORDS_SIZE];

	finding_add(source, "span", "spans",
		    at_most(at_least(finding_percent(span->total_ns, source->totals.wall_ns), 12), 70),
		    "report --sections=spans",
		    "%s: %s span%s, half of them take up to %s, 99 %% up to %s, the longest %s.",
		    finding_words(name, span->name), finding_count(count, span->spans), span->spans == 1 ? "" : "s",
		    finding_duration(median, span->p50_ns), finding_duration(slow, span->p99_ns),
		    finding_duration(longest, span->max_ns));
}

/* Writes "; NAME has DURATION, NAME DURATION: ..." for those that methods await longest after the first one. */
static void describe_other_awaits(const finding_source *source, const mprof_wait_stats *most, char *text, size_t size)
{
	enum { OTHERS = 2, MIN_SHARE = 10 };
	uint64_t bound = most->total_ns;
	char duration[FINDING_NUMBER_SIZE];
	char name[FINDING_WORDS_SIZE];
	size_t length = 0;

	text[0] = '\0';
	for (int i = 0; i < OTHERS; i++) {
		mprof_wait_stats row = {.struct_size = sizeof(row)};
		mprof_wait_stats next = {.struct_size = sizeof(next)};

		for (size_t k = 0; NEXT_ROW(source, MPROF_TABLE_WAITS, k, &row); k++) {
			if (!row.is_rest && strcmp(row.kind, most->kind) == 0 && row.total_ns < bound &&
			    row.total_ns > next.total_ns)
				next = row;
		}
		if (finding_percent(next.total_ns, most->total_ns) < MIN_SHARE)
			break;
		length += (size_t)snprintf(text + length, size - length, "%s %s %s%s", i == 0 ? "; then" : ",",
					   finding_words(name, next.name), i == 0 ? "with " : "",
					   finding_duration(duration, next.total_ns));
		bound = next.total_ns;
	}
	if (length > 0)
		snprintf(text + length, size - length, ". Of methods that await each other, look at the innermost");
}

/* The methods of an async method are those of its builder, which the compiler makes it call. */
static void find_async_methods(finding_source *source)
{
	mprof_method_stats row = {.struct_size = sizeof(row)};
	char name[4 * FINDING_NAME_SIZE];

	if (count_rows(source, MPROF_TABLE_WAITS) > 0)
		return;
	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_METHODS, i, &row); i++) {
		name[0] = '\0';
		mprof_reader_format_method(source->reader, row.id, name, sizeof(name));
		if (strstr(name, "AsyncTaskMethodBuilder") == NULL && strstr(name, "AsyncVoidMethodBuilder") == NULL)
			continue;
		finding_add(source, "wait", "waits", 11, "report --sections=waits",
			    "The program has async methods, and the log lacks how long they wait: record --async shows "
			    "which await takes long.");
		return;
	}
}

static void find_waits(finding_source *source)
{
	mprof_wait_stats row = {.struct_size = sizeof(row)};
	mprof_wait_stats most = {.struct_size = sizeof(most)};
	char duration[FINDING_NUMBER_SIZE];
	char count[FINDING_NUMBER_SIZE];
	char median[FINDING_NUMBER_SIZE];
	char longest[FINDING_NUMBER_SIZE];
	char name[FINDING_WORDS_SIZE];
	char kind[FINDING_WORDS_SIZE];
	char others[4 * FINDING_WORDS_SIZE] = "";

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_WAITS, i, &row); i++) {
		if (!row.is_rest && row.total_ns > most.total_ns)
			most = row;
	}
	if (most.count == 0)
		return;
	if (strcmp(most.kind, "await") == 0)
		describe_other_awaits(source, &most, others, sizeof(others));
	finding_add(source, "wait", "waits",
		    at_most(at_least(finding_percent(most.total_ns, source->totals.wall_ns), 12), 70),
		    "report --sections=waits",
		    "%s%s%s: %s wait%s of %s in all, half of them of up to %s, the longest of %s%s.",
		    finding_words(kind, most.kind), most.kind[0] != '\0' && most.name[0] != '\0' ? ": " : "",
		    finding_words(name, most.name), finding_count(count, most.count), most.count == 1 ? "" : "s",
		    finding_duration(duration, most.total_ns), finding_duration(median, most.p50_ns),
		    finding_duration(longest, most.max_ns), others);
}

static void find_spans(finding_source *source)
{
	mprof_event_type_stats row = {.struct_size = sizeof(row)};
	mprof_event_type_stats longest = {.struct_size = sizeof(longest)};
	mprof_event_type_stats failed = {.struct_size = sizeof(failed)};
	char count[FINDING_NUMBER_SIZE];
	char share[FINDING_NUMBER_SIZE];
	char name[FINDING_WORDS_SIZE];

	for (size_t i = 0; NEXT_ROW(source, MPROF_TABLE_EVENT_TYPES, i, &row); i++) {
		/* Waits have a table of their own. */
		if (row.name == NULL || meaning_of_type(source->reader, row.type) == MEANING_WAIT)
			continue;
		if (row.total_ns > longest.total_ns)
			longest = row;
		if (row.errors > failed.errors)
			failed = row;
	}
	if (longest.spans > 0)
		add_span(source, &longest);
	if (failed.errors > 0)
		finding_add(source, "span", "spans", at_most(15 + finding_percent(failed.errors, failed.count) / 2, 70),
			    "report --sections=spans", "%s failed %s times (%s of them).",
			    finding_words(name, failed.name), finding_count(count, failed.errors),
			    finding_share(share, failed.errors, failed.count));
}

/* What a log has if no rule applies. */
static void add_summary(finding_source *source)
{
	char events[FINDING_NUMBER_SIZE];
	char threads[FINDING_NUMBER_SIZE];
	char duration[FINDING_NUMBER_SIZE];

	finding_add(source, "summary", "totals", 1, "report --all",
		    "The log has %s events of %s threads in %s, and no calls, samples, allocations or waits.",
		    finding_count(events, source->totals.events),
		    finding_count(threads, count_rows(source, MPROF_TABLE_THREADS)),
		    finding_duration(duration, source->totals.wall_ns));
}

static mprof_status apply_rules(finding_source *source)
{
	static void (*const rules[])(finding_source *) = {
		find_losses,       find_few_samples,    find_cut_stacks,  find_contention,
		find_idle_threads, find_waiting_thread, find_kept_memory, find_async_methods,
		find_heap,         find_native_memory,  find_collections, find_exceptions,
		find_spans,        find_waits,          find_allocations, find_compilation,
	};
	const mprof_status status = finding_frames_find(source);

	if (status != MPROF_OK)
		return status;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		rules[i](source);
	if (source->list->count == 0)
		add_summary(source);
	return MPROF_OK;
}

/* How many findings a caller gets if it does not ask for a number. */
enum { DEFAULT_COUNT = 7 };

void mprof_finding_list_options_init(mprof_finding_list_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

mprof_status mprof_finding_list_create(const mprof_profile *profile, const mprof_reader *reader,
				       const mprof_finding_list_options *options, mprof_finding_list **list)
{
	finding_source source = {.profile = profile, .reader = reader};
	mprof_status status;

	if (list == NULL)
		return MPROF_ERR_ARGUMENT;
	*list = NULL;
	if (profile == NULL || reader == NULL ||
	    struct_copy_in(&source.options, options, sizeof(source.options)) != MPROF_OK ||
	    source.options.reserved != 0 || !allocator_init(&source.allocator, source.options.allocator))
		return MPROF_ERR_ARGUMENT;
	source.totals.struct_size = sizeof(source.totals);
	status = mprof_profile_get_row(profile, MPROF_TABLE_TOTALS, 0, &source.totals);
	if (status != MPROF_OK)
		return status;
	source.list = allocator_allocate_zeroed(&source.allocator, sizeof(*source.list));
	if (source.list == NULL)
		return MPROF_ERR_MEMORY;
	source.list->allocator = source.allocator;
	status = apply_rules(&source);
	if (status != MPROF_OK) {
		mprof_finding_list_destroy(source.list);
		return status;
	}
	finding_list_keep(source.list, source.options.max_count != 0 ? source.options.max_count : DEFAULT_COUNT);
	*list = source.list;
	return MPROF_OK;
}

void mprof_finding_list_destroy(mprof_finding_list *list)
{
	mprof_allocator allocator;

	if (list == NULL)
		return;
	allocator = list->allocator;
	allocator_release(&allocator, list, sizeof(*list));
}

size_t mprof_finding_list_get_count(const mprof_finding_list *list)
{
	return list != NULL ? list->count : 0;
}

mprof_status mprof_finding_list_get(const mprof_finding_list *list, size_t index, mprof_finding *found)
{
	mprof_finding copy = {.struct_size = sizeof(copy)};

	if (list == NULL || found == NULL || index >= list->count ||
	    found->struct_size < SIZE_UP_TO(mprof_finding, severity))
		return MPROF_ERR_ARGUMENT;
	copy.kind = list->items[index].kind;
	copy.text = list->items[index].text;
	copy.command = list->items[index].command;
	copy.section = list->items[index].section;
	copy.severity = list->items[index].severity;
	return struct_copy_out(found, &copy, sizeof(copy));
}
