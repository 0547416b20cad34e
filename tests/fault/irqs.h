/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interrupts of the processes in the world in memory. */
#pragma once

#include "fault/process.h"

/* As connect does it, in a run that was begun: where they are is read, and those that are elsewhere are
 * moved. */
int irqs_place(struct bench *b, const struct fx *fx, struct err *err);
/* As teardown does it: what the journal has. */
int irqs_restore(struct bench *b, const struct fx *fx, struct err *err);
/* All are where they should be, and banned if that was asked for, as the process says. */
bool irqs_are_whole(const struct bench *b);

/* What must be true after each process; fills b->values. */
void irqs_check(struct bench *b, const struct journal_data *data);
/* After a teardown in peace: what somebody else has moved is left, and in the journal. */
void irqs_check_finished(struct bench *b);
/* And one with force, which puts that back, too. */
void irqs_force(struct bench *b);
/* After a connect in peace. */
bool irqs_are_placed(const struct bench *b);
/* Of each interrupt where it is and what the journal has of it; the list. */
void irqs_key(const struct bench *b, char buf[static KEY_SIZE]);
