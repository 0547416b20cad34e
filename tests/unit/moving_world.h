/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of moves share: interrupts and a ban list in a world in memory, a journal on disk. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "apply/place.h"
#include "lib/fakefx.h"
#include "lib/t.h"

#define IRQS 3
#define NAME(i) "mlx5_comp" #i "@pci:0000:29:00.0"
#define JOURNAL JOURNAL_DIR "/" JOURNAL_FILE

struct bench {
	struct root root;
	struct fake_world world;
	struct fx fx;
	struct steps *steps;
	struct affinity *affinity;
	struct irqbalance *balance;
	struct journal_values *values; /* as they are on disk after the run */
	struct findings *findings;
	struct err err;
	struct journal_data data; /* likewise; empty if there is no file */
	bool force;
};

static inline int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->steps = calloc(1, sizeof(*b->steps));
	b->affinity = calloc(1, sizeof(*b->affinity));
	b->balance = calloc(1, sizeof(*b->balance));
	b->values = calloc(1, sizeof(*b->values));
	b->findings = calloc(1, sizeof(*b->findings));
	fake_root_open(&b->root);
	fake_world_init(&b->world, &b->root);
	fake_irqs(&b->world, IRQS, true);
	b->fx = fake_fx(&b->world);
	*state = b;
	return 0;
}

static inline int bench_teardown(void **state)
{
	struct bench *b = *state;

	journal_data_free(&b->data);
	fake_root_close(&b->root);
	free(b->steps);
	free(b->affinity);
	free(b->balance);
	free(b->values);
	free(b->findings);
	free(b);
	return 0;
}

/* A step for each interrupt, from where it is to the first core of its port. */
static inline void plan(struct bench *b)
{
	b->steps->count = b->affinity->irqs = IRQS;
	for (unsigned i = 0; i < IRQS; i++) {
		struct affinity_irq *irq = &b->affinity->irq[i];

		fake_irq_step(&b->world, &b->steps->step[i], i);
		*irq = (struct affinity_irq){ .pci = b->steps->step[i].pci,
					      .number = b->world.irq[i].number,
					      .target = b->steps->step[i].to,
					      .action = IRQ_WOULD_SET };
		b->affinity->port[0].cpus = b->steps->step[i].cores;
		memcpy(irq->name, b->steps->step[i].irq_name, sizeof(irq->name));
	}
}

/* The steps that undo what the journal has, as it was read last. */
static inline void plan_undo(struct bench *b)
{
	static const enum step_kind kinds[] = { STEP_IRQ_AFFINITY, STEP_IRQBALANCE_BAN };

	b->steps->count = 0;
	b->affinity->irqs = IRQS;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		for (unsigned i = b->values->count; i-- > 0;) {
			const struct journal_value *value = &b->values->value[i];
			struct step *step = &b->steps->step[b->steps->count];

			if (value->kind != kinds[k])
				continue;
			*step = (struct step){ .kind = value->kind,
					       .pci = value->pci,
					       .role = ROLE_STORAGE,
					       .before = value->last,
					       .was = value->before_last,
					       .to = value->original,
					       .daemon = value->daemon,
					       .irq_number = value->irq_number,
					       .path = -1 };
			memcpy(step->irq_name, value->irq_name, sizeof(step->irq_name));
			step->irq =
				(int)(fake_irq_find(&b->world, &step->pci, step->irq_name) - b->world.irq);
			b->steps->count++;
		}
	}
}

static inline struct journal *open_run(struct bench *b, const char *command)
{
	char *argv[] = { (char[]){ "nvme-partition" } };
	struct journal *journal = NULL;

	b->err = (struct err){ 0 };
	assert_int_equal(journal_open(&b->root, 0, &journal, b->findings, &b->err), 0);
	assert_int_equal(journal_begin(journal, command, 1, argv, &b->err), 0);
	return journal;
}

static inline void close_run(struct bench *b, struct journal *journal, bool remove)
{
	struct err ignored = { 0 };

	(void)!journal_end(journal, XC_OK, remove, &ignored);
	journal_close(journal);
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &ignored), 0);
	assert_int_equal(journal_values(&b->data, b->values), 0);
	assert_null(b->world.wrong);
}

static inline int place_with(struct bench *b, enum place_bans bans)
{
	struct journal *journal = open_run(b, "connect");
	int r = place_steps(&b->fx, journal, b->steps, 0, bans, b->affinity, b->balance, &b->err);

	assert_int_equal(r < 0, b->err.code < 0);
	close_run(b, journal, false);
	return r;
}

static inline int place(struct bench *b)
{
	return place_with(b, PLACE_BAN);
}

static inline int unplace(struct bench *b)
{
	struct journal *journal = open_run(b, "teardown");
	int r = unplace_steps(&b->fx, journal, b->steps, 0, b->force, b->affinity, b->balance, &b->err);

	assert_int_equal(r < 0, b->err.code < 0);
	close_run(b, journal, true);
	return r;
}

/* All are placed, and the steps of their undo are planned. */
static inline void placed(struct bench *b)
{
	plan(b);
	assert_int_equal(place(b), 0);
	fake_world_next(&b->world);
	plan_undo(b);
}

/* Call n about thing i fails: of an interrupt that is placed the look for its ban, a look, its move. */
static inline void fail_at(struct bench *b, unsigned thing, unsigned n, enum fake_failure failure)
{
	b->world.fail = (struct fake_when){ thing, n };
	b->world.failure = failure;
}

static inline void outsider_at(struct bench *b, unsigned thing, unsigned n, enum fake_outsider way)
{
	b->world.outsider = (struct fake_when){ thing, n };
	b->world.outsider_way = way;
}

/* Where the interrupts are, as "50 52 101". */
static inline const char *where(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < IRQS; i++)
		str_append(buf, 64, "%s%u", i ? " " : "", cpuset_next(&b->world.irq[i].affinity, 0));
	return buf;
}

/* What became of them, as "set kept failed". */
static inline const char *actions(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < IRQS; i++)
		str_append(buf, 64, "%s%s", i ? " " : "", irq_action_name(b->affinity->irq[i].action));
	return buf;
}

/* The ban list, as "7 43". */
static inline const char *bans(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < b->world.bans; i++)
		str_append(buf, 64, "%s%u", i ? " " : "", b->world.ban[i].number);
	return buf;
}

/* The values of the journal, as "43! 50<1": a ban, an affinity with its original, the oldest first. */
static inline const char *values(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < b->values->count; i++) {
		const struct journal_value *value = &b->values->value[i];

		if (value->kind == STEP_IRQBALANCE_BAN)
			str_append(buf, 64, "%s%u!", i ? " " : "", value->irq_number);
		else
			str_append(buf, 64, "%s%u<%u", i ? " " : "", cpuset_next(&value->last, 0),
				   cpuset_next(&value->original, 0));
	}
	return buf;
}

/* The states of the steps, as "done skipped". */
static inline const char *states(struct bench *b, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < b->steps->count; i++)
		str_append(buf, 64, "%s%s", i ? " " : "", step_state_name(b->steps->step[i].state));
	return buf;
}

static inline void assert_message(struct bench *b, unsigned i, const char *message)
{
	assert_string_equal(b->affinity->irq[i].message, message);
}
