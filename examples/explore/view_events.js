// SPDX-License-Identifier: MIT
// The events of the log as they were recorded, one block of a thread at a time.
import { changeAddress } from './address.js';
import { element } from './dom.js';
import { countText } from './figures.js';
import { DataTable } from './table.js';

function blockButton(title, block, blocks) {
	return element('button', { type: 'button', disabled: block < 1 || block > blocks, onclick: () => changeAddress({ block }) }, title);
}

// Only complete blocks are listed.
function noteDamage({ isDamaged }) {
	return isDamaged ? [element('p', { class: 'warning' }, 'Damaged and truncated blocks are left out here, also those of their ' +
		'events that the other views count. The overview states where the damage is.')] : [];
}

function noteReading({ isWhole }) {
	return isWhole ? [] : [element('p', { class: 'faint' }, 'The log is still being read: more blocks follow.')];
}

export const eventsView = {
	id: 'events',
	title: 'Events',
	isFilled: ({ blocks, finished }) => blocks.events > 0 || !finished,
	async draw(container, { client, selection, address }) {
		const found = await client.ask('events', { selection, block: Number(address.block) || 1 });
		if (found.blocks === 0) {
			container.replaceChildren(...noteDamage(found), element('p', { class: 'empty' }, found.isWhole
				? 'The log has no complete block with events of threads in the selection.'
				: 'What has been read of the log has no events of threads in the selection yet.'));
			return;
		}
		const { rows, block, blocks, offset, thread, isFull } = found;
		const columns = [{ title: 'Number', unit: 'count', values: rows.number }, { title: 'Time', unit: 'ns', values: rows.time },
			{ title: 'Counter', unit: 'count', values: rows.counter }, { title: 'Value', unit: 'count', values: rows.value },
			{ title: 'Event', unit: 'text', values: rows.event }, { title: 'Object', unit: 'text', values: rows.object },
			{ title: 'Method or class', unit: 'text', values: rows.name }];
		const used = columns.filter(({ values }) => values.some((value) => value !== null));
		const table = new DataTable(rows.number.length, used.length > 0 ? used : columns, { name: `events-${offset}`, title: 'Events',
			search: address.search, sort: 'Number', ascending: true });
		container.replaceChildren(...noteDamage(found), ...noteReading(found),
			element('div', { class: 'tools' }, blockButton('First', 1, block - 1), blockButton('Earlier', block - 1, blocks),
				element('span', { id: 'block' }, `Block ${countText(block)} of ${countText(blocks)}`),
				blockButton('Later', block + 1, blocks), blockButton('Last', blocks, block < blocks ? blocks : 0),
				element('span', { class: 'faint' }, `thread 0x${thread.toString(16)}, at offset ${countText(offset)}`), ...table.tools,
				isFull ? element('span', { class: 'warning' }, 'Only the first events of this block are shown.') : null), table.element);
	},
};
