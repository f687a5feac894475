// SPDX-License-Identifier: MIT
// Writes a log in parts, serves it with "mprof explore --serve" and looks at the page: served.mjs MPROF.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Browser } from './browser.mjs';
import { expect, expectMany, finish } from './expect.mjs';

const [, , mprof] = process.argv;
const whole = readFileSync('whole.mprof');
const report = JSON.parse(readFileSync('whole.json', 'utf8'));
const offsets = JSON.parse(readFileSync('offsets', 'utf8'));

// Starts a server; stop() returns its exit status.
async function serve(file) {
	const server = spawn(mprof, ['explore', '--serve', file], { stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = new Promise((resolve) => { server.on('exit', resolve); });
	const link = await new Promise((resolve) => { server.stdout.once('data', (data) => resolve(String(data).trim())); });
	return { link, stop: () => {
		server.kill('SIGINT');
		return ended;
	} };
}

function readEvents() {
	return Number(document.querySelector('#main dd[data-key="events"]')?.dataset.value ?? 0);
}

async function checkGrowth(browser) {
	const log = openSync('growing.mprof', 'w');
	let written = 0;
	const write = (end) => {
		writeSync(log, whole.subarray(written, end));
		written = end;
	};
	write(offsets[1]);
	const { link, stop } = await serve('growing.mprof');
	await browser.open(link);
	let events = 0;
	for (const end of [...offsets.slice(2, 5), whole.length - 8]) {
		events = await browser.wait('more events', (before) => {
			const found = Number(document.querySelector('#main dd[data-key="events"]')?.dataset.value ?? 0);
			return found > before ? found : null;
		}, events);
		expect('the log is not complete', await browser.run(() => document.body.dataset.state), 'reading');
		await browser.wait('the sign of recording', () => !document.getElementById('live').hidden);
		write(end);
	}
	await browser.run(() => { location.hash = 'view=methods'; });
	await browser.wait('methods before the end', () => document.querySelectorAll('#main tbody tr').length > 1);
	await browser.run(() => { location.hash = 'view=overview'; });
	await browser.wait('the overview', () => document.querySelector('#main dd[data-key="events"]') !== null);
	write(whole.length);
	closeSync(log);
	await browser.wait('the end of the log', () => document.body.dataset.state === 'ready');
	expect('events of the whole log', await browser.run(readEvents), report.totals.events);
	expect('no warning', await browser.run(() => document.querySelector('#problems .warning')?.textContent ?? ''), '');
	expect('the sign of recording is gone', await browser.run(() => document.getElementById('reading').hidden), true);
	expect('status of the server', await stop(), 0);
	const remote = (await browser.requests()).filter((url) => !url.startsWith(link) && !/^(blob|data|about|chrome[a-z-]*):/.test(url));
	expect('requests', remote.join(' '), '');
	expect('messages of the console', (await browser.console()).map(({ message }) => message).join('\n'), '');
}

// The server ends while the page waits for more.
async function checkEnd(browser) {
	const log = openSync('growing.mprof', 'w');
	writeSync(log, whole.subarray(0, offsets[2]));
	const { link, stop } = await serve('growing.mprof');
	await browser.open(link);
	await browser.wait('some events', () => Number(document.querySelector('#main dd[data-key="events"]')?.dataset.value ?? 0) > 0);
	await stop();
	await browser.wait('what has arrived', () => document.body.dataset.state === 'ready');
	expect('a warning', await browser.run(() => document.querySelector('#problems .warning').textContent.includes('the server has ended')), true);
	closeSync(log);
}

const browser = await Browser.start({ rules: 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' });
try {
	await checkGrowth(browser);
	await checkEnd(browser);
} finally {
	await browser.close();
}
expectMany(9);
finish();
