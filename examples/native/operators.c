/* SPDX-License-Identifier: MIT */
/*
 * The operators of the C++ library call malloc() and free(), which are recorded, so calls are only passed on. Those of
 * jemalloc, tcmalloc and other allocators do not, so they are recorded here.
 */
#include "operators.h"

#include "allocator.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The names of functions that take a size_t differ on machines where it is not an unsigned long. */
#if defined(__LP64__)

#define OPERATOR __attribute__((visibility("default")))

typedef enum operator_number {
	NEW,
	NEW_ARRAY,
	NEW_NOTHROW,
	NEW_ARRAY_NOTHROW,
	NEW_ALIGNED,
	NEW_ARRAY_ALIGNED,
	NEW_ALIGNED_NOTHROW,
	NEW_ARRAY_ALIGNED_NOTHROW,
	DELETE,
	DELETE_ARRAY,
	DELETE_SIZED,
	DELETE_ARRAY_SIZED,
	DELETE_NOTHROW,
	DELETE_ARRAY_NOTHROW,
	DELETE_ALIGNED,
	DELETE_ARRAY_ALIGNED,
	DELETE_SIZED_ALIGNED,
	DELETE_ARRAY_SIZED_ALIGNED,
	DELETE_ALIGNED_NOTHROW,
	DELETE_ARRAY_ALIGNED_NOTHROW,
	OPERATOR_COUNT
} operator_number;

static const char *const names[OPERATOR_COUNT] = {
	"_Znwm",
	"_Znam",
	"_ZnwmRKSt9nothrow_t",
	"_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t",
	"_ZdlPv",
	"_ZdaPv",
	"_ZdlPvm",
	"_ZdaPvm",
	"_ZdlPvRKSt9nothrow_t",
	"_ZdaPvRKSt9nothrow_t",
	"_ZdlPvSt11align_val_t",
	"_ZdaPvSt11align_val_t",
	"_ZdlPvmSt11align_val_t",
	"_ZdaPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
};

/* Any thread may find them first; all find the same. */
static _Atomic(void *) found[OPERATOR_COUNT];

/* Constant once operators are recorded. The first: they are those of an allocator whose malloc() they do not call. */
static int are_recorded;
static operators_client client;

typedef void *new_function(size_t size);
typedef void *new_nothrow_function(size_t size, const void *nothrow);
typedef void *new_aligned_function(size_t size, size_t alignment);
typedef void *new_aligned_nothrow_function(size_t size, size_t alignment, const void *nothrow);
typedef void delete_function(void *memory);
typedef void delete_1_function(void *memory, size_t argument);
typedef void delete_2_function(void *memory, size_t first, size_t second);

/*
 * Finds the operator that the program would use. A C++ library that was loaded with dlopen() is not among those that
 * RTLD_NEXT names. Returns NULL if there is none.
 */
static void *find_operator(operator_number number)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
	void *address = atomic_load_explicit(&found[number], memory_order_relaxed);

	if (address != NULL)
		return address;
	address = dlsym(RTLD_NEXT, names[number]);
	for (size_t i = 0; address == NULL && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		/* It is not closed, so it stays loaded. */
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		address = library != NULL ? dlsym(library, names[number]) : NULL;
	}
	atomic_store_explicit(&found[number], address, memory_order_relaxed);
	return address;
}

void operators_begin(const operators_client *functions)
{
	void *address = find_operator(NEW);
	void *allocator;
	Dl_info of_operator;
	Dl_info of_malloc;

	client = *functions;
	memcpy(&allocator, &allocator_get()->malloc, sizeof(allocator));
	are_recorded = address != NULL && dladdr(address, &of_operator) != 0 && dladdr(allocator, &of_malloc) != 0 &&
		       of_operator.dli_fbase == of_malloc.dli_fbase;
}

/* What the operators of the C++ library do, for a library that has them inside itself. */
static void *allocate(size_t size, size_t alignment, int may_fail)
{
	void *memory = NULL;

	if (alignment == 0)
		memory = malloc(size > 0 ? size : 1);
	else if (posix_memalign(&memory, alignment, size > 0 ? size : 1) != 0)
		memory = NULL;
	if (memory == NULL && !may_fail)
		abort();
	return memory;
}

/* Records what an operator has allocated, unless it has called malloc(). */
static void *record(void *memory, size_t size)
{
	if (client.get_last() != memory)
		client.record(memory, size);
	return memory;
}

/* The built-in function: after a call that gets its address, the operator could not be jumped to. */
#define FIND(type, number)                                                                                             \
	void *address = find_operator(number);                                                                         \
	type *function;                                                                                                \
	__builtin_memcpy(&function, &address, sizeof(function))

#define DEFINE_NEW(name, number)                                                                                       \
	OPERATOR void *name(size_t size);                                                                              \
	OPERATOR void *name(size_t size)                                                                               \
	{                                                                                                              \
		FIND(new_function, number);                                                                            \
		if (function == NULL)                                                                                  \
			return allocate(size, 0, 0);                                                                   \
		if (!are_recorded)                                                                                     \
			return function(size);                                                                         \
		client.forget_last();                                                                                  \
		return record(function(size), size);                                                                   \
	}

#define DEFINE_NEW_NOTHROW(name, number)                                                                               \
	OPERATOR void *name(size_t size, const void *nothrow);                                                         \
	OPERATOR void *name(size_t size, const void *nothrow)                                                          \
	{                                                                                                              \
		FIND(new_nothrow_function, number);                                                                    \
		if (function == NULL)                                                                                  \
			return allocate(size, 0, 1);                                                                   \
		if (!are_recorded)                                                                                     \
			return function(size, nothrow);                                                                \
		client.forget_last();                                                                                  \
		return record(function(size, nothrow), size);                                                          \
	}

#define DEFINE_NEW_ALIGNED(name, number)                                                                               \
	OPERATOR void *name(size_t size, size_t alignment);                                                            \
	OPERATOR void *name(size_t size, size_t alignment)                                                             \
	{                                                                                                              \
		FIND(new_aligned_function, number);                                                                    \
		if (function == NULL)                                                                                  \
			return allocate(size, alignment, 0);                                                           \
		if (!are_recorded)                                                                                     \
			return function(size, alignment);                                                              \
		client.forget_last();                                                                                  \
		return record(function(size, alignment), size);                                                        \
	}

#define DEFINE_NEW_ALIGNED_NOTHROW(name, number)                                                                       \
	OPERATOR void *name(size_t size, size_t alignment, const void *nothrow);                                       \
	OPERATOR void *name(size_t size, size_t alignment, const void *nothrow)                                        \
	{                                                                                                              \
		FIND(new_aligned_nothrow_function, number);                                                            \
		if (function == NULL)                                                                                  \
			return allocate(size, alignment, 1);                                                           \
		if (!are_recorded)                                                                                     \
			return function(size, alignment, nothrow);                                                     \
		client.forget_last();                                                                                  \
		return record(function(size, alignment, nothrow), size);                                               \
	}

/* A free() that the operator calls is not recorded again. */
static int begin_delete(void *memory)
{
	if (memory != NULL)
		client.record_free(memory);
	return client.pause();
}

#define DEFINE_DELETE(name, number)                                                                                    \
	OPERATOR void name(void *memory);                                                                              \
	OPERATOR void name(void *memory)                                                                               \
	{                                                                                                              \
		int paused;                                                                                            \
		FIND(delete_function, number);                                                                         \
		if (function == NULL) {                                                                                \
			free(memory);                                                                                  \
			return;                                                                                        \
		}                                                                                                      \
		if (!are_recorded) {                                                                                   \
			function(memory);                                                                              \
			return;                                                                                        \
		}                                                                                                      \
		paused = begin_delete(memory);                                                                         \
		function(memory);                                                                                      \
		client.resume(paused);                                                                                 \
	}

#define DEFINE_DELETE_1(name, number)                                                                                  \
	OPERATOR void name(void *memory, size_t argument);                                                             \
	OPERATOR void name(void *memory, size_t argument)                                                              \
	{                                                                                                              \
		int paused;                                                                                            \
		FIND(delete_1_function, number);                                                                       \
		if (function == NULL) {                                                                                \
			free(memory);                                                                                  \
			return;                                                                                        \
		}                                                                                                      \
		if (!are_recorded) {                                                                                   \
			function(memory, argument);                                                                    \
			return;                                                                                        \
		}                                                                                                      \
		paused = begin_delete(memory);                                                                         \
		function(memory, argument);                                                                            \
		client.resume(paused);                                                                                 \
	}

#define DEFINE_DELETE_2(name, number)                                                                                  \
	OPERATOR void name(void *memory, size_t first, size_t second);                                                 \
	OPERATOR void name(void *memory, size_t first, size_t second)                                                  \
	{                                                                                                              \
		int paused;                                                                                            \
		FIND(delete_2_function, number);                                                                       \
		if (function == NULL) {                                                                                \
			free(memory);                                                                                  \
			return;                                                                                        \
		}                                                                                                      \
		if (!are_recorded) {                                                                                   \
			function(memory, first, second);                                                               \
			return;                                                                                        \
		}                                                                                                      \
		paused = begin_delete(memory);                                                                         \
		function(memory, first, second);                                                                       \
		client.resume(paused);                                                                                 \
	}

// NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp): the names that compilers use
DEFINE_NEW(_Znwm, NEW)
DEFINE_NEW(_Znam, NEW_ARRAY)
DEFINE_NEW_NOTHROW(_ZnwmRKSt9nothrow_t, NEW_NOTHROW)
DEFINE_NEW_NOTHROW(_ZnamRKSt9nothrow_t, NEW_ARRAY_NOTHROW)
DEFINE_NEW_ALIGNED(_ZnwmSt11align_val_t, NEW_ALIGNED)
DEFINE_NEW_ALIGNED(_ZnamSt11align_val_t, NEW_ARRAY_ALIGNED)
DEFINE_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t, NEW_ALIGNED_NOTHROW)
DEFINE_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t, NEW_ARRAY_ALIGNED_NOTHROW)
DEFINE_DELETE(_ZdlPv, DELETE)
DEFINE_DELETE(_ZdaPv, DELETE_ARRAY)
DEFINE_DELETE_1(_ZdlPvm, DELETE_SIZED)
DEFINE_DELETE_1(_ZdaPvm, DELETE_ARRAY_SIZED)
DEFINE_DELETE_1(_ZdlPvRKSt9nothrow_t, DELETE_NOTHROW)
DEFINE_DELETE_1(_ZdaPvRKSt9nothrow_t, DELETE_ARRAY_NOTHROW)
DEFINE_DELETE_1(_ZdlPvSt11align_val_t, DELETE_ALIGNED)
DEFINE_DELETE_1(_ZdaPvSt11align_val_t, DELETE_ARRAY_ALIGNED)
DEFINE_DELETE_2(_ZdlPvmSt11align_val_t, DELETE_SIZED_ALIGNED)
DEFINE_DELETE_2(_ZdaPvmSt11align_val_t, DELETE_ARRAY_SIZED_ALIGNED)
DEFINE_DELETE_2(_ZdlPvSt11align_val_tRKSt9nothrow_t, DELETE_ALIGNED_NOTHROW)
DEFINE_DELETE_2(_ZdaPvSt11align_val_tRKSt9nothrow_t, DELETE_ARRAY_ALIGNED_NOTHROW)
// NOLINTEND(bugprone-reserved-identifier, cert-dcl37-c, cert-dcl51-cpp)

#else

void operators_begin(const operators_client *functions)
{
	(void)functions;
}

#endif
