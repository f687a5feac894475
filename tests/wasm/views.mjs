// SPDX-License-Identifier: MIT
// Checks what the module does apart from the tables: views.mjs MODULE WASM TYPES LOG HEAP CODE, with a log of calls,
// one with heap snapshots, and one that defines generated code after its samples.
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const [, , modulePath, wasmPath, typesPath, logPath, heapPath, codePath] = process.argv;
const { MprofError, frameKinds, loadMprof } = await import(modulePath);
const mprof = await loadMprof(readFileSync(wasmPath));
const bytes = readFileSync(logPath);

// The tables of a profile whose rows do not refer to others, as a value that can be compared: the rows of most tables
// are in no particular order.
function contents(profile) {
	return ['totals', 'methods', 'classes', 'threads', 'collections', 'monitors', 'samples', 'marks'].map((name) => {
		const table = profile.table(name);
		const columns = mprof.table(name).columns.map((column) => column.name);
		if (name === 'totals')
			return table;
		return Array.from({ length: table.length }, (_, i) => columns.map((column) => String(table[column][i])).join()).sort();
	});
}

async function read(data, options) {
	const log = await mprof.open(data);
	const profile = log.profile(options);
	return { log, profile, status: profile.read() };
}

const whole = await read(bytes);
assert.equal(whole.status, 'ok');
assert.ok(whole.profile.totals().calls > 5);
const expected = contents(whole.profile);

// The values of metrics, block by block, are those that the profile has counted.
const metrics = whole.profile.table('metrics');
const values = new Map(Array.from(metrics.id, (id) => [id, []]));
const metricCursor = whole.log.events({ kinds: [38] });
for (let block; (block = metricCursor.nextBlock()) !== null;) {
	const found = metricCursor.metricValues();
	if (block.kind !== 38)
		assert.equal(found.length, 0);
	found.id.forEach((id, i) => values.get(id).push(found.value[i]));
}
metricCursor.close();
assert.ok(metrics.length > 1);
for (let i = 0; i < metrics.length; i++) {
	const list = values.get(metrics.id[i]);
	assert.deepEqual([list.length, list[0], list.at(-1)], [metrics.count[i], metrics.first[i], metrics.last[i]]);
}

// The declared types are those of the module.
const types = readFileSync(typesPath, 'utf8');
for (const name of mprof.tableNames) {
	const declared = new RegExp(`^\\t${name}: \\{([^}]*)\\};$`, 'm').exec(types)[1];
	const columns = mprof.table(name).columns.map((column) => column.name);

	assert.deepEqual(Array.from(declared.matchAll(/(\w+): /g), (match) => match[1]), columns, name);
	assert.ok(!mprof.table(name).columns.some((column) => ['length', 'rounded'].includes(column.name)), name);
}

// Fed in pieces, compressed or not, in one member or in two, and from a file: the same results.
async function feed(data, length, members) {
	const log = mprof.createLog();
	const profile = log.profile();
	for (let at = 0; at < data.length; at += length) {
		await log.feed(data.subarray(at, at + length));
		const status = profile.read();
		assert.ok(status === 'again' || (status === 'ok' && log.byteLength === bytes.length), `${status} while fed`);
		assert.ok(profile.totals().events <= whole.profile.totals().events);
	}
	await log.finish();
	assert.equal(profile.read(), 'ok', `${members} pieces of ${length}`);
	assert.equal(log.gzipFault, null);
	assert.deepEqual(contents(profile), expected);
	log.close();
}
await feed(bytes, 1, 0);
await feed(bytes, 4097, 0);
await feed(gzipSync(bytes), 1000, 1);
const half = bytes.length >> 1;
const members = Buffer.concat([gzipSync(bytes.subarray(0, half)), gzipSync(bytes.subarray(half))]);
await feed(members, 777, 2);
const file = openSync(logPath);
const { log: ofFile, profile: profileOfFile } = await read({
	size: statSync(logPath).size,
	read: (position, target) => readSync(file, target, 0, target.length, position),
});
assert.deepEqual(contents(profileOfFile), expected);
ofFile.close();
closeSync(file);
const { log: ofBlob, profile: profileOfBlob } = await read(new Blob([bytes]));
assert.deepEqual(contents(profileOfBlob), expected);
ofBlob.close();

// A compressed log that is truncated: what could be decompressed is read, and the fault is stated.
const compressed = gzipSync(bytes);
const part = await read(compressed.subarray(0, compressed.length >> 1));
assert.notEqual(part.status, 'ok');
assert.ok(part.log.compressed && part.log.gzipFault !== null);
assert.ok(part.log.byteLength > 0 && part.profile.faults.length > 0);
part.log.close();

// A long call can be interrupted, and tasks run meanwhile.
const progress = [];
const stepped = await mprof.open(bytes);
const steps = stepped.profile();
let calls = 1;
while (steps.read({ milliseconds: 0, onProgress: (done, total) => progress.push([done, total]) }) === 'interrupted')
	calls++;
assert.equal(steps.status, 'ok');
assert.deepEqual(contents(steps), expected);
const asynchronous = stepped.profile();
assert.equal(await asynchronous.readAll(), 'ok');
assert.deepEqual(contents(asynchronous), expected);
const stopped = new AbortController();
stopped.abort();
await assert.rejects(stepped.profile().readAll({ signal: stopped.signal }), { name: 'AbortError' });
stepped.close();

// Windows and threads add up to the whole.
const { profile } = whole;
const end = profile.totals().wall_ns;
const middle = Math.floor(end / 2);
const parts = [{ windowEndNs: middle }, { windowStartNs: middle }].map((options) => {
	const view = whole.log.profile(options);
	assert.equal(view.read(), 'ok');
	return view.totals();
});
assert.equal(parts[0].calls + parts[1].calls, profile.totals().calls);
assert.equal(parts[0].allocated_bytes + parts[1].allocated_bytes, profile.totals().allocated_bytes);
const threads = profile.table('threads');
const eventsOfThreads = Array.from(threads.id, (id) => {
	const view = whole.log.profile({ threads: [id] });
	view.read();
	const { calls: count } = view.totals();
	view.close();
	return count;
});
assert.equal(eventsOfThreads.reduce((sum, count) => sum + count, 0), profile.totals().calls);
assert.throws(() => whole.log.profile({ timelineSlices: 1 }), (error) =>
	error instanceof MprofError && error.status === 'argument');

// Amounts as integers.
const exact = profile.table('methods', { exact: true });
const rounded = profile.table('methods');
assert.ok(exact.self_ns instanceof BigUint64Array && rounded.self_ns instanceof Float64Array);
assert.deepEqual(Array.from(exact.self_ns, Number), Array.from(rounded.self_ns));
assert.equal(profile.row('totals', { exact: true }).calls, BigInt(profile.totals().calls));
assert.deepEqual(profile.table('methods', { first: 3, count: 2 }).id, rounded.id.subarray(3, 5));
assert.equal(profile.table('methods', { first: 1e6 }).length, 0);
assert.throws(() => profile.table('nonsense'), MprofError);

// The timeline: the times of the slices of a thread are those of the thread.
const timed = whole.log.profile({ timelineSlices: 64 });
timed.read();
const timeline = timed.row('timeline');
assert.ok(timeline.slice_count > 1 && timeline.slice_count <= 64);
threads.self_ns.forEach((nanoseconds, thread) => {
	const slices = timed.table('timeline_slices', { which: thread });
	assert.equal(slices.length, timeline.slice_count);
	assert.equal(slices.methods_ns.reduce((sum, time) => sum + time, 0), nanoseconds);
});

// Trees of frames.
const tree = profile.frameTree();
const nodes = tree.table('nodes');
assert.equal(nodes.total[0], rounded.self_ns.reduce((sum, time) => sum + time, 0));
const selected = nodes.id[1];
const filtered = profile.frameTree({ choose: (kind, id) => kind === frameKinds.method && id === selected ? 8 : 0 });
assert.ok(filtered.rowCount('callers') + filtered.rowCount('callees') > 0);
assert.throws(() => profile.frameTree({ choose: () => { throw new RangeError('no'); } }), RangeError);
assert.throws(() => profile.frameTree({ source: 'nothing' }), MprofError);
assert.ok(profile.frameTree({ inverted: true }).rowCount('nodes') > 1);
for (const source of ['samples', 'allocations', 'memory', 'memoryLive', 'memoryPeak', 'memoryTemporary'])
	assert.equal(profile.frameTree({ source }).table('nodes').parent[0], 0, source);

// What stands out.
const findings = profile.findings({ log: 'a b.mprof' });
assert.ok(findings.length > 0 && findings.length <= 7);
assert.ok(findings.every(({ text, command, section, kind }) => text.endsWith('.') && section !== '' && kind !== '' &&
	command.startsWith('mprof ') && command.endsWith(" 'a b.mprof'")));
assert.deepEqual(findings.map(({ severity }) => severity), findings.map(({ severity }) => severity).sort((a, b) => b - a));
assert.equal(profile.rowCount('findings'), findings.length);
assert.equal(profile.findings({ maxCount: 1 }).length, 1);
const asked = [];
const renamed = profile.findings({ name: (kind, id) => (asked.push([kind, id]), kind === frameKinds.method ? 'größe' : null) });
assert.ok(asked.some(([kind, id]) => kind === frameKinds.method && id > 0));
assert.ok(renamed.some(({ text }) => text.startsWith('größe takes ')));
assert.throws(() => profile.findings({ name: () => { throw new RangeError('no'); } }), RangeError);
assert.equal(whole.log.profile().rowCount('findings'), 0);

// Events.
const cursor = whole.log.events();
const counts = new Float64Array(256);
let blocks = 0;
for (let block; (block = cursor.nextBlock()) !== null; blocks++) {
	if (block.kind !== 6)
		continue;
	for (let batch; (batch = cursor.nextEvents(100)) !== null;) {
		assert.ok(batch.length <= 100 && batch.time_ns.length === batch.length);
		batch.kind.forEach((kind) => counts[kind]++);
		assert.equal(batch.time_ns[0], profile.timeOf(batch.counter[0]));
	}
}
assert.equal(cursor.status, 'end');
const { event_counts: eventCounts, block_counts: blockCounts } = profile.totals();
counts.forEach((count, kind) => assert.equal(count, eventCounts[kind], mprof.eventName(kind)));
assert.equal(blocks, blockCounts.reduce((sum, count) => sum + count, 0));
const seeker = whole.log.events();
assert.equal(seeker.buildIndex(), 'ok');
const index = seeker.table('index');
assert.equal(index.length, blocks);
seeker.seek(index.offset[blocks - 1]);
assert.equal(seeker.nextBlock().offset, index.offset[blocks - 1]);
seeker.seekTime(end / 2);
assert.notEqual(seeker.nextBlock(), null);
assert.ok(Array.isArray(seeker.openFrames(threads.id[0], middle)));
assert.throws(() => whole.log.events().seekTime(0), { status: 'state' });
const closed = whole.log.events();
closed.close();
assert.throws(() => closed.nextBlock(), MprofError);

// A heap graph.
const heapLog = await mprof.open(readFileSync(heapPath));
const graph = heapLog.heapGraph();
assert.equal(graph.read(), 'ok');
const { objects, has_roots: hasRoots } = graph.totals();
assert.ok(objects > 2 && hasRoots === 1);
assert.throws(() => graph.referrers(0), { status: 'state' });
graph.buildDominators();
graph.buildPaths();
graph.buildReferrers();
const heap = graph.table('heap_objects');
assert.equal(heap.length, objects);
const top = graph.dominated();
const retained = Array.from(top.objects, (object) => heap.retained_bytes[object]);
assert.deepEqual(retained, [...retained].sort((a, b) => b - a));
assert.equal(graph.retained(top.objects), graph.totals().reachable_bytes);
let references = 0;
for (let object = 0; object < objects; object++) {
	assert.equal(graph.objectAt(heap.address[object]), object);
	assert.equal(graph.object(object).class_id, heap.class_id[object]);
	for (const { object: other } of graph.references(object)) {
		references++;
		if (other !== null)
			assert.ok(graph.referrers(other, { count: 1e5 }).some((referrer) => referrer.object === object));
	}
	const path = graph.path(object);
	assert.equal(path !== null, heap.is_reachable[object] === 1);
	if (path === null)
		continue;
	assert.equal(path.steps.at(-1).object, object);
	assert.equal(graph.parent(object).object, path.steps.at(-2)?.object ?? null);
	assert.equal(graph.parent(object).offset, path.steps.at(-2)?.offset ?? null);
}
assert.equal(references, graph.totals().references);
assert.throws(() => graph.object(-1) ?? graph.retained([objects]), MprofError);
heapLog.close();

// What is no log, or nothing.
const nothing = await read(Buffer.from('This is not a log, it is a sentence.'));
assert.equal(nothing.status, 'not-mprof');
const empty = await read(new Uint8Array(0));
assert.equal(empty.status, 'not-mprof');
const failing = await mprof.open({ size: 1000, read: () => { throw new TypeError('unreadable'); } });
assert.throws(() => failing.profile().read(), TypeError);

// Closing frees: the memory of the module does not grow with each log.
const size = mprof.exports.memory.buffer.byteLength;
for (let i = 0; i < 50; i++) {
	const { log } = await read(bytes);
	log.close();
}
assert.ok(mprof.exports.memory.buffer.byteLength <= size + (16 << 20));
console.log(`PASS: ${calls} steps, ${blocks} blocks, ${objects} objects`);

// Samples in code that was defined after them have its name: record_code states how many.
{
	const { log, profile, status } = await read(readFileSync(codePath));
	assert.equal(status, 'ok');
	const samples = profile.table('samples');
	const found = Array.from({ length: samples.length }, (_, i) =>
		[profile.frameName(samples.kind[i], samples.id[i]), Number(samples.self[i])]);
	assert.deepEqual(found.filter(([name]) => name === 'work' || name === 'entry').sort(), [['entry', 5], ['work', 10]]);
	log.close();
}
