// SPDX-License-Identifier: MIT
// Decompresses logs that arrive in pieces.
import { concatenate } from './bytes.js';
import { yieldToTasks } from './tasks.js';

// Decompresses one member of a gzip file. Its bytes are delivered as soon as they arrive.
class GzipMember {
	#writer;
	#reading;
	failed = false;
	delivered = 0;

	constructor(deliver, skip) {
		const stream = new DecompressionStream('gzip');
		this.#writer = stream.writable.getWriter();
		this.#writer.closed.catch(() => {});
		this.#reading = this.#read(stream.readable.getReader(), deliver, skip);
	}

	async #read(reader, deliver, skip) {
		try {
			for (;;) {
				const { done, value } = await reader.read();
				if (done)
					return;
				const from = Math.min(value.length, Math.max(0, skip - this.delivered));
				this.delivered += value.length;
				if (from < value.length)
					deliver(value.subarray(from));
			}
		} catch {
			this.failed = true;
		}
	}

	async feed(bytes) {
		try {
			await this.#writer.write(bytes);
		} catch {
			this.failed = true;
		}
	}

	// Returns whether the member is complete and ends with the bytes that were fed.
	async finish() {
		try {
			// An error discards what has not been read yet.
			await yieldToTasks();
			await this.#writer.close();
		} catch {
			this.failed = true;
		}
		await this.#reading;
		return !this.failed;
	}
}

// Decompresses a gzip file that arrives in pieces. Browsers accept only one member, so a file of several ones is
// divided: a member ends where the header of the next one is, if it is complete up to there.
export class Inflater {
	#deliver;
	#pieces = [];
	#member;
	fault = null;

	constructor(deliver) {
		this.#deliver = deliver;
		this.#member = new GzipMember(deliver, 0);
	}

	async feed(bytes) {
		this.#pieces.push(bytes);
		// Small pieces, since a browser does not deliver the bytes of a piece with an error.
		for (let at = 0; at < bytes.length && !this.#member.failed; at += 65536)
			await this.#member.feed(bytes.subarray(at, at + 65536));
	}

	async finish() {
		if (await this.#member.finish())
			return;
		let bytes = concatenate(this.#pieces);
		let delivered = this.#member.delivered;
		while (bytes.length > 0) {
			const end = await this.#divide(bytes, delivered);
			if (end === 0) {
				this.fault = 'the compressed log is truncated or damaged';
				return;
			}
			bytes = bytes.subarray(end);
			delivered = 0;
		}
	}

	// Delivers the rest of the first member. Returns the offset after it, 0 if it is not complete.
	async #divide(bytes, delivered) {
		let skip = delivered;
		for (let at = bytes.indexOf(0x1f, 18); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
			if (bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8)
				continue;
			const member = new GzipMember(this.#deliver, skip);
			await member.feed(bytes.subarray(0, at));
			if (await member.finish())
				return at;
			skip = Math.max(skip, member.delivered);
		}
		const last = new GzipMember(this.#deliver, skip);
		await last.feed(bytes);
		return await last.finish() ? bytes.length : 0;
	}
}
