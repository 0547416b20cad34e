/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What irqbalance is sent, what it answers, and the policy script for where that will not do. Text alone:
 * no I/O.
 */
#pragma once

#include "base/pci.h"
#include "model/irqbalance.h"

/*
 * irqbalance up to 1.9.4 reads 500 bytes of a command (sock_handle: char buff[500]) and drops the rest
 * without a word: the last number can lose digits, and it then bans an interrupt that nobody named. Its
 * version cannot be asked for, so nobody is sent more.
 */
#define IRQBALANCE_COMMAND_MAX 500

/*
 * The command that makes bans the whole list. Ascending, as a 0 that is not the first number ends the list
 * there. Returns the length, with the NUL at its end, which is to be sent: before 1.9.0 the string is not
 * ended otherwise, and what follows in memory is read on as digits. -E2BIG: it would be longer than
 * IRQBALANCE_COMMAND_MAX.
 */
int irqbalance_ban_command(const struct irq_list *bans, char buf[static IRQBALANCE_COMMAND_MAX]) _must_check_;

/*
 * The list in an answer to "setup": "SLEEP 10 IRQ 43 LOAD 0 DIFF 0 CLASS 0 ... BANNED 00000000". It has what
 * came by this socket and by --banirq, not what a policy script banned. 0; -EPROTO: not such an answer, or
 * one that was cut; -E2BIG: more than IRQ_LIST_MAX.
 */
int irqbalance_parse_setup(const char *text, size_t length, struct irq_list *ret) _must_check_;

/*
 * A script for --policyscript that keeps irqbalance away from all interrupts of these functions (which are
 * storage ports), whatever their numbers are after the next boot. 0 or -ENOSPC.
 */
int irqbalance_policy_script(const struct pci_addr *pci, unsigned count, char *buf, size_t size) _must_check_;
