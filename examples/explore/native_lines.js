// SPDX-License-Identifier: MIT
// Lines and inlined functions of native code, which the tool read from debug information. Runs in the worker.

const fieldsOfFrame = 4;

// IDs of functions that the log does not define. Those of a log are smaller.
const firstId = 2 ** 31;

export class NativeLines {
	#locations = new Map();
	#functions = [];
	#numbers = new Map();

	/** rows: fields of the lines that the tool wrote, among them those of readable_names_add_lines(). */
	constructor(rows = []) {
		for (const [first, ...fields] of rows) {
			if (/^[@=]\d+$/.test(first) && fields.length % fieldsOfFrame === 0)
				this.#locations.set(first, fields);
		}
	}

	/** Whether anything is known. */
	get isKnown() {
		return this.#locations.size > 0;
	}

	/** The functions at a location, the innermost first: {name, or null, line, file, isInlined}; empty if not known. */
	find(location, isInnermost) {
		const fields = (isInnermost ? this.#locations.get(`=${location}`) : undefined) ?? this.#locations.get(`@${location}`) ?? [];
		return Array.from({ length: fields.length / fieldsOfFrame }, (_, i) => {
			const [name, line, file, isInlined] = fields.slice(i * fieldsOfFrame, (i + 1) * fieldsOfFrame);
			return { name: name || null, line: Number(line), file: file || null, isInlined: isInlined === '1' };
		});
	}

	/** An ID for a function of a module that the log does not define: the same one for the same names. */
	idOf(name, module) {
		const key = `${module} ${name}`;
		if (!this.#numbers.has(key))
			this.#numbers.set(key, firstId + this.#functions.push({ name, module }) - 1);
		return this.#numbers.get(key);
	}

	/** The function with such an ID: {name, module}; undefined for other IDs. */
	functionOf(id) {
		return id < firstId ? undefined : this.#functions[id - firstId];
	}
}
