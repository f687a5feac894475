// SPDX-License-Identifier: MIT
// Bytes that arrive in pieces, and streams of them.

export function concatenate(pieces) {
	const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
	let at = 0;
	for (const piece of pieces) {
		whole.set(piece, at);
		at += piece.length;
	}
	return whole;
}

export function toBytes(data) {
	if (data instanceof Uint8Array)
		return data;
	if (ArrayBuffer.isView(data))
		return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
	return new Uint8Array(data);
}

// Not every browser can iterate over a stream.
export async function* readStream(stream) {
	if (typeof stream.getReader !== 'function') {
		yield* stream;
		return;
	}
	const reader = stream.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done)
			return;
		yield value;
	}
}
