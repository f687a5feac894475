// SPDX-License-Identifier: MIT
// Opens the pages that test_timeline.sh made: single calls, keys, the wheel, dragging, links, and metrics.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Browser, keys } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const ms = 1e6;
const address = (name) => `file://${resolve(name)}`;

async function open(browser, name, fragment) {
	await browser.openLog(address(name), fragment);
	await browser.wait('the calls', () => document.body.dataset.calls !== undefined);
}

function readChosen() {
	const chosen = document.getElementById('chosen');
	return chosen === null ? null : { text: chosen.textContent, start: Number(chosen.dataset.start), end: Number(chosen.dataset.end) };
}

function readTimes() {
	const { from, to, t0, t1, threads } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
	return { from: Number(from), to: Number(to), t0: Number(t0), t1: Number(t1), threads };
}

async function press(browser, key) {
	await browser.type('canvas.lane', key);
	return browser.run(readChosen);
}

// The log of make_timeline: thread 0x10 is in m1 from 0 to 80 ms.
async function checkKeys(browser) {
	await open(browser, 'timeline.html', '#view=timeline');
	expect('lanes', await browser.run(() => document.querySelectorAll('canvas.lane').length), 3);
	expect('metrics are closed', await browser.run(() => document.querySelectorAll('canvas.metric').length), 0);
	await browser.click('.track-group summary');
	await browser.wait('the metrics', () => document.querySelectorAll('canvas.metric').length === 2);
	expect('threads are above the metrics', await browser.run(() => document.querySelector('canvas.lane').getBoundingClientRect().top <
		document.querySelector('canvas.metric').getBoundingClientRect().top), true);
	expect('nothing is chosen', await browser.run(readChosen), null);
	const outer = await press(browser, keys.enter);
	expect('outermost call', outer.text.startsWith('C1.m1 ()'), true);
	expect('start of it', outer.start, 0);
	expect('end of it', outer.end, 80 * ms);
	const inner = await press(browser, keys.down);
	expect('call in it', inner.start, 16 * ms);
	expect('the next one', (await press(browser, keys.right)).start, 26 * ms);
	expect('the one before', (await press(browser, keys.left)).start, 16 * ms);
	expect('no call before it', (await press(browser, keys.left)).start, 16 * ms);
	expect('its caller', (await press(browser, keys.up)).text, outer.text);
	await press(browser, keys.enter);
	const { t0, t1 } = await browser.wait('the address', () => {
		const fields = new URLSearchParams(location.hash.slice(1));
		return fields.has('t0') ? { t0: Number(fields.get('t0')), t1: Number(fields.get('t1')) } : null;
	});
	expect('the call is shown', t0 === 0 && t1 >= 80 * ms && t1 < 90 * ms, true);
	expect('no call is chosen after Escape', await press(browser, keys.escape), null);
}

// What is shown and what is selected come back with the address, and the other views follow.
async function checkLink(browser) {
	await open(browser, 'timeline.html', '#view=timeline&t0=20000000&t1=30000000');
	await browser.run(() => Array.from(document.querySelectorAll('#main button')).find(({ textContent }) =>
		textContent === 'Select what is shown').click());
	await browser.wait('the selection', () => !document.getElementById('selection').hidden);
	const { from, to } = await browser.run(readTimes);
	expect('start of the selection', from, 20 * ms);
	expect('end of the selection', to, 30 * ms);
	await press(browser, keys.enter);
	await browser.run(() => Array.from(document.querySelectorAll('#timeline-status button')).at(-1).click());
	await browser.wait('the thread', () => document.querySelectorAll('canvas.lane').length === 1);
	expect('thread of the selection', (await browser.run(readTimes)).threads, '0x10');
	expect('links keep it', await browser.run(() => Array.from(document.querySelectorAll('nav a')).every((link) =>
		link.href.includes('from=0&to=80000000&threads=0x10'))), true);
}

async function checkPointer(browser) {
	await open(browser, 'timeline.html', '#view=timeline');
	const whole = 100 * ms;
	const width = await browser.run(() => document.querySelector('canvas.lane').clientWidth);
	await browser.drag('canvas.lane', [-100, 0], [100, 0]);
	await browser.wait('the selection', () => !document.getElementById('selection').hidden);
	const { from, to } = await browser.run(readTimes);
	const near = (what, found, wanted) => expect(what, Math.abs(found - wanted) < 0.02 * whole ? wanted : found, wanted);
	near('dragged from', from, (0.5 - 100 / width) * whole);
	near('dragged to', to, (0.5 + 100 / width) * whole);
	await browser.wheel('canvas.lane', -400);
	const { t0, t1 } = await browser.wait('the zoom', () => {
		const fields = new URLSearchParams(location.hash.slice(1));
		return fields.has('t0') ? { t0: Number(fields.get('t0')), t1: Number(fields.get('t1')) } : null;
	});
	expect('the wheel zooms', t1 - t0 < 0.7 * whole, true);
	near('the time below the pointer stays', (t0 + t1) / 2, whole / 2);
	await browser.drag('canvas.axis', [0, 0], [-200, 0]);
	await browser.wait('the move', (before) => Number(new URLSearchParams(location.hash.slice(1)).get('t0')) > before, t0);
}

// The log of make_spans: requests of two threads in rows of their own, and tasks that any thread ends.
async function checkSpans(browser) {
	await open(browser, 'spans.html', '#view=timeline');
	expect('tracks of spans', await browser.run(() => JSON.stringify(Array.from(document.querySelectorAll('canvas.spans'), (canvas) =>
		[canvas.getAttribute('aria-label').split(':')[0], canvas.clientHeight]))),
	JSON.stringify([['Spans of thread 0x20', 30], ['Spans of thread 0x21', 30], ['Spans that any thread may end', 15]]));
	const wanted = [['http: /b <&>": 20.00 ms, from 32.00 ms', 32, 52], ['http: /a: 30.00 ms, from 41.00 ms', 41, 71],
		['task: 46.00 ms, from 14.00 ms', 14, 60]];
	for (const [i, [text, start, end]] of wanted.entries()) {
		await browser.run((at) => document.querySelectorAll('canvas.spans').forEach((canvas, index) => { canvas.id = index === at ? 'asked' : ''; }), i);
		await browser.type('#asked', keys.enter);
		const chosen = await browser.run(readChosen);
		expect(`span ${i}`, chosen?.text, text);
		expect(`start of span ${i}`, chosen?.start, start * ms);
		expect(`end of span ${i}`, chosen?.end, end * ms);
	}
	const lanes = await browser.run(() => Array.from(document.querySelectorAll('.lane-name'), (lane) =>
		[lane.textContent, lane.tagName, lane.closest('details')?.open ?? null]));
	expect('a thread with calls and spans', JSON.stringify(lanes.slice(0, 2)),
		JSON.stringify([['thread 0x20', 'BUTTON', null], ['Spans of thread 0x20', 'DIV', null]]));
	expect('threads without activity are folded', lanes.filter(([, , isOpen]) => isOpen === false).length > 0, true);
}

// The calls are those of the report, in every log.
async function checkCounts(browser) {
	for (const log of readFileSync('logs', 'utf8').trim().split('\n')) {
		const report = JSON.parse(readFileSync(`${log}.json`, 'utf8'));
		if (!report.session.complete || report.totals.calls === 0)
			continue;
		await open(browser, `${log}.html`, '#view=timeline');
		expect(`${log}: calls`, Number(await browser.run(() => document.body.dataset.calls)), report.totals.calls);
	}
}

// The cells of the heat map have the times of the report; keys select cells.
async function checkHeat(browser) {
	for (const log of readFileSync('logs', 'utf8').trim().split('\n')) {
		const { totals, threads } = JSON.parse(readFileSync(`${log}.json`, 'utf8'));
		await browser.openLog(address(`${log}.html`), '#view=heat&value=methods');
		const sum = Number(await browser.run(() => document.getElementById('heat-sum')?.dataset.value ?? 0));
		expect(`${log}: time in methods`, Math.abs(sum - totals.method_ns) <= 2 * threads.length ? totals.method_ns : sum, totals.method_ns);
	}
	await browser.openLog(address('timeline.html'), '#view=heat&value=methods&period=10000000');
	await browser.type('.heat canvas', `${keys.right}${keys.right}${keys.enter}`);
	await browser.wait('the selection', () => !document.getElementById('selection').hidden);
	const { from, to } = await browser.run(readTimes);
	expect('start of the cell', from, 20 * ms);
	expect('end of the cell', to, 20.2 * ms);
	const links = await browser.run(() => Array.from(document.querySelectorAll('#heat-links a'), (link) => link.hash));
	expect('links have the selection', links.every((link) => link.includes('from=20000000&to=20200000')), true);
}

const browser = await Browser.start();
try {
	await checkKeys(browser);
	await checkLink(browser);
	await checkPointer(browser);
	await checkSpans(browser);
	await checkCounts(browser);
	await checkHeat(browser);
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
} finally {
	await browser.close();
}
expectMany(25);
finish();
