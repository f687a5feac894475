// SPDX-License-Identifier: MIT
// Opens logs in Visual Studio Code for browsers, with the extension, and compares what it shows with the reports that
// test_workbench.sh made in the current directory: workbench.mjs CODE EXTENSION.
import { readFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Browser } from '../explore/browser.mjs';
import { expect, expectMany, finish } from '../explore/expect.mjs';
import { startServer } from './server.mjs';

const [code, extension] = process.argv.slice(2);
const server = await startServer({ code, extension, tests: fileURLToPath(new URL('.', import.meta.url)) });
const address = `http://localhost:${server.port}/`;
const rules = 'MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost';

// Goes from the workbench into the page of the editor that is shown.
async function enterEditor(browser) {
	await browser.enterFrames('iframe.webview.ready', '#active-frame');
	await browser.wait('the log', () => ['ready', 'failed'].includes(document.body.dataset.state));
}

async function openLog(browser, log, theme = 'light') {
	await browser.open(`${address}?log=${encodeURIComponent(log)}&theme=${theme}`);
	await enterEditor(browser);
}

function readFigures() {
	return Object.fromEntries(Array.from(document.querySelectorAll('#main dd[data-key]'), (cell) =>
		[cell.dataset.key, cell.dataset.value]));
}

function readMethods() {
	return Array.from(document.querySelectorAll('#main tbody tr:not(.space)'), (row) => row.querySelector('.name').textContent);
}

async function checkLogs(browser) {
	for (const log of readFileSync('logs', 'utf8').trim().split('\n')) {
		const { session, totals } = JSON.parse(readFileSync(`${log}.json`, 'utf8'));
		await openLog(browser, log);
		const figures = await browser.run(readFigures);
		for (const [key, value] of Object.entries(totals)) {
			if (typeof value === 'number' && value > 0)
				expect(`${log}: ${key}`, Number(figures[key]), value);
		}
		expect(`${log}: dialect`, figures.dialect, session.dialect);
		expect(`${log}: title`, await browser.run(() => document.getElementById('title').textContent), log);
		const isSound = session.complete && totals.lost_events === 0;
		expect(`${log}: has a warning`, await browser.run(() => document.querySelector('.warning') !== null), !isSound);
	}
}

async function checkNames(browser) {
	await openLog(browser, 'hostile.mprof');
	for (const view of ['methods', 'flame', 'timeline']) {
		await browser.show(`view=${view}`);
		expect(`${view}: elements from names`, await browser.run(() => document.querySelectorAll('img, b').length), 0);
	}
}

// Whether a database of Code contains a text.
async function findStored(text) {
	const finish = (request) => new Promise((resolve, reject) => {
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error);
	});
	for (const { name } of await indexedDB.databases()) {
		const database = await finish(indexedDB.open(name));
		for (const store of database.objectStoreNames) {
			const values = await finish(database.transaction(store).objectStore(store).getAll());
			if (values.some((value) => typeof value === 'string' && value.includes(text))) {
				database.close();
				return true;
			}
		}
		database.close();
	}
	return false;
}

// A link of the page is followed; the view is there again when Code was closed and opened.
async function checkState(browser) {
	await openLog(browser, 'sample.mprof');
	await browser.click('a[data-view="methods"]');
	await browser.wait('the methods', () => document.getElementById('main').dataset.view === 'methods' &&
		document.body.dataset.state === 'ready');
	const methods = await browser.run(readMethods);
	expect('methods', methods.length, JSON.parse(readFileSync('sample.mprof.json', 'utf8')).methods.length);
	await browser.enterFrames();
	await browser.wait('the state', findStored, 'view=methods');
	await browser.open(address);
	await enterEditor(browser);
	expect('view after a restart', await browser.run(() => document.getElementById('main').dataset.view), 'methods');
	expect('methods after a restart', (await browser.run(readMethods)).join(), methods.join());
}

async function checkSaving(browser) {
	await openLog(browser, 'sample.mprof');
	await browser.show('view=methods');
	const methods = await browser.run(readMethods);
	await browser.run(() => Array.from(document.querySelectorAll('#main button'))
		.find((button) => button.textContent === 'Save as CSV').click());
	await browser.enterFrames();
	const field = '.quick-input-widget input.input';
	await browser.wait('the name', (selector) => document.querySelector(selector)?.value.includes('.csv'), field);
	await browser.type(field, '\ue007');
	const name = 'sample-methods.csv';
	for (let tries = 0; tries < 200 && !existsSync(name); tries++)
		await new Promise((resolve) => setTimeout(resolve, 50));
	const lines = readFileSync(name, 'utf8').trim().split('\n');
	expect('rows that were saved', lines.length, methods.length + 1);
}

async function checkTheme(isDark) {
	const browser = await Browser.start({ rules });
	try {
		// Code may open a log as text while it does not know the editors of its extensions, which it then stores.
		await browser.open(address);
		await browser.wait('the extension', findStored, 'mprof.explore');
		await openLog(browser, 'sample.mprof', isDark ? 'dark' : 'light');
		expect(`dark: ${isDark}`, await browser.run(() => document.documentElement.dataset.theme), isDark ? 'dark' : 'light');
		return browser;
	} catch (error) {
		await browser.close();
		throw error;
	}
}

await (await checkTheme(true)).close();
const browser = await checkTheme(false);
try {
	await checkLogs(browser);
	await checkNames(browser);
	await checkState(browser);
	await checkSaving(browser);
	const violations = (await browser.console()).filter(({ message }) => message.includes('Content Security Policy'));
	expect('violations of the security policy', violations.map(({ message }) => message).join(), '');
} finally {
	await browser.close();
	server.close();
}
expectMany(60);
finish();
