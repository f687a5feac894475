/* SPDX-License-Identifier: MIT */
/*
 * Reads the owner of a monitor from the lock word of its object.
 *
 * The runtime has no function for that. The second word of an object is its lock word. Bits 0 and 1 are its state: 0
 * for a monitor that no thread has waited for, with the nesting depth - 1 in bits 2 to 9 and the owner above them;
 * with bit 1 set, the other bits are the address of a record whose first 32 bits have the owner in their low half,
 * followed by 32 bits of nesting depth. Bit 0 is set if the object has a hash code. An owner is the small number that
 * the runtime gives to a thread, 0 for none. A record is not freed while its object lives.
 *
 * Another runtime may do this differently. So nothing is read for the program before monitor_holders_check() has
 * locked, nested, inflated and unlocked a monitor whose owner is known, and has found the expected words at each step.
 */
#include "monitor_holders.h"

#include <mono/metadata/threads.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	WORD_HAS_HASH = 1,
	WORD_IS_INFLATED = 2,
	WORD_STATE_MASK = 3,
	WORD_NEST_SHIFT = 2,
	WORD_OWNER_SHIFT = 10,
	OWNER_MASK = 0xffff,
	/* The high half of the status is the number of waiting threads plus this. */
	NO_WAITING_THREADS = 0x7fff,
};

/** The start of the record of an inflated monitor. */
typedef struct monitor_record {
	uint32_t status;
	uint32_t nest;
} monitor_record;

/** The runtime's function that returns the small number of the calling thread; NULL if it is not exported. */
static int (*small_number_of_thread)(void);

/** Set after the check has succeeded. Relaxed: a thread may overlook that for one more event. */
static _Atomic int is_checked;

/**
 * IDs of the log by small number, 0 if there is no such thread. Each thread writes the element of its own number and
 * any thread reads it. Relaxed: nothing else is read because of the value. A number is reused after its thread has
 * ended, but a monitor that is held by a thread which is not removed yet has the number of that thread.
 */
static _Atomic uint64_t threads[OWNER_MASK + 1];

/* The number under which the calling thread is in the table, 0 if it is not. */
static __thread int current_number __attribute__((tls_model("initial-exec")));

void monitor_holders_begin(void)
{
	void *function = dlsym(RTLD_DEFAULT, "mono_thread_info_get_small_id");

	memcpy(&small_number_of_thread, &function, sizeof(function));
}

void monitor_holders_add_thread(uint64_t id)
{
	int number = small_number_of_thread != NULL ? small_number_of_thread() : 0;

	if (number <= 0 || number > OWNER_MASK)
		return;
	current_number = number;
	atomic_store_explicit(&threads[number], id, memory_order_relaxed);
}

void monitor_holders_remove_thread(void)
{
	if (current_number != 0)
		atomic_store_explicit(&threads[current_number], 0, memory_order_relaxed);
	current_number = 0;
}

static uintptr_t lock_word(const MonoObject *object)
{
	/* Acquire: the record is complete before the runtime stores its address. */
	return (uintptr_t)__atomic_load_n(&object->synchronisation, __ATOMIC_ACQUIRE);
}

static const monitor_record *record_of(uintptr_t word)
{
	return (const monitor_record *)(word & ~(uintptr_t)WORD_STATE_MASK);
}

/* Reads a record whose address may be wrong: the system call fails where a load would end the process. */
static int read_unchecked(const monitor_record *record, monitor_record *copy)
{
	int ends[2];
	int is_read;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return 0;
	is_read = write(ends[1], record, sizeof(*record)) == (ssize_t)sizeof(*record) &&
		  read(ends[0], copy, sizeof(*copy)) == (ssize_t)sizeof(*copy);
	close(ends[0]);
	close(ends[1]);
	return is_read;
}

static int is_thin(const MonoObject *object, uintptr_t owner, uintptr_t nest)
{
	return lock_word(object) == (owner << WORD_OWNER_SHIFT | nest << WORD_NEST_SHIFT);
}

static int is_inflated(const MonoObject *object, uintptr_t word, uint32_t owner, uint32_t nest)
{
	monitor_record record;

	return lock_word(object) == word && read_unchecked(record_of(word), &record) &&
	       record.status == ((uint32_t)NO_WAITING_THREADS << 16 | owner) && record.nest == nest;
}

/* Steps from a free monitor to an inflated one. The caller has locked it once, and unlocks it. */
static int inflates_as_expected(MonoObject *object, uint32_t owner)
{
	uintptr_t word;
	int matches = is_thin(object, owner, 0);

	(void)mono_monitor_enter(object);
	matches = matches && is_thin(object, owner, 1);
	/* The lock word of a locked object has no room for a hash code. */
	(void)mono_object_hash(object);
	word = lock_word(object);
	matches = matches && (word & WORD_STATE_MASK) == (WORD_HAS_HASH | WORD_IS_INFLATED) &&
		  is_inflated(object, word, owner, 2);
	mono_monitor_exit(object);
	return matches && is_inflated(object, word, owner, 1);
}

/* Returns NULL, or why holders are not recorded. */
static const char *check_layout(MonoObject *object, int number)
{
	const char *const refused = "not recorded: the runtime stores the owners of monitors in an unknown way";
	uintptr_t word;
	int matches;

	if (number <= 0 || number > OWNER_MASK)
		return "not recorded: the runtime does not show the numbers of its threads";
	if (object == NULL || lock_word(object) != 0)
		return refused;
	(void)mono_monitor_enter(object);
	matches = inflates_as_expected(object, (uint32_t)number);
	mono_monitor_exit(object);
	word = lock_word(object);
	/* The nesting depth of a free monitor remains 1. */
	matches = matches && is_inflated(object, word, 0, 1);
	(void)mono_monitor_enter(object);
	matches = matches && is_inflated(object, word, (uint32_t)number, 1);
	mono_monitor_exit(object);
	return matches && is_inflated(object, word, 0, 1) ? NULL : refused;
}

/*
 * The object is that of the current thread: it exists already, so the check does not appear among the program's
 * allocations, and no code of the program runs yet that could have locked it.
 */
void monitor_holders_check(MonoProfiler *profiler, uint64_t id)
{
	const char *problem;

	monitor_holders_add_thread(id);
	problem = check_layout((MonoObject *)mono_thread_current(), current_number);
	atomic_store_explicit(&is_checked, problem == NULL, memory_order_relaxed);
	(void)mprof_recorder_set_property(profiler->recorder, "monitor_holders",
					  problem == NULL ? "recorded" : problem);
}

uint64_t monitor_holders_find(const MonoObject *object)
{
	uintptr_t word;
	uint32_t status;

	if (!atomic_load_explicit(&is_checked, memory_order_relaxed))
		return 0;
	word = lock_word(object);
	/* A monitor that a thread waits for is inflated. */
	if ((word & WORD_IS_INFLATED) == 0)
		return 0;
	status = __atomic_load_n(&record_of(word)->status, __ATOMIC_RELAXED);
	return atomic_load_explicit(&threads[status & OWNER_MASK], memory_order_relaxed);
}
