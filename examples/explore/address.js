// SPDX-License-Identifier: MIT
// The state of the page: it is in the fragment of the address, so that a link restores a view with its selection.

/** The fields of the fragment, as texts. */
export function readAddress() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/**
 * Changes fields; null removes one. The page is drawn again when the fragment has changed. With isMinor, the browser's
 * button for the page before skips the change.
 */
export function changeAddress(changes, isMinor = false) {
	const fields = { ...readAddress(), ...changes };
	const parameters = new URLSearchParams();
	for (const [name, value] of Object.entries(fields)) {
		if (value !== null && value !== undefined && value !== '')
			parameters.set(name, value);
	}
	if (isMinor)
		location.replace(`#${parameters}`);
	else
		location.hash = parameters.toString();
}

/** The address of a view, with the selection that is there now. */
export function linkTo(view, changes = {}) {
	const { from, to, threads } = readAddress();
	const fields = { view, from, to, threads, ...changes };
	return `#${new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== undefined))}`;
}

/** The selection of time, in nanoseconds, and threads. */
export function readSelection() {
	const { from, to, threads } = readAddress();
	const selection = {};
	if (from !== undefined && Number.isFinite(Number(from)))
		selection.from = Number(from);
	if (to !== undefined && Number.isFinite(Number(to)))
		selection.to = Number(to);
	const ids = (threads ?? '').split(',').filter((id) => /^0x[0-9a-f]{1,16}$/.test(id));
	if (ids.length > 0)
		selection.threads = ids.map((id) => BigInt(id));
	return selection;
}
