// SPDX-License-Identifier: MIT
// A log and its bytes.
import { concatenate, toBytes } from './bytes.js';
import { EventCursor } from './events.js';
import { Inflater } from './gzip.js';
import { HeapGraph } from './heap_graph.js';
import { Profile } from './profile.js';
import { MprofError } from './statuses.js';

/** A log: its bytes, which arrive in pieces, and the views of it. Made by Mprof.open() and Mprof.createLog(). */
export class Log {
	#module;
	#number;
	#pieces = [];
	#starts = [];
	#inflater = null;
	#first = null; // Bytes before it is known whether the log is compressed.
	#random = null;
	#views = new Set();
	#failure = null;

	constructor(module, number, random) {
		this.#module = module;
		this.#number = number;
		this.#random = random ?? null;
		this.byteLength = random?.size ?? 0;
		this.fedBytes = 0;
		this.compressed = false;
		this.finished = random !== undefined;
		this.gzipFault = null;
	}

	#append(bytes) {
		if (bytes.length === 0)
			return;
		this.#pieces.push(bytes);
		this.#starts.push(this.byteLength);
		this.byteLength += bytes.length;
	}

	async feed(data) {
		if (this.finished)
			throw new MprofError('state', 'Log.feed() called after Log.finish()');
		let bytes = toBytes(data);
		this.fedBytes += bytes.length;
		if (this.#inflater === null && this.byteLength === 0) {
			if (this.#first !== null)
				bytes = concatenate([this.#first, bytes]);
			this.#first = null;
			if (bytes.length < 2) {
				this.#first = bytes;
				return;
			}
			if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
				this.compressed = true;
				this.#inflater = new Inflater((part) => this.#append(part));
			}
		}
		if (this.#inflater !== null)
			await this.#inflater.feed(bytes);
		else
			this.#append(bytes);
	}

	async finish() {
		if (this.finished)
			return;
		if (this.#first !== null)
			this.#append(this.#first);
		if (this.#inflater !== null) {
			await this.#inflater.finish();
			this.gzipFault = this.#inflater.fault;
			this.#inflater = null;
		}
		this.finished = true;
		for (const view of this.#views)
			view.finishSource();
	}

	// For the module: copies bytes at a position, returns their number, -1 if it failed.
	copyBytes(position, target) {
		if (this.#random !== null) {
			try {
				return this.#random.read(position, target);
			} catch (error) {
				this.#failure = error;
				return -1;
			}
		}
		let low = 0;
		let high = this.#starts.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.#starts[middle] <= position)
				low = middle + 1;
			else
				high = middle;
		}
		let copied = 0;
		for (let i = low - 1; i >= 0 && i < this.#pieces.length && copied < target.length; i++) {
			const from = position + copied - this.#starts[i];
			const part = this.#pieces[i].subarray(from, from + target.length - copied);
			target.set(part, copied);
			copied += part.length;
		}
		return copied;
	}

	// For views: the exception of a function of the caller, once.
	takeFailure() {
		const failure = this.#failure;
		this.#failure = null;
		return failure;
	}

	addView(view) {
		this.#views.add(view);
		return view;
	}

	removeView(view) {
		this.#views.delete(view);
	}

	get number() {
		return this.#number;
	}

	profile(options = {}) {
		return this.addView(new Profile(this.#module, this, options));
	}

	events(options = {}) {
		return this.addView(new EventCursor(this.#module, this, options));
	}

	heapGraph(options = {}) {
		return this.addView(new HeapGraph(this.#module, this, options));
	}

	close() {
		for (const view of this.#views)
			view.close();
		this.#pieces = [];
		this.#starts = [];
		this.#module.logs.delete(this.#number);
	}
}
