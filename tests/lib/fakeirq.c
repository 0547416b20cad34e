/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts and irqbalance's ban list in the world in memory. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/fakefx.h"

#define OTHERS_BAN 7	/* an interrupt that is none of the program's */
#define FIRST_NUMBER 43 /* of interrupts */

static struct cpuset cpu(unsigned n)
{
	struct cpuset set = { 0 };

	cpuset_add(&set, n);
	return set;
}

static void add_ban(struct fake_world *world, struct fake_ban ban)
{
	assert(world->bans < FAKE_BANS_MAX);
	world->ban[world->bans++] = ban;
}

void fake_irqs(struct fake_world *world, unsigned count, bool daemon)
{
	char pci[PCI_TEXT_MAX];

	assert(count <= FAKE_IRQS_MAX);
	world->irqs = count;
	for (unsigned i = 0; i < count; i++) {
		struct fake_irq *irq = &world->irq[i];

		*irq = (struct fake_irq){ .pci = { .bus = 0x29 },
					  .number = FIRST_NUMBER + i,
					  .affinity = cpu(FAKE_CPU_KERNEL(i)) };
		str_format(irq->name, sizeof(irq->name), "mlx5_comp%u@pci:%s", i, pci_format(&irq->pci, pci));
	}
	world->bans = 0;
	world->born = daemon ? world->next_born++ : 0;
	if (daemon)
		add_ban(world, (struct fake_ban){ .number = OTHERS_BAN });
}

struct fake_irq *fake_irq_find(struct fake_world *world, const struct pci_addr *pci, const char *name)
{
	for (unsigned i = 0; i < world->irqs; i++) {
		if (pci_compare(&world->irq[i].pci, pci) == 0 && strcmp(world->irq[i].name, name) == 0)
			return &world->irq[i];
	}
	return NULL;
}

struct fake_ban *fake_ban_find(struct fake_world *world, unsigned number)
{
	for (unsigned i = 0; i < world->bans; i++) {
		if (world->ban[i].number == number)
			return &world->ban[i];
	}
	return NULL;
}

bool fake_irq_is_ours(const struct fake_world *world, unsigned i)
{
	return cpuset_has(&world->irq[i].affinity, FAKE_CORE(i)) ||
	       cpuset_has(&world->irq[i].affinity, FAKE_CORE(i) + 1);
}

bool fake_irq_there(const struct fake_world *world, unsigned thing)
{
	return thing == FAKE_DAEMON
		       ? world->born != 0
		       : thing - FAKE_IRQ(0) < world->irqs && !world->irq[thing - FAKE_IRQ(0)].gone;
}

void fake_irq_step(const struct fake_world *world, struct step *step, unsigned i)
{
	const struct fake_irq *irq = &world->irq[i];

	memset(step, 0, sizeof(*step));
	step->kind = STEP_IRQ_AFFINITY;
	step->pci = irq->pci;
	step->role = ROLE_STORAGE;
	memcpy(step->irq_name, irq->name, sizeof(step->irq_name));
	step->before = irq->affinity;
	step->to = cpu(FAKE_CORE(i));
	step->irq_number = irq->number;
	step->cores = cpu(FAKE_CORE(i));
	cpuset_add(&step->cores, FAKE_CORE(i) + 1);
	step->irq = (int)i;
	step->path = -1;
}

/* --- what is planned ---------------------------------------------------------------------------------- */

/*
 * The journal has a ban of this number in this daemon, or an intent of one is open: whether that is what is
 * there cannot be told.
 */
static bool is_in_journal(struct fake_world *world, unsigned number)
{
	const struct journal_data *data = world->journal ? journal_data(world->journal) : NULL;
	unsigned undone = 0;

	for (unsigned i = data ? data->records : 0; i-- > 0;) {
		const struct journal_rec *rec = &data->rec[i];

		if (rec->type != JOURNAL_STEP || rec->kind != STEP_IRQBALANCE_BAN ||
		    rec->irq_number != number)
			continue;
		if (rec->state == JOURNAL_DONE)
			return strcmp(rec->after, "banned") == 0 && rec->daemon == world->born;
		if (rec->state == JOURNAL_UNDONE)
			undone++;
		else if (undone-- == 0)
			return true;
	}
	return false;
}

static void outsider_bans(struct fake_world *world, unsigned number)
{
	bool excused = world->racing || is_in_journal(world, number);

	if (world->born == 0 || fake_ban_find(world, number))
		return;
	add_ban(world, (struct fake_ban){ .number = number, .excused = excused });
	world->changes++;
}

static void outsider_unbans(struct fake_world *world, unsigned number)
{
	struct fake_ban *ban = fake_ban_find(world, number);

	if (!ban)
		return;
	*ban = world->ban[--world->bans];
	world->changes++;
}

static void outsider_moves(struct fake_world *world, unsigned i, bool away)
{
	struct fake_irq *irq = &world->irq[i];

	if (irq->gone)
		return;
	irq->gone = away;
	irq->affinity = cpu(away ? FAKE_CPU_KERNEL(i) : FAKE_CPU_OUTSIDER(i));
	world->changes++;
}

/* In the new one somebody has banned the same interrupt. */
static void outsider_ends(struct fake_world *world, uint64_t born)
{
	if (world->born == 0)
		return;
	world->born = born;
	world->bans = 0;
	world->changes++;
	if (born != 0)
		outsider_bans(world, world->irq[0].number);
}

void fake_irq_outsider(struct fake_world *world)
{
	unsigned i = world->outsider.object - FAKE_IRQ(0);

	switch (world->outsider_way) {
	case FAKE_NOBODY:
	case FAKE_CONNECTS:
	case FAKE_DISCONNECTS:
	case FAKE_REMAKES:
	case FAKE_REGISTERS:
		break;
	case FAKE_MOVES:
	case FAKE_UNLOADS:
		assert(i < world->irqs);
		outsider_moves(world, i, world->outsider_way == FAKE_UNLOADS);
		break;
	case FAKE_BANS:
		outsider_bans(world, world->irq[0].number);
		break;
	case FAKE_UNBANS:
		outsider_unbans(world, world->irq[0].number);
		break;
	case FAKE_RESTARTS:
		outsider_ends(world, world->next_born++);
		break;
	case FAKE_ENDS:
		outsider_ends(world, 0);
		break;
	}
}

void fake_irq_next(struct fake_world *world)
{
	world->racing = world->blind = world->forced = false;
	for (unsigned i = 0; i < world->irqs; i++) {
		if (world->irq[i].gone)
			world->irq[i].number += 100;
		world->irq[i].gone = false;
	}
	if (world->irqs > 0 && world->next_born > 1 && world->born == 0)
		world->born = world->next_born++;
}

/* --- interrupts ----------------------------------------------------------------------------------------- */

static unsigned thing_of(struct fake_world *world, const struct step *step)
{
	const struct fake_irq *irq = fake_irq_find(world, &step->pci, step->irq_name);

	assert(irq);
	return FAKE_IRQ((unsigned)(irq - world->irq));
}

static bool is_blind(struct fake_world *world)
{
	bool blind = world->blind;

	world->blind = false;
	return blind;
}

static void set_now(const struct fake_irq *irq, struct irq_now *ret)
{
	*ret = (struct irq_now){ 0 };
	if (irq->gone)
		return;
	*ret = (struct irq_now){
		.there = true, .number = irq->number, .affinity = irq->affinity, .effective = irq->affinity
	};
}

static int fake_irq_read(void *ctx, const struct step *step, struct irq_now *ret, struct err *err)
{
	struct fake_world *world = ctx;
	unsigned thing = thing_of(world, step);
	bool failing = fake_enter(world, thing, FAKE_IRQ_READ);

	set_now(&world->irq[thing - FAKE_IRQ(0)], ret);
	if (fake_fails(world, failing, FAKE_ERROR) || is_blind(world)) {
		*ret = (struct irq_now){ 0 };
		return err_set(err, XC_PARTIAL, -EIO, step->irq_name, "interrupt %s: cannot be read",
			       step->irq_name);
	}
	return 0;
}

/* The last word of the journal on it is the intent of this very move. */
static void check_move(struct fake_world *world, const struct step *step, const struct cpuset *before,
		       const struct cpuset *cpus)
{
	struct journal_data own = { 0 };
	const struct journal_data *data = fake_journal(world, &own);
	const struct journal_rec *last = data && data->records ? &data->rec[data->records - 1] : NULL;
	struct cpuset was, is;

	if (data &&
	    (!last || data->torn || last->type != JOURNAL_STEP || last->state != JOURNAL_INTENT ||
	     last->kind != STEP_IRQ_AFFINITY || pci_compare(&last->pci, &step->pci) != 0 ||
	     strcmp(last->irq_name, step->irq_name) != 0 || cpuset_parse(last->before, &was) < 0 ||
	     cpuset_parse(last->after, &is) < 0 || !cpuset_equal(&was, before) || !cpuset_equal(&is, cpus)))
		fake_wrong(world, "an interrupt is moved without its intent");
	journal_data_free(&own);
	if (step->role != ROLE_STORAGE)
		fake_wrong(world, "an interrupt is moved that is not of storage");
	if (!step_is_undo(step) && !cpuset_is_subset(cpus, &step->cores))
		fake_wrong(world, "an interrupt is moved to somebody else's core");
}

/* As fx_irq_write() has it. */
static int refuse_write(struct fake_world *world, const struct step *step, const struct fake_irq *irq,
			const struct cpuset *before, const struct cpuset *cpus, bool failing, struct err *err)
{
	if (irq->gone)
		return err_set(err, XC_PARTIAL, -ENOENT, irq->name, "interrupt %s: gone", irq->name);
	if (cpuset_equal(&irq->affinity, cpus))
		return 0;
	if (!cpuset_equal(&irq->affinity, before))
		return err_set(err, XC_PARTIAL, -ESTALE, irq->name, "interrupt %s: moved by others",
			       irq->name);
	if (fake_fails(world, failing, FAKE_BUSY) || cpuset_overlaps(cpus, &world->full))
		return err_set(err, XC_PARTIAL, -ENOSPC, irq->name, "interrupt %s: no vector is left",
			       irq->name);
	if (fake_fails(world, failing, FAKE_ERROR))
		return err_set(err, XC_PARTIAL, -EIO, irq->name, "interrupt %s: nobody can move it",
			       irq->name);
	if (step_is_undo(step) && !world->forced &&
	    cpuset_has(&irq->affinity, FAKE_CPU_OUTSIDER(irq - world->irq)))
		fake_wrong(world, "what an outsider has moved is moved back");
	return 0;
}

static int fake_irq_write(void *ctx, const struct step *step, const struct cpuset *before,
			  const struct cpuset *cpus, struct irq_now *ret, struct err *err)
{
	struct fake_world *world = ctx;
	unsigned thing = thing_of(world, step);
	bool failing = fake_enter(world, thing, FAKE_IRQ_WRITE);
	struct fake_irq *irq = &world->irq[thing - FAKE_IRQ(0)];
	bool late;
	int r;

	world->effects++;
	check_move(world, step, before, cpus);
	set_now(irq, ret);
	r = refuse_write(world, step, irq, before, cpus, failing, err);
	if (r < 0)
		return r;
	if (!cpuset_equal(&irq->affinity, cpus))
		world->changes++;
	irq->affinity = *cpus;
	set_now(irq, ret);
	fake_place(world);
	late = fake_fails(world, failing, FAKE_LATE);
	world->blind = late;
	return late || fake_fails(world, failing, FAKE_LEFTOVER)
		       ? err_set(err, XC_PARTIAL, -EBADMSG, irq->name, "interrupt %s: cannot be read back",
				 irq->name)
		       : 0;
}

/* --- the ban list ------------------------------------------------------------------------------------- */

static int fill(const struct fake_world *world, enum irqbalance_state state, struct irqbalance *ret)
{
	ret->state = world->born ? state : IRQBALANCE_ABSENT;
	ret->pid = 7;
	ret->born = world->born;
	ret->changed = false;
	ret->bans.count = 0;
	for (unsigned i = 0; i < world->bans; i++)
		assert(irq_list_add(&ret->bans, world->ban[i].number) == 0);
	return 0;
}

static int unreachable(struct irqbalance *ret, bool changed, int code, struct err *err)
{
	ret->state = code == -E2BIG ? IRQBALANCE_LIST_TOO_LONG : IRQBALANCE_UNREACHABLE;
	ret->pid = 0;
	ret->born = 0;
	ret->changed = changed;
	ret->bans.count = 0;
	return err_set(err, XC_PARTIAL, code, "irqbalance", "irqbalance (pid 7) does not answer");
}

static int fake_bans_read(void *ctx, struct irqbalance *ret, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, FAKE_DAEMON, FAKE_BANS_READ);

	if (fake_fails(world, failing, FAKE_ERROR) || is_blind(world))
		return unreachable(ret, false, -EIO, err);
	world->racing = true;
	return fill(world, IRQBALANCE_RUNNING, ret);
}

/* The last word of the journal on each is the intent of that. */
static void check_bans(struct fake_world *world, const struct irq_list *list, const char *after)
{
	struct journal_data own = { 0 };
	const struct journal_data *data = fake_journal(world, &own);

	world->effects++;
	for (unsigned i = 0; data && i < list->count; i++) {
		unsigned k = data->records;
		const struct journal_rec *rec = NULL;

		while (k-- > 0 && !rec) {
			if (data->rec[k].type == JOURNAL_STEP && data->rec[k].kind == STEP_IRQBALANCE_BAN &&
			    data->rec[k].irq_number == list->irq[i])
				rec = &data->rec[k];
		}
		if (!rec || rec->state != JOURNAL_INTENT || strcmp(rec->after, after) != 0)
			fake_wrong(world, "the ban list is changed without an intent");
	}
	journal_data_free(&own);
}

/* It was sent; whether that could be read back. */
static int end_command(struct fake_world *world, bool failing, bool sent, enum irqbalance_state state,
		       struct irqbalance *ret, struct err *err)
{
	bool late;

	world->changes += sent;
	world->racing = false;
	fake_place(world);
	late = sent && fake_fails(world, failing, FAKE_LATE);
	if (late || (sent && fake_fails(world, failing, FAKE_LEFTOVER))) {
		world->blind = late;
		return unreachable(ret, true, -EIO, err);
	}
	(void)fill(world, state, ret);
	ret->changed = sent;
	return 0;
}

static int fake_ban(void *ctx, const struct irq_list *list, struct irqbalance *ret, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, FAKE_DAEMON, FAKE_BAN), sent = false;

	check_bans(world, list, "banned");
	if (fake_fails(world, failing, FAKE_ERROR))
		return unreachable(ret, false, -EIO, err);
	if (fake_fails(world, failing, FAKE_BUSY))
		return unreachable(ret, false, -E2BIG, err);
	for (unsigned i = 0; world->born && i < list->count; i++) {
		if (fake_ban_find(world, list->irq[i]))
			continue;
		add_ban(world, (struct fake_ban){ .number = list->irq[i], .ours = true });
		sent = true;
	}
	return end_command(world, failing, sent, IRQBALANCE_BANNED, ret, err);
}

static int fake_unban(void *ctx, const struct irq_list *list, uint64_t daemon, struct irqbalance *ret,
		      struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, FAKE_DAEMON, FAKE_UNBAN), sent = false;

	check_bans(world, list, "free");
	if (fake_fails(world, failing, FAKE_ERROR))
		return unreachable(ret, false, -EIO, err);
	for (unsigned i = 0; (daemon == 0 || daemon == world->born) && i < list->count; i++) {
		struct fake_ban *ban = fake_ban_find(world, list->irq[i]);

		if (!ban)
			continue;
		if (!ban->ours && !ban->excused)
			fake_wrong(world, "a ban of somebody else is lifted");
		*ban = world->ban[--world->bans];
		sent = true;
	}
	return end_command(world, failing, sent, IRQBALANCE_RUNNING, ret, err);
}

void fake_irq_fx(struct fx *fx)
{
	fx->irq_read = fake_irq_read;
	fx->irq_write = fake_irq_write;
	fx->bans_read = fake_bans_read;
	fx->ban = fake_ban;
	fx->unban = fake_unban;
}
