#!/bin/bash
# SPDX-License-Identifier: MIT
# The module that records malloc(): allocations of constructors, the operators of other allocators, and allocators that
# cannot be recorded, which the log states. Needs a compiler and the module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
module=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}/libmprof-malloc.so
test -e "$module" || skip "the module for native programs was not built"
read -ra compiler <<<"${CC:-cc}"
read -ra cxx_compiler <<<"${CXX:-c++}"

# record LOG COMMAND...
record() {
	local log=$1

	shift
	rm -f "$log"
	status=0
	LD_PRELOAD=$module MPROF_MALLOC_OUTPUT=$log "$@" >printed 2>err || status=$?
}

# blocks LOG SIZE: allocations of a call site with this average size, and those that are live.
blocks() {
	"$MPROF" report --json --top=0 "$1" | jq -c --argjson size "$2" '[.memory.places[] |
		select(.allocations > 0 and .bytes / .allocations == $size)] | [(map(.allocations) | add), (map(.live) | add)]'
}

cat >library.c <<'END'
#include <stdlib.h>
static void *volatile kept[100];
__attribute__((constructor)) static void allocate(void)
{
	for (int i = 0; i < 100; i++)
		kept[i] = malloc(10000);
}
int library_count(void) { return kept[99] != NULL; }
END
cat >program.c <<'END'
#include <stdlib.h>
int library_count(void);
static void *volatile kept[10];
__attribute__((constructor)) static void allocate(void)
{
	for (int i = 0; i < 10; i++)
		kept[i] = malloc(2000);
}
int main(void) { return !library_count(); }
END
"${compiler[@]}" -fno-builtin -shared -fPIC -o liblibrary.so library.c 2>compiler.out &&
	"${compiler[@]}" -fno-builtin -o program program.c ./liblibrary.so 2>>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"
record constructors.mprof ./program
expect_status 0 "constructors"
expect "of a library" "$(blocks constructors.mprof 10000)" "[100,100]"
expect "of the program" "$(blocks constructors.mprof 2000)" "[10,10]"
"$MPROF" report --json constructors.mprof >out
expect_json "all are known" '[.memory.unmatched_frees, .memory.estimate]' '[0,false]'

# The operators of C++, in each of their forms.
cat >operators.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <new>
struct item { char bytes[1001]; };
struct alignas(64) wide { char bytes[1920]; };
int main()
{
	for (int i = 0; i < 10; i++) {
		item *volatile one = new item;
		item *volatile two = new (std::nothrow) item;
		char *volatile several = new char[1001];
		char *volatile other = new (std::nothrow) char[1001];
		wide *volatile aligned = new wide;
		wide *volatile array = new wide[1];
		void *volatile raw = ::operator new(1920, std::align_val_t(128), std::nothrow);

		delete one;
		::operator delete(two, std::nothrow);
		delete[] several;
		::operator delete[](other, 1001);
		delete aligned;
		delete[] array;
		::operator delete(raw, 1920, std::align_val_t(128));
	}
	for (int i = 0; i < 5; i++) {
		item *volatile leaked = new item;
	}
	try {
		volatile std::size_t size = std::size_t(1) << 62;
		void *volatile none = ::operator new(size);
	} catch (std::bad_alloc &) {
		std::puts("refused");
	}
	return 0;
}
END
check_operators() {
	record operators.mprof "$1"
	expect_status 0 "$2"
	expect "$2" "$(cat printed)" refused
	expect "$2" "$(blocks operators.mprof 1001)" "[45,5]"
	expect "$2" "$(blocks operators.mprof 1920)" "[30,0]"
	"$MPROF" report --json operators.mprof >out
	expect_json "$2" '[.memory.unmatched_frees, .memory.missing_frees]' '[0,0]'
}
if "${cxx_compiler[@]}" -std=c++17 -w -O1 -o operators operators.cc 2>/dev/null; then
	check_operators ./operators "the C++ library"
	for allocator in jemalloc tcmalloc; do
		! "${cxx_compiler[@]}" -std=c++17 -w -O1 -o operators.$allocator operators.cc -l$allocator 2>/dev/null ||
			check_operators ./operators.$allocator $allocator
	done
	# A program in C that loads a library in C++.
	cat >plugin.cc <<'END'
#include <string>
#include <vector>
extern "C" int plugin_work()
{
	std::vector<std::string> words(100, std::string(100, 'a'));
	return int(words.size());
}
END
	cat >loads.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./plugin.so", RTLD_NOW);
	int (*work)(void);

	if (library == 0)
		return 1;
	*(void **)&work = dlsym(library, "plugin_work");
	return work() != 100;
}
END
	"${compiler[@]}" -o loads loads.c -ldl || fail "compiler"
	for options in "" "-static-libstdc++ -static-libgcc"; do
		# shellcheck disable=SC2086
		"${cxx_compiler[@]}" -shared -fPIC -O0 $options -o plugin.so plugin.cc || continue
		./loads || continue
		record plugin.mprof ./loads
		expect_status 0 "a library in C++, $options"
		expect "a library in C++, $options" "$(blocks plugin.mprof 101)" "[101,0]"
	done
fi

# An allocator of the program's own: the log and a message state that its calls are not recorded.
cat >own.c <<'END'
#include <stddef.h>
#include <string.h>
static char pool[1 << 24];
static size_t used;
void *malloc(size_t size) { void *memory = pool + used; used += (size + 15) & ~(size_t)15; return memory; }
void free(void *memory) { (void)memory; }
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void *realloc(void *memory, size_t size) { (void)memory; return malloc(size); }
int main(void) { return malloc(100) == NULL; }
END
"${compiler[@]}" -fno-builtin -w -o own own.c || fail "compiler"
record own.mprof ./own
expect_status 0 "an allocator of its own"
expect_line err 'the program brings its own allocator \(malloc is defined in ./own\): its calls are not recorded$'
mprof report --all own.mprof
expect_line out 'malloc is defined in ./own'
