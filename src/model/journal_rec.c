/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the records of a journal come to: which controllers are ours, and which values we have changed. */
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
	case STEP_IRQBALANCE_BAN:
	case STEP_IRQ_AFFINITY:
		break;
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

static void note_leaving(const struct journal_rec *rec, struct journal_claims *claims)
{
	unsigned at;

	if (rec->type != JOURNAL_STEP || rec->kind != STEP_NVME_DISCONNECT)
		return;
	at = find_claim(claims, &rec->id);
	if (at < claims->count)
		claims->claim[at].leaving = rec->state == JOURNAL_INTENT;
}

int journal_claims(const struct journal_data *data, struct journal_claims *ret)
{
	ret->count = 0;
	for (unsigned i = 0; i < data->records; i++) {
		const struct journal_rec *rec = &data->rec[i];
		enum effect effect = effect_of(rec);
		struct connect_opts opts = rec->opts;
		unsigned at;

		if (effect == EFFECT_NONE) {
			note_leaving(rec, ret);
			continue;
		}
		at = find_claim(ret, &rec->id);
		if (at < ret->count) {
			if (opts.nr_io_queues == 0) /* "done" follows the intent that says it */
				opts = ret->claim[at].opts;
			drop_claim(ret, at);
		}
		if (effect == EFFECT_CLOSE)
			continue;
		if (ret->count == JOURNAL_CLAIMS_MAX)
			return -E2BIG;
		ret->claim[ret->count++] =
			(struct journal_claim){ .id = rec->id, .inode = rec->inode, .opts = opts };
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

/* --- values --------------------------------------------------------------------------------------- */

static bool is_about(const struct journal_rec *rec, enum step_kind kind, const struct pci_addr *pci,
		     const char *irq_name, unsigned irq_number)
{
	if (rec->type != JOURNAL_STEP || rec->kind != kind)
		return false;
	if (kind == STEP_IRQBALANCE_BAN)
		return rec->irq_number == irq_number;
	return pci_compare(&rec->pci, pci) == 0 && strcmp(rec->irq_name, irq_name) == 0;
}

/* It is as it was before the first of its changes; or nothing of it is left. */
static bool is_back(const struct journal_rec *first, const struct journal_rec *done)
{
	if (done->kind == STEP_IRQBALANCE_BAN)
		return strcmp(done->after, "free") == 0;
	return strcmp(done->after, "absent") == 0 || strcmp(done->after, first->before) == 0;
}

/* One more record of a chain that is open, or, if it is the first, of a new one. False: it is closed. */
static bool go_on(const struct journal_data *data, unsigned record, bool open, struct journal_chain *chain)
{
	const struct journal_rec *rec = &data->rec[record];

	/* Another number: the interrupt of the chain is gone, and this is a new one of its name. */
	if (open && rec->state == JOURNAL_INTENT && rec->irq_number != data->rec[chain->first].irq_number)
		open = false;
	if (!open && rec->state != JOURNAL_UNDONE)
		*chain = (struct journal_chain){ record, record, record };
	switch (rec->state) {
	case JOURNAL_INTENT:
		chain->before = chain->last;
		chain->last = record;
		return true;
	case JOURNAL_DONE:
		chain->last = record;
		return !is_back(&data->rec[chain->first], rec);
	case JOURNAL_UNDONE:
		if (!open || chain->last == chain->first)
			return false;
		chain->last = chain->before;
		break;
	}
	return true;
}

bool journal_has_value(const struct journal_data *data, enum step_kind kind, const struct pci_addr *pci,
		       const char *irq_name, unsigned irq_number)
{
	struct journal_chain chain = { 0 };
	bool open = false;

	for (unsigned i = 0; i < data->records; i++) {
		if (is_about(&data->rec[i], kind, pci, irq_name, irq_number))
			open = go_on(data, i, open, &chain);
	}
	return open;
}

static unsigned find_chain(const struct journal_data *data, const struct journal_values *values,
			   const struct journal_rec *rec)
{
	unsigned i = 0;

	while (i < values->count && !is_about(&data->rec[values->chain[i].last], rec->kind, &rec->pci,
					      rec->irq_name, rec->irq_number))
		i++;
	return i;
}

static int add_record(const struct journal_data *data, unsigned record, struct journal_values *values)
{
	unsigned i = find_chain(data, values, &data->rec[record]);
	struct journal_chain *chain = &values->chain[i];
	bool open = i < values->count;

	if (i == JOURNAL_VALUES_MAX)
		return -E2BIG;
	if (go_on(data, record, open, chain)) {
		values->count += !open;
	} else if (open) {
		values->count--;
		memmove(chain, chain + 1, (values->count - i) * sizeof(*chain));
	}
	return 0;
}

/*
 * Where it was before the open intent of its chain, if this program has put it there, or found it there
 * first: else somebody else did, and it is theirs if it still is there.
 */
static const char *before_last(const struct journal_data *data, const struct journal_chain *chain)
{
	const struct journal_rec *first = &data->rec[chain->first], *last = &data->rec[chain->last];

	if (strcmp(last->before, first->before) == 0)
		return last->before;
	for (unsigned i = chain->first; i < chain->last; i++) {
		const struct journal_rec *rec = &data->rec[i];

		if (is_about(rec, last->kind, &last->pci, last->irq_name, last->irq_number) &&
		    strcmp(rec->after, last->before) == 0)
			return last->before;
	}
	return last->after;
}

static int fill_value(const struct journal_data *data, const struct journal_chain *chain,
		      struct journal_value *ret)
{
	const struct journal_rec *first = &data->rec[chain->first], *last = &data->rec[chain->last];
	const char *was = last->state == JOURNAL_INTENT ? before_last(data, chain) : last->after;

	*ret = (struct journal_value){
		.kind = last->kind, .pci = last->pci, .irq_number = last->irq_number, .daemon = last->daemon
	};
	memcpy(ret->irq_name, last->irq_name, sizeof(ret->irq_name));
	if (last->kind == STEP_IRQBALANCE_BAN)
		return 0;
	if (cpuset_parse(first->before, &ret->original) < 0 || cpuset_parse(last->after, &ret->last) < 0 ||
	    cpuset_parse(was, &ret->before_last) < 0)
		return -EBADMSG;
	return 0;
}

int journal_values(const struct journal_data *data, struct journal_values *ret)
{
	int r = 0;

	ret->count = 0;
	for (unsigned i = 0; i < data->records && r == 0; i++) {
		if (data->rec[i].type == JOURNAL_STEP && step_is_of_irq(data->rec[i].kind))
			r = add_record(data, i, ret);
	}
	for (unsigned i = 0; i < ret->count && r == 0; i++)
		r = fill_value(data, &ret->chain[i], &ret->value[i]);
	return r;
}
