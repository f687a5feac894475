// SPDX-License-Identifier: MIT
// The log of a page that "mprof explore --serve" serves: fetched from the same server in pieces, while it grows.
import { pairNames } from './client.js';

// Bytes that the worker has not read yet while more are fetched.
const mostWaiting = 8 << 20;

// How often names of functions are fetched while the log grows, in milliseconds.
const namesInterval = 2000;

// How long the page waits before it asks a server again that did not answer, in milliseconds, and how often.
const retryTime = 1000;
const mostRetries = 3;

function sleep(milliseconds) {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export class ServedLog {
	#page;
	#received = 0;
	#read = 0;
	#resume = null;
	#isStopped = false;
	#nextNames = 0;

	/** page: send(message, transfer) to the worker, end(problem) once no more comes; a problem is a text or null. */
	constructor(page) {
		this.#page = page;
	}

	/** Fetches all that the log has and will have. */
	async fetchAll() {
		this.#page.send({ begin: true }, []);
		let problem = null;
		try {
			while (!await this.#fetchPiece() && !this.#isStopped)
				await this.#waitForWorker();
		} catch (error) {
			problem = error.message;
		}
		if (this.#isStopped)
			return;
		this.#page.send({ finish: true }, []);
		this.#page.end(problem);
	}

	// The names in the source of the functions so far.
	async #fetchNames() {
		const response = await fetch('names', { cache: 'no-store' });
		if (response.ok)
			this.#page.send({ names: pairNames(await response.text()) }, []);
		this.#nextNames = performance.now() + namesInterval;
	}

	// Returns whether the log is complete. The server keeps the request until it has something.
	async #fetchPiece() {
		const response = await this.#ask();
		if (!response.ok)
			throw new Error(`the server answered ${response.status}`);
		const bytes = new Uint8Array(await response.arrayBuffer());
		const isComplete = response.headers.get('Mprof-Complete') === '1';
		this.#received += bytes.length;
		if (!this.#isStopped && (isComplete || (bytes.length > 0 && performance.now() >= this.#nextNames)))
			await this.#fetchNames();
		if (bytes.length > 0 && !this.#isStopped)
			this.#page.send({ bytes }, [bytes.buffer]);
		return isComplete;
	}

	async #ask() {
		for (let retries = 0; ; retries++) {
			try {
				return await fetch(`log/${this.#received}`, { cache: 'no-store' });
			} catch {
				if (retries === mostRetries)
					throw new Error('the server has ended');
				await sleep(retryTime);
			}
		}
	}

	/** Called when the worker has read the log up to some bytes. */
	noteRead(bytes) {
		this.#read = bytes;
		if (this.#received - bytes < mostWaiting)
			this.#resume?.();
	}

	/** Another log is shown. */
	stop() {
		this.#isStopped = true;
		this.#resume?.();
	}

	/** Whether all that was fetched was read: the page waits for the log to grow. */
	get isLive() {
		return this.#read >= this.#received;
	}

	async #waitForWorker() {
		if (this.#received - this.#read < mostWaiting)
			return;
		await new Promise((resolve) => { this.#resume = resolve; });
		this.#resume = null;
	}
}
