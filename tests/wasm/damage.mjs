// SPDX-License-Identifier: MIT
// Reads damaged logs with the module: damage.mjs MODULE WASM LIST. Whatever the bytes are, each view ends with a status
// or an MprofError, never with a trap, and a truncated log has what stands before its end.
import { readFileSync } from 'node:fs';

const [, , modulePath, wasmPath, listPath] = process.argv;
const { MprofError, loadMprof } = await import(modulePath);
const mprof = await loadMprof(readFileSync(wasmPath));

let state = 20240229;
function random(limit) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor(state / 2 ** 32 * limit);
}

function readEvents(log) {
	const cursor = log.events();
	let events = 0;
	for (let block; (block = cursor.nextBlock()) !== null;) {
		for (let batch; block.loaded === 1 && (batch = cursor.nextEvents()) !== null;)
			events += batch.length;
	}
	return events;
}

function readGraph(log) {
	const graph = log.heapGraph();
	graph.read();
	if (graph.totals().has_roots === 0)
		return;
	graph.buildDominators();
	graph.buildPaths();
	const { objects } = graph.dominated();
	for (const object of objects.subarray(0, 10))
		graph.path(object);
}

// Returns the number of events, -1 after an error that is not a fault of the log, and whether the log has no fault.
async function readAll(bytes) {
	const log = await mprof.open(bytes);
	try {
		const profile = log.profile({ timelineSlices: 16, withAges: true, withDurations: true, withCallSites: true });
		profile.read();
		for (const name of mprof.tableNames)
			profile.table(name);
		for (const id of profile.table('methods').id)
			profile.methodName(id);
		profile.frameTree({ source: 'allocations', inverted: true }).table('nodes');
		readGraph(log);
		readEvents(log);
		return { events: profile.totals().events, isIntact: profile.status === 'ok' };
	} catch (error) {
		if (!(error instanceof MprofError))
			throw error;
		return { events: -1, isIntact: false };
	} finally {
		log.close();
	}
}

// The events as texts, and how many there are after each block.
function listEvents(log) {
	const cursor = log.events();
	const events = [];
	const ends = new Set([0]);
	for (let block; (block = cursor.nextBlock()) !== null;) {
		for (let batch; block.loaded === 1 && (batch = cursor.nextEvents()) !== null;) {
			for (let i = 0; i < batch.length; i++)
				events.push(`${batch.kind[i]} ${batch.id[i]} ${batch.counter[i]} ${batch.value[i]}`);
		}
		ends.add(events.length);
	}
	return { events, ends };
}

let failures = 0;
let damaged = 0;

// A log that ends in the middle of a block has the first events of that block.
async function checkEnds(path) {
	const bytes = readFileSync(path);
	const whole = listEvents(await mprof.open(bytes));
	let partial = 0;
	for (let length = 0; length < bytes.length; length++) {
		const log = await mprof.open(bytes.slice(0, length));
		const { events } = listEvents(log);
		log.close();
		partial += whole.ends.has(events.length) ? 0 : 1;
		if (events.some((event, i) => event !== whole.events[i])) {
			console.log(`${path}: the first ${length} bytes have other events than the whole log`);
			failures++;
		}
	}
	return partial;
}

for (const path of readFileSync(listPath, 'utf8').trim().split('\n')) {
	const bytes = readFileSync(path);
	const all = await readAll(bytes);
	for (let i = 0; i < 6; i++) {
		const copy = i < 3 ? bytes.slice(0, random(bytes.length)) : bytes.slice();
		for (let k = i < 3 ? 0 : 1 + random(8); k > 0; k--)
			copy[random(copy.length)] = random(256);
		damaged++;
		try {
			const { events } = await readAll(copy);
			if (i < 3 && all.isIntact && events > all.events) {
				console.log(`${path}: ${events} events of the first ${copy.length} bytes, ${all.events} of the whole`);
				failures++;
			}
		} catch (error) {
			console.log(`${path}, ${copy.length} bytes, variant ${i}: ${error.stack}`);
			failures++;
		}
	}
}
let partial = 0;
for (const path of readFileSync(listPath, 'utf8').trim().split('\n')) {
	if (/(mono-threads|mono-blocks|unity-stacks|drop-blocks|mono-event-kinds)\.mprof$/.test(path))
		partial += await checkEnds(path);
}
if (partial < 20) {
	console.log(`only ${partial} logs end inside a block with events before that`);
	failures++;
}
if (damaged < 500)
	failures++;
console.log(`${failures > 0 ? 'FAIL' : 'PASS'}: ${damaged} damaged logs, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0);
