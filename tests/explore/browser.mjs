// SPDX-License-Identifier: MIT
// Headless Chromium, driven with WebDriver: opens pages, runs functions in them, takes screenshots. No name is resolved
// unless rules allow it, and every request that is not for a file fails.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const readyPattern = /started successfully on port (\d+)/;

/** Keys that have no text, for Browser.type(). */
export const keys = { enter: '\ue007', escape: '\ue00c', left: '\ue012', up: '\ue013', right: '\ue014', down: '\ue015' };

export class Browser {
	#driver;
	#address;
	#session;
	#profile;

	static async start({ chromium = '/usr/bin/chromium', width = 1200, height = 800, isDark = false, rules = 'MAP * ~NOTFOUND' } = {}) {
		const browser = new Browser();
		browser.#profile = mkdtempSync(join(tmpdir(), 'explore-'));
		browser.#driver = spawn('chromedriver', ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'] });
		browser.#address = await new Promise((resolve, reject) => {
			let output = '';
			browser.#driver.on('exit', () => reject(new Error(`chromedriver ended: ${output}`)));
			browser.#driver.stdout.on('data', (data) => {
				output += data;
				const found = readyPattern.exec(output);
				if (found !== null)
					resolve(`http://127.0.0.1:${found[1]}`);
			});
		});
		const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
			`--user-data-dir=${browser.#profile}`, `--window-size=${width},${height}`, `--host-resolver-rules=${rules}`,
			'--disable-background-networking', ...(isDark ? ['--force-dark-mode'] : [])];
		const { sessionId } = await browser.#call('POST', '/session', { capabilities: { alwaysMatch: {
			'goog:chromeOptions': { binary: chromium, args },
			'goog:loggingPrefs': { browser: 'ALL', performance: 'ALL' },
		} } });
		browser.#session = `/session/${sessionId}`;
		return browser;
	}

	async #call(method, path, body) {
		const response = await fetch(this.#address + path,
			{ method, body: body === undefined ? undefined : JSON.stringify(body), signal: AbortSignal.timeout(20000) });
		const { value } = await response.json();
		if (!response.ok)
			throw new Error(`${path}: ${value.message}`);
		return value;
	}

	open(address) {
		return this.#call('POST', `${this.#session}/url`, { url: address });
	}

	/** Runs a function in the page; its arguments and its result are JSON. */
	run(callback, ...args) {
		return this.#call('POST', `${this.#session}/execute/sync`, { script: `return (${callback})(...arguments);`, args });
	}

	/** Waits for a function to return something else than null or false. */
	async wait(what, callback, ...args) {
		for (let tries = 0; tries < 600; tries++) {
			const result = await this.run(callback, ...args);
			if (result)
				return result;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		throw new Error(`waited too long for ${what}`);
	}

	/** Opens a page with a log and waits until all of it was read and the view is drawn. */
	async openLog(address, fragment = '') {
		await this.open('about:blank');
		await this.open(address + fragment);
		await this.wait('the log', () => ['ready', 'failed'].includes(document.body.dataset.state));
	}

	/** Goes to another view of the same page. */
	async show(fragment) {
		await this.run((hash) => {
			document.body.dataset.state = 'drawing';
			location.hash = hash;
		}, fragment);
		await this.wait(`the view ${fragment}`, () => ['ready', 'failed'].includes(document.body.dataset.state));
	}

	#find(selector) {
		return this.#call('POST', `${this.#session}/element`, { using: 'css selector', value: selector });
	}

	/** Goes from the page into a frame, and from there into one that it contains; without selectors, to the page. */
	async enterFrames(...selectors) {
		await this.#call('POST', `${this.#session}/frame`, { id: null });
		for (const selector of selectors) {
			await this.wait(`the frame ${selector}`, (wanted) => document.querySelector(wanted) !== null, selector);
			await this.#call('POST', `${this.#session}/frame`, { id: await this.#find(selector) });
		}
	}

	async click(selector) {
		const element = await this.#find(selector);
		await this.#call('POST', `${this.#session}/element/${Object.values(element)[0]}/click`, {});
	}

	/** Types text into an element, or chooses a file for it. */
	async type(selector, text) {
		const element = await this.#find(selector);
		await this.#call('POST', `${this.#session}/element/${Object.values(element)[0]}/value`, { text });
	}

	/** Moves the pressed pointer inside an element, from one distance from its center to another, in pixels. */
	async drag(selector, [fromX, fromY], [toX, toY]) {
		const origin = await this.#find(selector);
		const move = (x, y) => ({ type: 'pointerMove', origin, x, y, duration: 20 });
		await this.#call('POST', `${this.#session}/actions`, { actions: [{ type: 'pointer', id: 'mouse', actions: [move(fromX, fromY),
			{ type: 'pointerDown', button: 0 }, move((fromX + toX) / 2 | 0, toY), move(toX, toY), { type: 'pointerUp', button: 0 }] }] });
	}

	/** Turns the wheel over the center of an element. */
	async wheel(selector, deltaY) {
		const origin = await this.#find(selector);
		await this.#call('POST', `${this.#session}/actions`, { actions: [{ type: 'wheel', id: 'wheel',
			actions: [{ type: 'scroll', origin, x: 0, y: 0, deltaX: 0, deltaY, duration: 0 }] }] });
	}

	/** Sends a command of the DevTools protocol to the page. */
	#command(cmd, params) {
		return this.#call('POST', `${this.#session}/goog/cdp/execute`, { cmd, params });
	}

	/** The size of the page in pixels, which may be that of a phone, and the theme that the system asks for. */
	async resize(width, height, isDark = false) {
		await this.#command('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
		await this.#command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }] });
	}

	async screenshot(path) {
		writeFileSync(path, Buffer.from(await this.#call('GET', `${this.#session}/screenshot`), 'base64'));
	}

	/** What the page wrote to the console, with violations of its security policy; since the last call. */
	console() {
		return this.#call('POST', `${this.#session}/se/log`, { type: 'browser' });
	}

	/** Addresses of requests since the last call. */
	async requests() {
		const entries = await this.#call('POST', `${this.#session}/se/log`, { type: 'performance' });
		return entries.map(({ message }) => JSON.parse(message).message)
			.filter(({ method }) => method === 'Network.requestWillBeSent').map(({ params }) => params.request.url);
	}

	async close() {
		try {
			await this.#call('DELETE', this.#session);
		} finally {
			this.#driver.kill();
			rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
		}
	}
}
