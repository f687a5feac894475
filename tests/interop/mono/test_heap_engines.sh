#!/bin/bash
# SPDX-License-Identifier: MIT
# Dominators and retained sizes are the same as those that other heap engines find in exported heap snapshots: Chrome
# DevTools and memlab, on a snapshot of a Mono program and on random graphs. Both engines come from npm, so the test downloads only if it is asked to:
# MPROF_TEST_DOWNLOADS=1.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

devtools=chrome-devtools-mcp@1.11.0
# The engine of DevTools needs Promise.withResolvers().
node=node@24
memlab=(@memlab/core@2.0.5 @memlab/heap-analysis@2.0.5)
engines=$srcdir/tests/interop/engines
graphs=12

test "${MPROF_TEST_DOWNLOADS-}" = 1 || skip "downloads from npm are not asked for: set MPROF_TEST_DOWNLOADS=1"
command -v npm >/dev/null || skip "npm is not installed"

# Nothing is stored outside of the work directory, and no browser is downloaded.
mkdir modules
(
	export HOME=$work PUPPETEER_SKIP_DOWNLOAD=1
	cd modules
	timeout 300 npm install --no-audit --no-fund "$node"
	timeout 300 npm install --no-audit --no-fund --ignore-scripts "$devtools" "${memlab[@]}"
) >npm.log 2>&1 || skip "npm cannot install the packages: $(tail -n 1 npm.log)"
export PATH=$work/modules/node_modules/.bin:$PATH NODE_PATH=$work/modules/node_modules

read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -DMPROF_UNSTABLE -I"$srcdir/include" -o heapsnapshot "$engines/heapsnapshot.c" \
	-L"$builddir/lib/.libs" -lmprof || fail "heapsnapshot.c does not compile"

names=(mono)
compile Heap
profiled heap,quiet,output=heap.mprof Heap.exe >/dev/null
check_complete heap.mprof
mv heap.mprof mono.mprof
./heapsnapshot mono.mprof mono || fail "the graph of Mono's heap cannot be written"
for ((seed = 1; seed <= graphs; seed++)); do
	./heapsnapshot "random:$seed" "random$seed" || fail "random graph $seed cannot be written"
	names+=("random$seed")
done
for name in "${names[@]}"; do
	"$MPROF" export --to=heapsnapshot -o "$name.heapsnapshot" "$name.mprof" 2>export.log ||
		fail "$name: export: $(cat export.log)"
	"$MPROF" export --to=heapsnapshot --top=1000 -o "$name-top.heapsnapshot" "$name.mprof" 2>export.log ||
		fail "$name: export --top: $(cat export.log)"
done

node "$engines/devtools.mjs" \
	"$NODE_PATH/chrome-devtools-mcp/build/src/processors/HeapSnapshotManager.js" "${names[@]}" "${names[@]/%/-top}" \
	>devtools.log 2>&1 ||
	fail "the engine of DevTools: $(tail -n 3 devtools.log)"
node "$engines/memlab.cjs" "${names[@]}" "${names[@]/%/-top}" >memlab.log 2>&1 ||
	fail "the engine of memlab: $(tail -n 3 memlab.log)"

# Objects that only all roots together dominate prove little.
cat "${names[@]/%/.objects}" | awk '$3 != 0 { n++ } END { exit !(n > 10000) }' || fail "too few objects have dominators"
test "$(cat "${names[@]/%/-top.devtools.objects}" | awk '$3 != 0' | wc -l)" -gt 1000 ||
	fail "too few objects are not collapsed"

for name in "${names[@]}"; do
	for engine in devtools memlab; do
		diff "$name.objects" "$name.$engine.objects" >difference ||
			fail "$name, $engine: number, retained size and dominator: $(head -n 6 difference)"
		# With collapsed objects, the others have the same.
		LC_ALL=C sort "$name-top.$engine.objects" | LC_ALL=C comm -23 - <(LC_ALL=C sort "$name.objects") >difference
		test ! -s difference || fail "$name, $engine: collapsed: $(head -n 6 difference)"
	done
	# The retained size of an unreachable object is its size. DevTools lists classes by name; those of the same name are
	# left out.
	"$MPROF" heap --json --top=0 "$name.mprof" >heap.json 2>heap.log || fail "$name: heap: $(cat heap.log)"
	jq -r '.classes | group_by(.name)[] | select(length == 1)[0]
		| "\(.name)\t\(.objects)\t\(.retained_bytes + .bytes - .reachable_bytes)"' heap.json | LC_ALL=C sort >classes
	LC_ALL=C sort "$name.devtools.classes" | awk -F'\t' 'NR == FNR { wanted[$1] = 1; next } $1 in wanted' classes - |
		diff classes - >difference ||
		fail "$name, devtools: class, objects and retained size: $(head -n 6 difference)"
done
