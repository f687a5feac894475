#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof import of V8's profiles and heap snapshots: documents with known figures, JSON in all its forms, documents that
# are damaged, and files of Node.js, whose figures a script of its own computes.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

# import STATUS FILE: converts FILE to x.mprof, which must be sound.
import() {
	mprof import -o x.mprof "$2"
	expect_status "$1" "import of $2"
	cp err messages
	test "$status" != 3 || return 0
	mprof check x.mprof
	expect_status 0 "check of $2"
}

# A profile: two threads of calls, names with all that JSON can escape, a negative difference, the idle thread, lines.
cat >a.cpuprofile <<'END'
{ "nodes" : [
{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2,5,4]},
{"id":2,"callFrame":{"functionName":"\u0066\ud83d\ude00\u00fcé","scriptId":"7","url":"file:///a/b.js","lineNumber":9,
 "columnNumber":1},"hitCount":1,"children":[3],"positionTicks":[{"line":11,"ticks":1}]},
{"id":3,"callFrame":{"functionName":"","scriptId":"7","url":"file:///a/b.js","lineNumber":19,"columnNumber":1e0},
 "hitCount":3,"children":[],"positionTicks":[{"line":21,"ticks":2},{"line":22,"ticks":1}], "more":[{"x":[1,{}]},null,true]},
{"id":4,"callFrame":{"functionName":"(idle)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}},
{"id":5,"callFrame":{"functionName":"f\"\\\/\b\n\t","scriptId":"7","url":"","lineNumber":-1,"columnNumber":-1}}],
"startTime":1000000,"endTime":1001000,"samples":[2,3,3,4,3,5,99],"timeDeltas":[0,100,100,200,-50,250,10]}
END
sed -i 's/1e0/1/' a.cpuprofile
import 1 a.cpuprofile
expect_line messages 'not converted: 1 samples of the idle thread, 0 ms'
expect_line messages 'not converted: 1 samples whose node is missing'
mprof report --json x.mprof
expect_json "samples" '[.samples[] | [.name, .hits, .total_hits]] | sort' \
	'[["(anonymous b.js:20)",3,3],["f\"\\/\b\n\t",1,1],["f😀üé",1,4]]'
expect_json "lines" '[.lines[] | [.name, .line, .samples]] | sort' \
	'[["(anonymous b.js:20)",21,2],["(anonymous b.js:20)",22,1],["f😀üé",11,1]]'
expect_json "time" '.totals.wall_ns' 1000000
# The idle sample lasted from 400 to 600 microseconds, less the 50 from which the one after it was late.
expect_json "period" '.session.properties | [.sample_clock, .sample_period_ns]' '["processor","160000"]'

# A snapshot: a group of roots in a group, names of edges of all types, a weak one, a string, one object out of reach.
cat >a.heapsnapshot <<'END'
{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
"node_types":[["hidden","string","object","closure","synthetic"],"string","number","number","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],
"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},
"node_count":6,"edge_count":7},
"nodes":[4,0,1,0,1,0,0, 4,1,3,0,2,0,0, 2,2,5,100,4,0,1, 1,3,7,50,0,0,0, 2,2,9,200,0,0,2, 3,4,11,64,0,0,0, 2,2,13,32,0,0,0],
"edges":[1,0,7, 1,0,14, 6,0,42, 2,5,21, 1,3,28, 6,5,35, 4,2,35],
"locations":[14,1,2,3],
"strings":["","(Global handles)","Cache","the text","work","next"]}
END
import 0 a.heapsnapshot
expect_line messages 'not converted: 1 source locations of functions'
expect_line messages 'not converted: 1 weak references of groups of roots'
mprof heap --json --paths='*' x.mprof
expect_json "objects" '[.objects, .bytes, .reachable_objects, .reachable_bytes]' '[5,446,4,414]'
expect_json "classes" '[.classes[] | [.name, .objects, .bytes]] | sort' \
	'[["(string)",1,50],["Cache",3,332],["Function",1,64]]'
expect_json "steps" '[.paths[] | [.root.kind, .root.name, [.steps[].field]]] | sort | .[-1]' \
	'["global","(Global handles)",["next",null]]'
expect_json "element" '[.paths[].steps[].field] | any(. == "[3]")' true
expect_json "label" '[.paths[].steps[].label | select(. != null)] | sort' '["the text","work"]'

# Damage: each cut of both documents, and changed bytes. What the log has is sound.
for file in a.cpuprofile a.heapsnapshot; do
	size=$(stat -c %s $file)
	for cut in $(seq 1 "${IMPORT_STEP:-29}" $((size - 3))); do
		head -c "$cut" $file >"cut.${file#a.}"
		mprof import --from="${file#a.}" -o x.mprof "cut.${file#a.}"
		test "$status" = 1 || test "$status" = 3 || fail "$file cut to $cut bytes: status $status"
		expect_line err '^mprof: cut[^ ]*: (offset [0-9]+: |no )'
		test "$status" = 3 || "$MPROF" check x.mprof >/dev/null 2>&1 || fail "$file cut to $cut: the log is damaged"
	done
	for seed in $(seq "${IMPORT_CASES:-60}"); do
		cp $file "changed.${file#a.}"
		for i in 1 2; do
			change_byte "changed.${file#a.}" $((seed * 7919 * i % size))
		done
		mprof import --from="${file#a.}" -o x.mprof "changed.${file#a.}"
		test "$status" -le 1 || test "$status" = 3 || fail "$file, case $seed: status $status: $(cat err)"
		test "$status" = 3 || "$MPROF" check x.mprof >/dev/null 2>&1 || fail "$file, case $seed: the log is damaged"
	done
done

# Documents that are not what they seem. None is a profile; each has a message with an offset, or states what is missing.
node='{"id":1,"callFrame":{"functionName":"f","url":"","lineNumber":1,"columnNumber":1}'
end='],"startTime":1,"endTime":9,"samples":[1],"timeDeltas":[1]}'
deep=$(printf '[%.0s' $(seq 300))
while IFS='|' read -r text what; do
	printf '%s' "$text" >bad.cpuprofile
	mprof import --from=cpuprofile -o x.mprof bad.cpuprofile
	test "$status" = 1 || test "$status" = 3 || fail "'$what': status $status"
	expect_line err "$what"
done <<END
[]|not a profile of V8
{"nodes":[$node},$node}$end|two nodes have the same ID
{"nodes":[$node,"children":[1]}$end,|bytes after the document
{"nodes":[{"id":1,"callFrame":{"url":"x"}}$end|without an ID or a function
{"nodes":[$node}],"samples":[0x10$end|not a value of JSON
{"nodes":[$node}],"samples":[1e999$end|not an integer
{"nodes":[$node}],"samples":[99999999999999999999$end|out of range
{"nodes":[$node}],"startTime":9e,"x":1}|not a value of JSON
{"nodes":[$node}],"x":"\x"}|unknown escape
{"nodes":[$node}],"x":"\ud8"}|four hexadecimal
{"nodes":[$node}],"x":$deep|too many objects and arrays
{"nodes":[$node}],"samples":[1],"timeDeltas":[-5],"startTime":1}|out of range
{"nodes":[$node}],"x":[1,]}|a comma before an end
{"nodes":[$node}],"x":[1 2]}|no comma between values
{"nodes":[$node}],x:1}|no key where one must be
END
# Edges whose targets have no unit.
printf '%s' '{"snapshot":{"meta":{"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context"]]}},' \
	'"edges":[0,0,7],"nodes":[],"strings":[]}' >bad.heapsnapshot
mprof import -o x.mprof --from=heapsnapshot bad.heapsnapshot
expect_status 3 "edges without fields of nodes"
expect_line err 'does not describe its nodes and edges before them'
# Nodes that are children of each other.
printf '%s' '{"nodes":[{"id":1,"callFrame":{"functionName":"f"},"children":[2]},' \
	'{"id":2,"callFrame":{"functionName":"g"},"children":[1]}'"$end" >bad.cpuprofile
mprof import -o x.mprof bad.cpuprofile
expect_status 1 "nodes in a circle"
expect_line err 'nodes that call themselves'

# Files of Node.js.
needs node python3
cat >app.js <<'END'
class Entry { constructor(i) { this.name = 'n' + i; this.map = new Map([[i, { v: i }]]); } }
globalThis.kept = [];
globalThis.weak = new WeakMap([[globalThis.kept, 1]]);
for (let i = 0; i < 3000; i++) globalThis.kept.push(new Entry(i));
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) * Math.sin(i); return s; }
let t = 0;
for (let i = 0; i < 40; i++) t += hot(100000);
console.log(t);
require('v8').writeHeapSnapshot('app.heapsnapshot');
END
node --cpu-prof --cpu-prof-name=app.cpuprofile app.js >/dev/null 2>&1 || skip "this Node.js writes no profiles; the rest was tested"
import 0 app.heapsnapshot
mprof heap --json --top=100000 x.mprof
jq -r '.classes[] | [.name, .objects, .bytes] | @tsv' out | LC_ALL=C sort >found
cat >figures.py <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
f, types = s['snapshot']['meta']['node_fields'], s['snapshot']['meta']['node_types'][0]
t, n, z, w, sums = f.index('type'), f.index('name'), f.index('self_size'), len(f), {}
for i in range(0, len(s['nodes']), w):
    kind, name = types[s['nodes'][i + t]], s['strings'][s['nodes'][i + n]]
    if kind == 'synthetic':
        continue
    known = {'hidden': '(system)', 'code': '(compiled code)', 'closure': 'Function', 'regexp': 'RegExp'}
    name = name if kind in ('object', 'native') and name else known.get(kind, '(%s)' % kind)
    sums.setdefault(name, [0, 0])
    sums[name][0] += 1
    sums[name][1] += s['nodes'][i + z]
for name, (count, size) in sums.items():
    print(name, count, size, sep='\t')
END
python3 figures.py app.heapsnapshot | LC_ALL=C sort >wanted
diff wanted found >differences || fail "classes of V8 (<) and of the log (>): $(head differences)"
mprof heap --json --class=Entry --paths=Entry x.mprof
expect_json "path" '[.paths[].steps[].field] | any(. == "kept")' true
import 0 app.cpuprofile
mprof report --json --top=100000 x.mprof
jq -r '.samples[] | select(.hits > 0) | [.name, .hits] | @tsv' out | LC_ALL=C sort >found
python3 - app.cpuprofile <<'END' | LC_ALL=C sort >wanted
import json, sys
p, hits = json.load(open(sys.argv[1])), {}
nodes = {n['id']: n['callFrame'] for n in p['nodes']}
for i in p['samples']:
    c = nodes[i]
    # Functions of V8 itself may have neither a name nor a file.
    has_position = c['url'] and c['lineNumber'] >= 0
    position = ' %s:%d' % (c['url'].split('/')[-1], c['lineNumber'] + 1) if has_position else ''
    name = c['functionName'] or '(anonymous%s)' % position
    if name not in ('(idle)', '(root)'):
        key = (name, c['url'], c['lineNumber'], c['columnNumber'])
        hits[key] = hits.get(key, 0) + 1
for key, count in hits.items():
    print(key[0], count, sep='\t')
END
diff wanted found >differences || fail "samples of V8 (<) and of the log (>): $(head differences)"
