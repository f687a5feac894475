// SPDX-License-Identifier: MIT
// Opens the pages that test_heap.sh made, and compares their heap snapshots with those of "mprof heap --json" and "mprof diff --json".
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

function readTables() {
	const titles = Array.from(document.querySelectorAll('#main th'), (head) => head.textContent);
	return Array.from(document.querySelectorAll('#main tbody tr:not(.space)'), (row) =>
		Object.fromEntries(Array.from(row.children, (cell, i) => [titles[i], cell.dataset.value ?? cell.textContent])));
}

function readHeap() {
	return {
		figures: Object.fromEntries(Array.from(document.querySelectorAll('#main dd[data-key]'), (cell) =>
			[cell.dataset.key, Number(cell.dataset.value)])),
		warnings: document.querySelectorAll('#main .warning').length,
	};
}

function readPaths() {
	return Array.from(document.querySelectorAll('#main .paths li'), (item) => {
		const references = Array.from(item.querySelectorAll('.reference'));
		return { objects: Number(item.dataset.objects), bytes: Number(item.dataset.bytes), retained: item.dataset.retained,
			root: references[0].textContent, steps: Array.from(item.querySelectorAll('.step'), (step, i) =>
				({ class: step.textContent, field: references[i + 1]?.dataset.field ?? null, dominates: step.dataset.dominates === '1' })) };
	});
}

const keyOf = (row) => JSON.stringify([row.Class, row.Bytes, row.Objects, row.Retained]);

function compareClasses(what, rows, { classes }) {
	const isKnown = classes.some(({ retained_bytes: retained }) => retained !== null);
	const found = rows.map(keyOf).sort();
	const wanted = classes.map(({ name, bytes, objects, retained_bytes: retained }) => keyOf({ Class: name,
		Bytes: String(bytes), Objects: String(objects), Retained: isKnown ? String(retained) : undefined })).sort();
	// Only visible rows are elements.
	if (rows.length === classes.length)
		expect(`${what}: classes`, found.join('\n'), wanted.join('\n'));
	else
		expect(`${what}: classes that are known`, rows.length > 40 && found.every((row) => wanted.includes(row)), true);
}

function pathKey({ objects, bytes, retained, root, steps }) {
	return JSON.stringify([objects, bytes, retained, root.replace(/[ *→]+$/, ''),
		steps.map(({ class: name, field, dominates }) => [name, field, dominates])]);
}

// The paths of all classes, those of each chosen in the table.
async function comparePaths(browser, what, shot, report) {
	for (const { id, name } of report.classes.slice(0, 12)) {
		await browser.show(`view=heap&shot=${shot}&class=${id}`);
		const wanted = report.paths.filter(({ class: of }) => of === name).map(({ objects, bytes, retained_bytes: retained, root, steps }) =>
			pathKey({ objects, bytes, retained: retained === null ? '' : String(retained), root: `${root.kind} ${root.name}`, steps }));
		const found = (await browser.run(readPaths)).map(pathKey);
		expect(`${what}: paths of ${name}`, found.sort().join('\n'), wanted.slice(0, 100).sort().join('\n'));
	}
}

async function compareSnapshot(browser, log, shot) {
	const what = `${log}, snapshot ${shot}`;
	const report = JSON.parse(readFileSync(`${log}.${shot}.heap.json`, 'utf8'));
	await browser.show(`view=heap&shot=${shot}`);
	const { figures, warnings } = await browser.run(readHeap);
	for (const key of ['objects', 'bytes', 'reachable_objects', 'reachable_bytes', 'references', 'roots', 'missing_references'])
		expect(`${what}: ${key}`, figures[key] ?? 0, report[key] ?? 0);
	for (const [kind, count] of Object.entries(report.roots_by_kind))
		expect(`${what}: ${kind} roots`, figures[`root ${kind}`], count);
	expect(`${what}: states what is missing`, warnings > 0, !report.complete || report.roots === 0);
	compareClasses(what, await browser.run(readTables), report);
	if (report.roots > 0)
		await comparePaths(browser, what, shot, report);
	await browser.show(`view=heap&shot=${shot}&part=dominators`);
	if (report.roots > 0) {
		const text = await browser.run(() => document.querySelector('#main .status').textContent);
		await browser.show(`view=heap&shot=${shot}&part=treemap`);
		expect(`${what}: the treemap has the same value`, await browser.run(() => document.querySelector('#main .status').textContent), text);
		expect(`${what}: the treemap is drawn`, await browser.run(() => document.querySelector('.treemap canvas').width > 0), true);
	}
	if (report.roots > 0)
		expect(`${what}: dominators`, await browser.run(() => document.querySelector('#main .status').textContent.startsWith('all: ')), true);
}

async function compareDifference(browser, log) {
	const { classes, heap_shots: shots } = JSON.parse(readFileSync(`${log}.diff.json`, 'utf8'));
	await browser.show(`view=heap&base=${shots[0].shot}&shot=${shots[1].shot}`);
	const found = (await browser.run(readTables)).map((row) => [row.Class, row['Bytes grown'], row.Bytes,
		row['Objects grown'], row.Objects, row['Retained grown'] ?? null, row.Retained ?? null].join());
	const wanted = classes.map((row) => [row.name, row.bytes_after - row.bytes_before, row.bytes_after,
		row.objects_after - row.objects_before, row.objects_after,
		row.retained_after === null ? null : row.retained_after - row.retained_before, row.retained_after].join());
	expect(`${log}: difference`, found.sort().join('\n'), wanted.sort().join('\n'));
}

// The file heaps has a line for each log: its name, and its number of snapshots.
async function checkHeaps(browser) {
	for (const line of readFileSync('heaps', 'utf8').trim().split('\n')) {
		const [log, shots] = line.split(' ');
		await browser.openLog(`file://${resolve(`${log}.html`)}`);
		for (let shot = 1; shot <= Number(shots); shot++)
			await compareSnapshot(browser, log, shot);
		if (Number(shots) > 1)
			await compareDifference(browser, log);
	}
}

// A row of the table opens the paths of its class, and the address has what is needed to open them again.
async function checkChoice(browser) {
	await browser.openLog(`file://${resolve('growing.html')}`, '#view=heap&shot=3');
	await browser.run(() => document.querySelector('#main tbody tr.active').click());
	await browser.wait('the paths', () => document.querySelector('#main .paths') !== null);
	const { hash, text } = await browser.run(() => ({ hash: location.hash, text: document.querySelector('#main .paths').textContent }));
	await browser.openLog(`file://${resolve('growing.html')}`, hash);
	expect('paths of an address', await browser.run(() => document.querySelector('#main .paths')?.textContent), text);
}

const browser = await Browser.start();
try {
	await checkHeaps(browser);
	await checkChoice(browser);
	expect('elements from names', await browser.run(() => document.querySelectorAll('img, b').length), 0);
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
} finally {
	await browser.close();
}
expectMany(60);
finish();
