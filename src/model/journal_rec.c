/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the records of a journal come to: which controllers are ours. */
#include "model/journal_rec.h"

#include <errno.h>
#include <string.h>

/* What one record does to the claim of its names. */
enum effect { EFFECT_NONE, EFFECT_CLAIM, EFFECT_CLOSE };

static enum effect effect_of(const struct journal_rec *rec)
{
	if (rec->type != JOURNAL_STEP)
		return EFFECT_NONE;
	switch (rec->kind) {
	case STEP_NVME_CONNECT:
		return rec->state == JOURNAL_UNDONE ? EFFECT_CLOSE : EFFECT_CLAIM;
	case STEP_NVME_DISCONNECT:
		return rec->state == JOURNAL_DONE ? EFFECT_CLOSE : EFFECT_NONE;
	}
	return EFFECT_NONE;
}

static unsigned find_claim(const struct journal_claims *claims, const struct ctrl_id *id)
{
	unsigned i = 0;

	while (i < claims->count && !ctrl_id_equal(&claims->claim[i].id, id))
		i++;
	return i;
}

static void drop_claim(struct journal_claims *claims, unsigned i)
{
	claims->count--;
	memmove(&claims->claim[i], &claims->claim[i + 1], (claims->count - i) * sizeof(claims->claim[0]));
}

int journal_claims(const struct journal_data *data, struct journal_claims *ret)
{
	ret->count = 0;
	for (unsigned i = 0; i < data->records; i++) {
		const struct journal_rec *rec = &data->rec[i];
		enum effect effect = effect_of(rec);
		unsigned at;

		if (effect == EFFECT_NONE)
			continue;
		at = find_claim(ret, &rec->id);
		if (at < ret->count)
			drop_claim(ret, at);
		if (effect == EFFECT_CLOSE)
			continue;
		if (ret->count == JOURNAL_CLAIMS_MAX)
			return -E2BIG;
		ret->claim[ret->count++] = (struct journal_claim){ .id = rec->id, .inode = rec->inode };
	}
	return 0;
}

bool journal_owns(const struct journal_data *data, const struct ctrl_id *id, uint64_t inode)
{
	for (unsigned i = data->records; i-- > 0;) {
		const struct journal_rec *rec = &data->rec[i];
		enum effect effect = effect_of(rec);

		if (effect == EFFECT_NONE || !ctrl_id_equal(&rec->id, id))
			continue;
		if (effect == EFFECT_CLOSE)
			return false;
		return rec->inode == 0 || inode == 0 || rec->inode == inode;
	}
	return false;
}
