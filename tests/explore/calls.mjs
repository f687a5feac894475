// SPDX-License-Identifier: MIT
// Compares the single calls that the timeline reads with "mprof report --json": calls.mjs MPROF_JS WASM CALL_READER LOG
// REPORT ... The sums over the calls are the figures of the methods, of the whole log and of two halves that are read
// with what is open between them.
import { readFileSync } from 'node:fs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , modulePath, wasmPath, readerPath, ...logs] = process.argv;
const { loadMprof } = await import(modulePath);
const { CallReader, SessionClock } = await import(readerPath);
const mprof = await loadMprof(readFileSync(wasmPath));

// Adds the calls of a row to those of the methods: total time counts a method once per outermost call.
function addRow(sums, { methods }, { depths }) {
	depths.forEach(({ count, start, end, name }, depth) => {
		for (let i = 0; i < count; i++) {
			const sum = sums.get(methods[name[i]]) ?? { calls: 0, self: 0, total: 0 };
			sums.set(methods[name[i]], sum);
			sum.calls++;
			sum.self += end[i] - start[i];
			const isOutermost = depths.slice(0, depth).every((outer) => {
				const at = outer.start.subarray(0, outer.count).findLastIndex((time) => time <= start[i]);
				return at < 0 || outer.name[at] !== name[i];
			});
			sum.total += isOutermost ? end[i] - start[i] : 0;
			if (depth > 0) {
				const outer = depths[depth - 1];
				const at = outer.start.subarray(0, outer.count).findLastIndex((time) => time <= start[i]);
				expect('a call is inside its caller', at >= 0 && outer.end[at] >= end[i], true);
				sums.get(methods[outer.name[at]]).self -= end[i] - start[i];
			}
		}
	});
}

function sumCalls(readers) {
	const sums = new Map();
	for (const reader of readers)
		reader.rows.filter(({ isSampled }) => !isSampled).forEach((row) => addRow(sums, reader, row));
	return sums;
}

function compare(log, sums, report, { isWhole }) {
	const hasSwitches = (report.session.events['stack-switch'] ?? 0) > 0;
	for (const { id, calls, total_ns: total, self_ns: self } of report.methods) {
		const sum = sums.get(id) ?? { calls: 0, total: 0, self: 0 };
		// A call that continues on its stack later has several parts.
		if (isWhole && !hasSwitches)
			expect(`${log}: calls of method ${id}`, sum.calls, calls);
		// Each end of a call is rounded to nanoseconds.
		const error = 2 * Math.max(1, sum.calls);
		expect(`${log}: time of method ${id}`, Math.abs(sum.total - total) <= error ? total : sum.total, total);
		expect(`${log}: own time of method ${id}`, Math.abs(sum.self - self) <= error ? self : sum.self, self);
	}
	expect(`${log}: methods`, sums.size <= report.methods.length, true);
}

async function readHalves(log, profile, clock) {
	const cursor = log.events({ kinds: [6, 35] });
	cursor.buildIndex();
	const index = cursor.table('index');
	const { start_counter: first, end_counter: end } = profile.session();
	const last = index.end_counter.reduce((a, b) => (a > b ? a : b), end);
	const middle = (first + last) / 2n;
	const halves = [];
	for (const [from, to] of [[first - 1n, middle + 1n], [middle, last + 1n]]) {
		const reader = new CallReader(cursor, clock);
		await reader.readWindow(index, from, to);
		halves.push(reader);
	}
	cursor.close();
	return halves;
}

while (logs.length > 0) {
	const [path, reportPath] = logs.splice(0, 2);
	const report = JSON.parse(readFileSync(reportPath, 'utf8'));
	const log = await mprof.open(readFileSync(path));
	const profile = log.profile();
	profile.read();
	const clock = new SessionClock(profile.session());
	const cursor = log.events({ kinds: [6, 35] });
	const reader = new CallReader(cursor, clock);
	await reader.readAll();
	compare(path, sumCalls([reader]), report, { isWhole: true });
	const samples = reader.rows.reduce((sum, row) => sum + row.samples.time.length, 0);
	expect(`${path}: samples`, samples, report.threads.reduce((sum, { samples: count }) => sum + (count ?? 0), 0));
	const few = new CallReader(log.events({ kinds: [6, 35] }), clock, 3);
	await few.readAll();
	expect(`${path}: reading stops`, few.isFull, reader.count >= 3);
	if (report.session.complete && report.threads.length < 4)
		compare(`${path} in halves`, sumCalls(await readHalves(log, profile, clock)), report, { isWhole: false });
	log.close();
}
expectMany(100);
finish();
