#!/bin/bash
# SPDX-License-Identifier: MIT
# The heap graph of a program whose objects are known: what they retain, and the static field that keeps them alive.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -I"$srcdir/include" -o retained "$here/retained.c" -L"$builddir/lib/.libs" -lmprof ||
	fail "retained.c does not compile"

compile Heap
profiled heap,quiet,output=heap.mprof Heap.exe >/dev/null
check_complete heap.mprof
./retained heap.mprof Heap. >found || fail "the graph cannot be read"

# has LINE: a line that must be printed.
has() {
	grep -qxF "$1" found || fail "no line '$1' in: $(head -40 found)"
}

# All references and roots lead to objects of the snapshot.
has "missing 0"
# 24 bytes of its own, an array of 20000 elements with a header of 32 bytes, and 20000 leaves of 16 bytes.
has "class Heap.Holder 1 1 $((24 + 32 + 20000 * 8 + 20000 * 16))"
has "path Heap.Holder 1 1 Heap.Program.holder"
has "class Heap.Leaf 20000 20000 $((20000 * 16))"
has "path Heap.Leaf 3 1 Heap.Program.holder"
# The first link of the list retains all others, but they count once.
has "class Heap.Link 1000 1000 $((1000 * 32))"
has "path Heap.Link 1000 1 Heap.Program.list"
has "class Heap.Branch 1023 1023 $((1023 * 32))"
has "path Heap.Branch 10 1 Heap.Program.tree"
grep -qE '^path Heap.Pinned 1 4 GC Handle' found || fail "the handle of Heap.Pinned: $(grep Pinned found)"

# Weak handles do not retain; the values of a ConditionalWeakTable are reachable once, from a root of their own.
compile Retention
profiled heap,quiet,output=retention.mprof Retention.exe >/dev/null
check_complete retention.mprof
./retained retention.mprof Retention. >found || fail "the graph cannot be read"
has "missing 0"
has "class Retention.Watched 1 1 16"
has "path Retention.Watched 1 1 Retention.Program.watched"
has "path Retention.Tracked 1 1 Retention.Program.tracked"
# What the strong handle holds: 32 bytes and an array of 1000 bytes with a header of 32, not what a static field does.
has "class Retention.Owned 1 1 $((32 + 32 + 1000))"
has "class Retention.Pinned 1 1 24"
grep -qE '^path Retention.Owned 1 4 GC Handle' found || fail "the handle of Retention.Owned: $(grep Owned found)"
grep -qE '^path Retention.Pinned 1 4 GC Handle' found || fail "the handle of Retention.Pinned: $(grep Pinned found)"
has "class Retention.Key 100 100 $((100 * 24))"
has "class Retention.Value 100 100 $((100 * (24 + 40)))"
has "path Retention.Value 1 6 Ephemerons"
has "path Retention.Part 2 6 Ephemerons"
for class in Forgotten DeadKey DeadValue; do
	! grep -qF "Retention.$class " found || fail "objects that only weak references hold: $(grep -F "$class" found)"
done
