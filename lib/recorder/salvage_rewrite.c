/* SPDX-License-Identifier: MIT */
/* Writes a new generation of the journal. */
#include "recorder/salvage_rewrite.h"

#include "recorder/key_fields.h"

void salvage_rewrite_journal(recorder_drain *drain)
{
	salvage_journal *journal = &drain->keys.journal;
	salvage_journal before;

	if (!salvage_journal_is_due(journal))
		return;
	salvage_journal_begin(journal, &before);
	keys_write_journal(&drain->keys);
	key_fields_write_journal(&drain->keys);
	stacks_write_journal(&drain->stacks);
	root_table_write_journal(&drain->roots);
	salvage_journal_end(journal, &before);
}
