// SPDX-License-Identifier: MIT
// Opens the pages that test_page.sh made in the current directory, and compares them with the reports there.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const address = (name) => `file://${resolve(name)}`;

// The figures of a view with their keys.
function readFigures() {
	return Object.fromEntries(Array.from(document.querySelectorAll('#main dd[data-key]'), (cell) =>
		[cell.dataset.key, cell.dataset.value]));
}

// Cells of the rows of the table, by the title of their column.
function readRows() {
	const titles = Array.from(document.querySelectorAll('#main th'), (head) => head.textContent);
	return Array.from(document.querySelectorAll('#main tbody tr:not(.space)'), (row) =>
		Object.fromEntries(Array.from(row.children, (cell, i) => [titles[i], cell.dataset.value ?? cell.textContent])));
}

function compareTotals(log, figures, report) {
	for (const [key, value] of Object.entries(report.totals)) {
		if (typeof value === 'number' && value > 0)
			expect(`${log}: ${key}`, Number(figures[key]), value);
	}
	expect(`${log}: dialect`, figures.dialect, report.session.dialect);
	expect(`${log}: threads`, Number(figures.threads), report.session.threads);
}

function compareMethods(log, rows, report) {
	expect(`${log}: methods`, rows.length, Math.min(rows.length > 40 ? rows.length : 1e9, report.methods.length));
	const found = new Map(rows.map((row) => [row.Method, row]));
	for (const { class: name, name: method, self_ns, total_ns, calls } of report.methods.slice(0, rows.length)) {
		const row = found.get(name ? `${name}.${method}` : method);
		if (row === undefined)
			continue;
		expect(`${log}: self time of ${method}`, Number(row.Self ?? 0), self_ns);
		expect(`${log}: time of ${method}`, Number(row.Total ?? 0), total_ns);
		expect(`${log}: calls of ${method}`, Number(row.Calls ?? 0), calls);
	}
}

async function checkLogs(browser) {
	for (const log of readFileSync('logs', 'utf8').trim().split('\n')) {
		const report = JSON.parse(readFileSync(`${log}.json`, 'utf8'));
		await browser.openLog(address(`${log}.html`));
		compareTotals(log, await browser.run(readFigures), report);
		const limits = await browser.run(() => document.getElementById('limits').textContent);
		const isSound = report.session.complete && report.totals.lost_events === 0;
		// Few samples are no damage, but the overview states them there.
		const hasCaveat = report.findings.some(({ kind }) => kind === 'loss' || kind === 'sampling');
		expect(`${log}: nothing is missing`, limits.startsWith('The log is complete'), isSound && !hasCaveat);
		expect(`${log}: has a warning`, await browser.run(() => document.querySelector('.warning') !== null),
			!isSound);
		await browser.show('view=methods');
		compareMethods(log, await browser.run(readRows), report);
		await browser.show('view=flame');
		expect(`${log}: state`, await browser.run(() => document.body.dataset.state), 'ready');
	}
}

// A link restores the view, and the search limits the table.
async function checkAddress(browser) {
	await browser.openLog(address('sample.html'), '#view=methods&search=fib');
	const rows = await browser.run(readRows);
	expect('methods that match the search', rows.length, 1);
	await browser.run(() => document.querySelector('#main tbody tr.active').click());
	await browser.wait('the callers', () => document.querySelector('#main h2')?.textContent.includes('Fib'));
	expect('view of a method', await browser.run(() => location.hash.includes('method=')), true);
}

// The figures of a selected time and thread are those of the report for them.
async function checkSelection(browser) {
	const whole = JSON.parse(readFileSync('sample.json', 'utf8'));
	const report = JSON.parse(readFileSync('window.json', 'utf8'));
	await browser.openLog(address('sample.html'), '#view=timeline');
	expect('lanes', await browser.run(() => document.querySelectorAll('canvas.lane').length), whole.threads.length);
	const thread = whole.threads[0].id;
	await browser.show(`view=overview&from=0&to=500000&threads=${thread}`);
	compareTotals('selection', await browser.run(readFigures), report);
}

// The events of each block are those of the dump.
async function checkEvents(browser) {
	const lines = readFileSync('events', 'utf8').trim().split('\n').map((line) => JSON.parse(line));
	const blocks = [];
	for (const line of lines) {
		if (line.block !== undefined)
			blocks.push({ isShown: line.block === 'events', events: [] });
		else if (line.event !== undefined)
			blocks.at(-1).events.push([line.event, line.counter, line.value ?? 0].join());
	}
	const wanted = blocks.filter(({ isShown }) => isShown);
	expect('blocks of the dump', wanted.length > 1, true);
	await browser.openLog(address('sample.html'), '#view=events');
	for (let block = 1; block <= wanted.length; block++) {
		await browser.show(`view=events&block=${block}`);
		const rows = await browser.run(readRows);
		expect(`block ${block}`, rows.map((row) => [row.Event, row.Counter, row.Value].join()).join('\n'),
			wanted[block - 1].events.slice(0, rows.length).join('\n'));
		expect(`rows of block ${block}`, rows.length >= Math.min(40, wanted[block - 1].events.length), true);
		expect(`block ${block} of all`, await browser.run(() => document.getElementById('block').textContent),
			`Block ${block} of ${wanted.length}`);
	}
	const { counter } = lines.filter(({ event }) => event !== undefined)[3];
	const { counter: start } = lines.find(({ event }) => event !== undefined);
	await browser.show(`view=events&from=0&to=${counter - start}`);
	expect('events of a time', (await browser.run(readRows)).length, 3);
	expect('no damage', await browser.run(() => document.querySelector('#main .warning')), null);
	await browser.show('view=events&threads=0x7777');
	expect('events of no thread', await browser.run(() => document.querySelectorAll('#main table').length), 0);
	await browser.openLog(address('truncated.html'), '#view=events');
	expect('a truncated block is left out', await browser.run(() => document.querySelector('#main .warning') !== null), true);
}

// A page without a log opens one that is chosen.
async function checkChoice(browser) {
	await browser.open(address('none.html'));
	await browser.wait('the invitation', () => document.body.dataset.state === 'empty');
	await browser.type('#file', resolve('gzip.mprof'));
	await browser.wait('the log', () => document.body.dataset.state === 'ready');
	compareTotals('chosen', await browser.run(readFigures), JSON.parse(readFileSync('gzip.json', 'utf8')));
}

async function checkHostile(browser) {
	await browser.openLog(address('hostile.html'));
	for (const view of ['overview', 'methods', 'flame', 'classes', 'threads', 'events']) {
		await browser.show(`view=${view}`);
		expect(`${view}: elements from names`, await browser.run(() => document.querySelectorAll('img, b').length), 0);
	}
	await browser.show('view=methods');
	const names = (await browser.run(readRows)).map((row) => row.Method);
	expect('a name with markup is shown', names.some((name) => name.startsWith('<img src=>')), true);
	expect('title', await browser.run(() => document.title), '<img src=x onerror=document.title=1>.mprof');
	expect('policy', await browser.run(() => {
		const script = document.createElement('script');
		script.textContent = 'window.wasRun = true';
		document.body.append(script);
		return window.wasRun === undefined;
	}), true);
}

const browser = await Browser.start();
try {
	await browser.requests();
	await checkLogs(browser);
	await checkAddress(browser);
	await checkSelection(browser);
	await checkEvents(browser);
	await checkChoice(browser);
	const messages = await browser.console();
	expect('messages of the console', messages.map(({ message }) => message).join('\n'), '');
	await checkHostile(browser);
	const remote = (await browser.requests()).filter((url) => !/^(file|blob|data|about|chrome[a-z-]*):/.test(url));
	expect('requests', remote.join(' '), '');
} finally {
	await browser.close();
}
expectMany(100);
finish();
