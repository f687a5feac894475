#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof import of heap dumps of Java: dumps with IDs of 4 and 8 bytes, every root, classes after their objects, segments,
# damage, and the dump of a program that runs here, whose numbers of objects jmap counts.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq python3

cat >make.py <<'END'
import struct, sys
size, out = int(sys.argv[1]), open(sys.argv[2], 'wb')
fmt = '>I' if size == 4 else '>Q'
i = lambda n: struct.pack(fmt, n)
u4, u2, u1 = (lambda n: struct.pack('>I', n)), (lambda n: struct.pack('>H', n)), (lambda n: struct.pack('>B', n))
rec = lambda tag, body, time=7: out.write(u1(tag) + u4(time) + u4(len(body)) + body)
out.write(b'JAVA PROFILE 1.0.2\0' + u4(size) + struct.pack('>Q', 1700000000000))
names = {1: b'java/lang/Object', 2: b'demo/Base', 3: b'demo/Derived', 4: b'[Ldemo/Base;', 5: b'[[I', 6: b'next', 7: b'held',
         8: b'count', 9: b'CACHE', 10: b'run', 11: b'Base.java', 12: b'[I'}
for n, t in names.items():
    rec(1, i(n) + t)
for serial, (c, n) in enumerate([(0x100, 1), (0x200, 2), (0x300, 3), (0x400, 4), (0x500, 5), (0x600, 12)], 1):
    if len(sys.argv) == 3 or c != int(sys.argv[3], 16):
        rec(2, u4(serial) + i(c) + u4(0) + i(n))
rec(4, i(0x77) + i(10) + i(10) + i(11) + u4(2) + u4(42))
rec(5, u4(3) + u4(1) + u4(1) + i(0x77))
rec(13, b'')
def cls(c, sup, statics, fields):
    b = u1(0x20) + i(c) + u4(0) + i(sup) + i(0) * 5 + u4(99) + u2(1) + u2(1) + u1(10) + u4(5)
    b += u2(len(statics)) + b''.join(i(n) + u1(2) + i(v) for n, v in statics)
    return b + u2(len(fields)) + b''.join(i(n) + u1(t) for n, t in fields)
inst = lambda o, c, v: u1(0x21) + i(o) + u4(0) + i(c) + u4(len(v)) + v
# Objects before their classes: of a class whose base is not known yet, and of one that is nowhere.
body = inst(0x1000, 0x300, i(0x2000) + u4(5) + i(0x3000)) + inst(0x1100, 0x900, b'abc')
body += cls(0x100, 0, [], []) + cls(0x300, 0x200, [], [(7, 2), (8, 10)])
rec(0x1c, body)
body = cls(0x200, 0x100, [(9, 0x2000)], [(6, 2)]) + cls(0x400, 0x100, [], []) + cls(0x500, 0x100, [], [])
body += inst(0x2000, 0x200, i(0)) + inst(0x3000, 0x200, i(0x4000))
body += u1(0x22) + i(0x4000) + u4(0) + u4(3) + i(0x400) + i(0x3000) + i(0) + i(0x2000)
body += u1(0x22) + i(0x5000) + u4(0) + u4(1) + i(0x500) + i(0x6000)
body += u1(0x23) + i(0x6000) + u4(0) + u4(4) + u1(10) + u4(1) * 4
body += u1(0x23) + i(0x7000) + u4(0) + u4(3) + u1(8) + b'xyz' + u1(0xc3) + i(0x7100) + u4(0) + u4(2) + u1(11)
rec(0x1c, body)
roots = [(0xff, b''), (1, i(1)), (2, u4(1) + u4(0)), (3, u4(1) + u4(0)), (4, u4(1)), (5, b''), (6, u4(1)), (7, b''),
         (8, u4(1) + u4(0)), (0x89, b''), (0x8a, b''), (0x8b, b''), (0x8c, b''), (0x8d, b''), (0x8e, u4(1) + u4(0)), (0x90, b'')]
rec(0x1c, u1(0xfe) + u4(1) + i(1) + b''.join(u1(t) + i(0x200 if t == 5 else 0x1000) + b for t, b in roots))
rec(0x2c, b'')
END

for size in 4 8; do
	python3 make.py $size $size.hprof
	mprof import $size.hprof
	expect_status 0 "IDs of $size bytes"
	expect_line err "not converted: 1 records of samples"
	expect_line err "not converted: 1 fields of objects whose class is not in the dump"
	mprof check $size.mprof
	expect_status 0 "check of $size"
	mprof heap --json --paths='*' --top=1000 $size.mprof
	expect_json "objects of $size" '[.objects, .reachable_objects]' '[14,6]'
	expect_json "classes of $size" '[.classes[] | [.name, .objects, .bytes]] | sort' \
		"[[\"[unknown class]\",1,3],[\"byte[]\",1,3],[\"demo.Base\",2,$((2 * size))],[\"demo.Base[]\",1,$((3 * size))],[\"demo.Derived\",1,$((4 + 2 * size))],[\"int[]\",1,16],[\"int[][]\",1,$size],[\"java.lang.Class\",5,0],[\"long[]\",1,16]]"
	expect_json "steps of $size" '[.paths[] | [.steps[].field]] | any(. == ["CACHE",null]) and any(. == ["next","next",null])' true
	mprof dump --json $size.mprof
	grep -qF 'demo.Base.run (Base.java:42)' out || fail "no root of a frame"
	expect "kinds of roots of $size" "$(jq -r 'select(.event == "heap-root") | .kind' out | sort | uniq -c |
		awk '{ print $2 ":" $1 }' | paste -sd' ')" \
		"class:1 finalizer:1 global:1 interned:1 local:1 monitor:2 other:3 runtime:2 stack:3 thread:1"
done
# Both have the same objects.
for size in 4 8; do
	mprof heap --json --paths='*' --top=1000 $size.mprof
	jq -c '[.paths[] | [.class, .root, [.steps[] | .field]]] | sort' out >$size.paths
done
cmp 4.paths 8.paths || fail "dumps with IDs of 4 and of 8 bytes differ"

# An object has the references that it inherits, even if only the dump of the class mentions it, after the object.
python3 make.py 8 unloaded.hprof 200
mprof import unloaded.hprof
expect_status 0 "a class that no record loads"
mprof heap --json --paths='*' unloaded.mprof
expect_json "inherited references" '[.paths[] | [.steps[].field]] | any(. == ["next","next",null])' true

# Damage.
size=$(stat -c %s 8.hprof)
for cut in $(seq 1 "${IMPORT_STEP:-13}" $((size - 10))); do
	head -c "$cut" 8.hprof >cut.hprof
	mprof import --from=hprof -o x.mprof cut.hprof
	test "$status" = 1 || test "$status" = 3 || grep -q . err || fail "cut to $cut bytes: status $status"
	test "$status" = 3 || "$MPROF" check x.mprof >/dev/null 2>&1 || fail "cut to $cut: the log is damaged"
done
for seed in $(seq "${IMPORT_CASES:-120}"); do
	cp 8.hprof changed.hprof
	for i in 1 2 3; do
		change_byte changed.hprof $((31 + seed * 7919 * i % (size - 31)))
	done
	mprof import -o x.mprof changed.hprof
	test "$status" -le 1 || test "$status" = 3 || fail "case $seed: status $status: $(cat err)"
	test "$status" = 3 || "$MPROF" check x.mprof >/dev/null 2>&1 || fail "case $seed: the log is damaged"
done
# A length that is not in the file takes no memory.
{
	printf 'JAVA PROFILE 1.0.2\0\0\0\0\10\0\0\0\0\0\0\0\0\34\0\0\0\0\377\377\377\377\43\0\0\0\0\0\0\0\1\0\0\0\0\377\377\377\377\13'
	printf '\41\0\0\0\0\0\0\0\1'
} >long.hprof
(test -n "${MPROF_SANITIZED-}" || ulimit -v 1000000; "$MPROF" import -o x.mprof long.hprof) 2>err && fail "a length that lies is accepted"
expect_line err 'long.hprof: offset [0-9]+: (the file|a record) ends within'

# A program that runs here.
needs java javac jmap
cat >T.java <<'END'
import java.util.*;
public class T {
	static List<Object> kept = new ArrayList<>();
	static class Node { Node next; byte[] data = new byte[100]; int x; }
	static class Sub extends Node { Object extra = new int[5]; long y; }
	public static void main(String[] arguments) throws Exception {
		Node last = null;
		for (int i = 0; i < 5000; i++) {
			Node node = i % 2 == 0 ? new Node() : new Sub();
			node.next = last;
			last = node;
			if (i % 10 == 0)
				kept.add(node);
		}
		System.out.println("ready");
		System.in.read();
	}
}
END
javac T.java >/dev/null 2>&1 || skip "javac cannot compile; the rest was tested"
mkfifo end
java -cp . T <end >ready &
java_pid=$!
exec 5>end
await grep -q ready ready
jmap -histo:live $java_pid >histogram 2>&1 && jmap -dump:live,format=b,file=java.hprof $java_pid >/dev/null 2>&1 ||
	{ exec 5>&-; wait $java_pid; skip "jmap cannot attach; the rest was tested"; }
exec 5>&-
wait $java_pid
mprof import java.hprof
expect_status 0 "a dump of Java"
mprof heap --json --top=100000 java.mprof
for class in 'T$Node' 'T$Sub' java.lang.String; do
	wanted=$(awk -v class="$class" '$4 == class { print $2 }' histogram)
	found=$(jq --arg class "$class" '.classes[] | select(.name == $class) | .objects' out)
	# The two commands are requests to the program, which makes a few texts for each.
	test $((found - wanted)) -ge -50 && test $((found - wanted)) -le 50 || fail "$class: $found objects, not $wanted"
done
expect "T\$Sub" "$(jq '.classes[] | select(.name == "T$Sub") | .objects' out)" 2500
mprof heap --json --class='T$Sub' --paths='T$Sub' java.mprof
expect_json "fields of Java" '[.paths[].steps[].field] | any(. == "kept") and any(. == "elementData") and any(. == "next")' true
