// SPDX-License-Identifier: MIT
// Compares the figures of the module with the JSON documents that the tool wrote: figures.mjs MODULE WASM LIST. The list
// has a log on each line; NAME.info and NAME.report are in the current directory.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const [, , modulePath, wasmPath, listPath] = process.argv;
const { loadMprof } = await import(modulePath);
const mprof = await loadMprof(readFileSync(wasmPath));

let differences = 0;
let compared = 0;

function expect(what, found, wanted) {
	compared++;
	if (Object.is(found, wanted) || (found === 0 && wanted === 0))
		return;
	if (++differences <= 20)
		console.log(`${what}: the module has ${found}, the tool ${wanted}`);
}

// Compares the numbers that both have under the same name. Returns their number.
function compareNumbers(what, found, wanted) {
	let count = 0;
	for (const [name, value] of Object.entries(wanted)) {
		if (typeof value !== 'number' || !(name in found))
			continue;
		expect(`${what}, ${name}`, Number(found[name]), value);
		count++;
	}
	return count;
}

function rowsOf(profile, name, options) {
	const table = profile.table(name, options);
	const columns = mprof.table(name).columns.filter((column) => column.length === 1);
	return Array.from({ length: table.length }, (_, i) =>
		Object.fromEntries(columns.map((column) => [column.name, table[column.name][i]])));
}

// Compares rows that are the same by key, in any order, and how many there are.
function compareRows(what, found, wanted, keyOfFound, keyOfWanted, shared) {
	expect(`${what}, rows`, found.length, wanted.length);
	const byKey = new Map(found.map((row) => [keyOfFound(row), row]));
	for (const row of wanted) {
		const other = byKey.get(keyOfWanted(row));
		if (other === undefined)
			expect(`${what}, row ${keyOfWanted(row)}`, 'no such row', 'one');
		else if (compareNumbers(`${what} ${keyOfWanted(row)}`, other, row) < shared)
			expect(`${what}, columns with the names of JSON keys`, 'fewer', shared);
	}
}

function compareInOrder(what, found, wanted, shared) {
	expect(`${what}, rows`, found.length, wanted.length);
	wanted.forEach((row, i) => {
		if (i < found.length && compareNumbers(`${what} ${i}`, found[i], row) < shared)
			expect(`${what}, columns with the names of JSON keys`, 'fewer', shared);
	});
}

function nonZero(counts, name) {
	const result = {};
	counts.forEach((count, kind) => {
		if (count > 0) {
			const text = name(kind);
			result[text] = (result[text] ?? 0) + count;
		}
	});
	return result;
}

function compareCounts(what, counts, name, wanted) {
	const found = nonZero(counts, name);
	for (const [key, count] of Object.entries(wanted))
		expect(`${what}, ${key}`, found[key] ?? 0, count);
	for (const key of Object.keys(found))
		expect(`${what}, ${key} exists`, key in wanted, true);
}

function compareInfo(name, profile, info) {
	const session = profile.session();
	const totals = profile.totals();
	expect(`${name}: dialect`, session.dialect_name, info.dialect);
	expect(`${name}: runtime`, session.runtime, info.runtime);
	expect(`${name}: complete`, session.complete === 1 && profile.faults.length === 0, info.complete);
	expect(`${name}: size`, profile.log.byteLength, info.size);
	expect(`${name}: classes`, profile.classCount, info.classes);
	expect(`${name}: methods`, profile.methodCount, info.methods);
	expect(`${name}: events`, totals.events, info.event_count);
	expect(`${name}: faults`, profile.faults.length, info.damage.length);
	if (compareNumbers(`${name}: session`, session, info) < 6)
		expect(`${name}: session`, 'few', 'numbers');
	// The tool counts a block that defines an ID again, too; the profile does not.
	if (info.damage.length === 0)
		compareCounts(`${name}: blocks`, totals.block_counts, (kind) => mprof.blockName(kind), info.blocks);
	compareCounts(`${name}: events`, totals.event_counts, (kind) => mprof.eventName(kind), info.events);
	compareCounts(`${name}: lost events`, totals.lost_by_cause, (kind) => mprof.lossName(kind), info.lost_by_cause);
}

function compareReport(name, profile, report) {
	if (compareNumbers(`${name}: totals`, profile.totals(), report.totals) < 20)
		expect(`${name}: totals`, 'few', 'numbers');
	const byId = (row) => row.id;
	compareRows(`${name}: methods`, rowsOf(profile, 'methods'), report.methods, byId, byId, 6);
	compareRows(`${name}: classes`, rowsOf(profile, 'classes'), report.classes, byId, byId, 5);
	const byName = (row) => `${row.class_id === 0 ? null : profile.className(row.class_id)}`;
	const byClass = (row) => `${row.class}`;
	for (const [table, key, shared] of [['monitors', 'monitors', 2], ['finalizers', 'finalizers', 2]])
		compareRows(`${name}: ${table}`, rowsOf(profile, table), report[key], byName, byClass, shared);
	const threads = rowsOf(profile, 'threads');
	compareRows(`${name}: threads`, threads, report.threads, (row) => `0x${row.id.toString(16)}`, byId, 3);
	compareInOrder(`${name}: collections`, rowsOf(profile, 'collections'), report.collections, 5);
	compareInOrder(`${name}: heap_resizes`, rowsOf(profile, 'heap_resizes'), report.heap_resizes, 2);
	compareInOrder(`${name}: heap_shots`, rowsOf(profile, 'heap_shots'), report.heap_shots, 6);
	compareInOrder(`${name}: marks`, rowsOf(profile, 'marks'), report.marks, 1);
}

const parse = (path) => {
	const text = readFileSync(path, 'utf8');
	return text === '' ? null : JSON.parse(text);
};

let logs = 0;
for (const path of readFileSync(listPath, 'utf8').trim().split('\n')) {
	const name = basename(path);
	const info = parse(`${name}.info`);
	const report = parse(`${name}.report`);
	const log = await mprof.open(readFileSync(path));
	try {
		const profile = log.profile();
		profile.read();
		if (info === null)
			expect(`${name}: events of what is no log`, profile.totals().events, 0);
		else
			compareInfo(name, profile, info);
		if (report !== null)
			compareReport(name, profile, report);
	} catch (error) {
		expect(name, error.stack, 'figures');
	}
	log.close();
	logs++;
}
if (logs < 100 || compared < 10000)
	expect('logs and figures', `${logs}, ${compared}`, 'more');
console.log(`${differences > 0 ? 'FAIL' : 'PASS'}: ${compared} figures of ${logs} logs, ${differences} differ`);
process.exit(differences > 0 ? 1 : 0);
