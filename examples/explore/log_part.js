// SPDX-License-Identifier: MIT
// The part of a log that has arrived, as a log that has ended: views that need an end can be made before all of it has
// arrived. Runs in the worker.

// A part is made again when the log has grown by this factor.
const leastGrowth = 1.25;

export class LogPart {
	#mprof;
	#log;
	#part = null;
	#bytes = 0;
	#last = Promise.resolve();
	/** Whether what get() returned last is the whole log. */
	isWhole = false;

	constructor(mprof, log) {
		this.#mprof = mprof;
		this.#log = log;
	}

	/**
	 * The log, or what has arrived of it. release() is called if another part was returned before, which is closed
	 * with its views.
	 */
	get(release) {
		const result = this.#last.then(() => this.#make(release));
		this.#last = result.catch(() => {});
		return result;
	}

	async #make(release) {
		this.isWhole = this.#log.finished;
		if (this.isWhole) {
			this.#drop(release);
			return this.#log;
		}
		if (this.#part !== null && this.#log.byteLength < leastGrowth * this.#bytes)
			return this.#part;
		this.#drop(release);
		const size = this.#log.byteLength;
		this.#bytes = size;
		this.#part = await this.#mprof.open({ size, read: (position, target) =>
			this.#log.copyBytes(position, target.subarray(0, Math.max(0, Math.min(target.length, size - position)))) });
		return this.#part;
	}

	#drop(release) {
		if (this.#part === null)
			return;
		release();
		this.#part.close();
		this.#part = null;
	}
}
