/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves completion interrupts: the only writer of smp_affinity_list.
 *
 * An interrupt is (PCI address, name); its number is looked up at each use, since the kernel gives numbers
 * anew. The number is taken from the function's msi_irqs, and the name from /sys/kernel/irq/N/actions, which
 * shows it as /proc/interrupts does (actions_show), for one interrupt at a time. The directory
 * /proc/irq/N/NAME is no evidence: it keeps the name of when the handler was registered, and
 * older drivers rename theirs ("eth0-0") afterwards.
 */
#pragma once

#include "base/pci.h"
#include "base/root.h"

struct fx_irq {
	unsigned irq;
	struct cpuset affinity;	 /* as it was read last */
	struct cpuset effective; /* where it really goes; empty: unknown */
	bool changed;		 /* this call has moved it */
	bool pending;		 /* effective is unknown, or not within affinity (yet) */
};

/* Its number now. 0; -ENOENT: it is not there; -ENOTUNIQ: there are two; another -errno: cannot be read. */
int fx_irq_find(const struct root *root, const struct pci_addr *pci, const char *name,
		unsigned *ret) _must_check_;

/* Where it is now. 0, or -errno as below. */
int fx_irq_read(const struct root *root, const struct pci_addr *pci, const char *name, struct fx_irq *ret,
		struct err *err) _must_check_;

/* Long enough where the kernel moves it at once. */
#define FX_IRQ_WAIT_MS 100

/*
 * Moves it to cpus, if it is at before now: what the journal has as the value before, or what was written and
 * is to be undone. Needs a live root. Its files are opened first and then its function and name are checked:
 * they are dead if the number is given away meanwhile (remove_proc_entry), so what is written to is what
 * was checked. The role of the function is the caller's to check, just before.
 *
 * 0: smp_affinity_list was read back and is cpus; nothing is written if it was that before, whatever before
 * says. pending: effective_affinity_list did not follow within wait_ms. That is no failure: an interrupt that
 * is not remapped is moved when it comes the next time. It may still fail then, so look again later.
 *
 * -errno with err (object: the name; XC_PARTIAL unless said otherwise), and ret as far as it is known:
 *	-ENOENT, -ENOTUNIQ	as above
 *	-ESTALE		it is elsewhere: somebody else moved it, before or just after the write (changed)
 *	-ENOSPC		no vector is left on these CPUs: nothing was changed, try others
 *	-EINVAL		no CPU of them is online
 *	-EIO		the kernel lets nobody move it (a managed interrupt)
 *	-EPERM		not root (XC_ENVIRONMENT)
 *	-EROFS		not a live root (XC_ENVIRONMENT)
 *	-ENOTSUP	no name of a completion interrupt of this function (XC_REFUSED)
 *	another		reading or writing failed (-EBADMSG: something else stands there than the kernel
 *writes)
 */
int fx_irq_write(const struct root *root, const struct pci_addr *pci, const char *name,
		 const struct cpuset *before, const struct cpuset *cpus, int wait_ms, struct fx_irq *ret,
		 struct err *err) _must_check_;
