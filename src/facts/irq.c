/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion interrupts of the storage ports, and of others for comparison. An interrupt belongs to a
 * function if it is in the function's msi_irqs and has a name that only a completion vector has:
 *
 *	mlx5_comp<N>@pci:<address>	mlx5 (pci_irq.c)
 *	<netdev>-<N>			older kernels; the netdev's name as a whole
 *
 * mlx5_async<N> is the control vector and is never listed. Neither is mlx5_combined<N>, of a function with
 * one vector for everything: it carries the commands and events of the whole device, so it
 * must not be moved, and queues that complete on it show no interrupt.
 *
 * Names start at 0, on kernels from 6.4 until "net/mlx5: offset comp irq index in name by
 * one" (9f7e8fbb91f8) at 1. Since 6.6 vectors are made when they are first used, so the
 * lowest number that exists can be any; only a 1 without a 0 says that they start there: vector
 * 0 carries the admin queue of every controller, and comes first.
 */
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "facts/sysfs.h"

#define INTERRUPTS "proc/interrupts"
#define LINE_MAX_BYTES 65536 /* a number of 10 digits and a blank for each of 2048 CPUs is 22 KiB */
#define FILE_MAX_BYTES (1U << 30)

struct owned { /* an interrupt of one of the functions */
	unsigned irq;
	struct pci_addr pci;
};

struct found { /* one with the name of a completion vector */
	unsigned irq;
	struct pci_addr pci;
	bool legacy;	 /* named after the netdev */
	unsigned number; /* in the name */
	uint64_t count;
	char name[IRQ_NAME_SIZE];
};

struct scan {
	bool others;			   /* what is read is never placed */
	struct owned owned[TOPO_IRQS_MAX]; /* sorted by irq */
	unsigned owned_count;
	struct found found[TOPO_IRQS_MAX + 1];
	unsigned found_count;
	char line[LINE_MAX_BYTES];
};

static int compare_owned(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->irq != y->irq)
		return x->irq < y->irq ? -1 : 1;
	return pci_compare(&x->pci, &y->pci);
}

static int read_owned(const struct root *root, struct scan *scan, const struct pci_addr *pci, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	char text[PCI_TEXT_MAX], path[64];
	int r;

	str_format(path, sizeof(path), "sys/bus/pci/devices/%s/msi_irqs", pci_format(pci, text));
	r = root_list(root, &names, "%s", path);
	if (r == -ENOENT)
		return 0; /* no MSI: nothing that could be placed */
	if (r < 0)
		return sysfs_failed(err, r, path);
	for (size_t i = 0; i < names.count; i++) {
		struct owned *owned = &scan->owned[scan->owned_count];

		if (!sysfs_numbered(names.name[i], "", &owned->irq))
			continue;
		if (scan->owned_count == TOPO_IRQS_MAX)
			return sysfs_full(err, "interrupts", TOPO_IRQS_MAX);
		owned->pci = *pci;
		scan->owned_count++;
	}
	return 0;
}

/* "<prefix><N><suffix>" and nothing else. */
static bool is_numbered(const char *name, const char *prefix, const char *suffix, unsigned *ret)
{
	char digits[16];
	size_t before = strlen(prefix), length;

	if (before == 0 || strncmp(name, prefix, before) != 0)
		return false;
	length = strspn(name + before, "0123456789");
	if (length >= sizeof(digits) || strcmp(name + before + length, suffix) != 0)
		return false;
	memcpy(digits, name + before, length);
	digits[length] = '\0';
	return sysfs_numbered(digits, "", ret);
}

static const char *netdev_name(const struct topology *topo, const struct pci_addr *pci)
{
	const struct port *port = topo_port(topo, pci);

	return port && port->netdev >= 0 ? topo->netdev[port->netdev].name : "";
}

static void add_found(struct scan *scan, const struct topology *topo, const struct owned *owned,
		      uint64_t count, const char *name, struct findings *findings)
{
	struct found found = { .irq = owned->irq, .pci = owned->pci, .count = count };
	char pci[PCI_TEXT_MAX], suffix[PCI_TEXT_MAX + 8], prefix[IFNAMSIZ + 2];
	const char *netdev = netdev_name(topo, &owned->pci);

	str_format(suffix, sizeof(suffix), "@pci:%s", pci_format(&owned->pci, pci));
	str_format(prefix, sizeof(prefix), "%s%s", netdev, netdev[0] != '\0' ? "-" : "");
	if (!is_numbered(name, "mlx5_comp", suffix, &found.number)) {
		if (!scan->others && is_numbered(name, "mlx5_combined", suffix, &found.number))
			finding_add(findings, FINDING_WARN, "affinity.irqs", pci, name,
				    "%s has one interrupt for control and completions; it is never moved",
				    pci);
		if (!is_numbered(name, prefix, "", &found.number))
			return;
		found.legacy = true;
	}
	/* As many as owned ones, unless a line is there twice; facts_read_irqs sees a full table. */
	if (scan->found_count < ARRAY_SIZE(scan->found) &&
	    str_copy(found.name, sizeof(found.name), name) == 0)
		scan->found[scan->found_count++] = found;
}

/* The sum of the columns: numbers, up to the name of the interrupt's chip. */
static uint64_t sum_counts(const char *columns)
{
	uint64_t sum = 0;

	for (;;) {
		size_t length;
		uint64_t value;

		columns += strspn(columns, " ");
		length = strspn(columns, "0123456789");
		if (length == 0 || columns[length] != ' ')
			return sum;
		value = strtoull(columns, NULL, 10);
		sum = value > UINT64_MAX - sum ? UINT64_MAX : sum + value;
		columns += length;
	}
}

/* "  52:  counts...  IR-PCI-MSI 21495808-edge  mlx5_comp0@pci:0000:29:00.0" */
static void read_interrupt(struct scan *scan, const struct topology *topo, char *line,
			   struct findings *findings)
{
	struct owned key = { 0 }; /* lower than every function of that number */
	uint64_t count;
	unsigned low = 0, high = scan->owned_count;
	char *colon, *name;

	line += strspn(line, " ");
	colon = strchr(line, ':');
	if (!colon)
		return;
	*colon = '\0';
	if (!sysfs_numbered(line, "", &key.irq)) /* the head, or NMI, LOC and their like */
		return;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (compare_owned(&scan->owned[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == scan->owned_count || scan->owned[low].irq != key.irq)
		return;
	name = strrchr(colon + 1, ' ');
	/* "a, b": an interrupt that several handlers share is no completion vector. */
	if (!name || name[-1] == ',')
		return;
	count = sum_counts(colon + 1);
	for (; low < scan->owned_count && scan->owned[low].irq == key.irq; low++)
		add_found(scan, topo, &scan->owned[low], count, name + 1, findings);
}

/*
 * The file is made as it is read and can have tens of megabytes, so it is taken line by line. Returns 0 or
 * -errno; -EFBIG: longer than any kernel writes it.
 */
static int stream(const struct root *root, struct scan *scan, const struct topology *topo,
		  struct findings *findings)
{
	_cleanup_close_ int fd = root_openat(root, O_RDONLY | O_NONBLOCK | O_NOCTTY, INTERRUPTS);
	size_t filled = 0, total = 0;

	if (fd < 0)
		return fd;
	while (total < FILE_MAX_BYTES) {
		char *start = scan->line, *end;
		ssize_t n = read(fd, scan->line + filled, sizeof(scan->line) - filled);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0; /* what is left has no newline: cut, so not taken */
		total += (size_t)n;
		filled += (size_t)n;
		while ((end = memchr(start, '\n', filled - (size_t)(start - scan->line)))) {
			*end = '\0';
			read_interrupt(scan, topo, start, findings);
			start = end + 1;
		}
		filled -= (size_t)(start - scan->line);
		if (filled == sizeof(scan->line))
			return -EFBIG;
		memmove(scan->line, start, filled);
	}
	return -EFBIG;
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = pci_compare(&x->pci, &y->pci);

	if (order == 0)
		order = x->legacy - y->legacy;
	if (order == 0)
		order = (x->number > y->number) - (x->number < y->number);
	return order ? order : (x->irq > y->irq) - (x->irq < y->irq);
}

static void read_list(const struct root *root, unsigned irq, const char *name, struct cpuset *ret,
		      bool *ret_known, struct findings *findings)
{
	int r = root_cpuset(root, ret, "proc/irq/%u/%s", irq, name);
	char object[16];

	*ret_known = r == 0;
	if (r == 0)
		return;
	*ret = (struct cpuset){ 0 };
	str_format(object, sizeof(object), "irq %u", irq);
	if (r != -ENOENT) /* gone meanwhile */
		sysfs_unreadable(findings, object, r, "proc/irq/%u/%s", irq, name);
}

/* Where they go: one of the topology's two tables. */
struct table {
	struct irq *irq;
	unsigned *count;
	bool others;
};

/* The first count entries of found that are of one function, as vectors from 0. Returns how many they were.
 */
static unsigned take_function(const struct root *root, const struct table *table, const struct found *found,
			      unsigned count, struct findings *findings)
{
	unsigned base = found[0].number == 1 ? 1 : 0; /* the lowest number there is */
	unsigned n;

	for (n = 0; n < count && pci_compare(&found[n].pci, &found[0].pci) == 0; n++) {
		struct irq *irq = &table->irq[*table->count];

		if (found[n].legacy != found[0].legacy) /* where the driver's names are, those alone */
			continue;
		if (n > 0 && found[n].number == found[n - 1].number) {
			finding_add(findings, FINDING_UNKNOWN, "facts.readable", found[n].name,
				    "/" INTERRUPTS,
				    "interrupts %u and %u have the same name; the first one is taken",
				    found[n - 1].irq, found[n].irq);
			continue;
		}
		*irq = (struct irq){ .irq = found[n].irq,
				     .pci = found[n].pci,
				     .vector = found[n].number - base,
				     .count = found[n].count };
		memcpy(irq->name, found[n].name, sizeof(irq->name));
		read_list(root, irq->irq, "smp_affinity_list", &irq->affinity, &irq->affinity_known,
			  findings);
		if (!table->others)
			read_list(root, irq->irq, "effective_affinity_list", &irq->effective,
				  &irq->effective_known, findings);
		++*table->count;
	}
	return n;
}

static bool is_repeated(const struct pci_addr *pci, unsigned at)
{
	for (unsigned i = 0; i < at; i++) {
		if (pci_compare(&pci[i], &pci[at]) == 0)
			return true;
	}
	return false;
}

static int read_table(const struct root *root, const struct topology *topo, const struct pci_addr *pci,
		      unsigned count, const struct table *table, struct findings *findings, struct err *err)
{
	_cleanup_free_ struct scan *scan = calloc(1, sizeof(*scan));
	int r = 0;

	*table->count = 0;
	if (!scan)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "memory", "out of memory");
	scan->others = table->others;
	for (unsigned i = 0; i < count && r == 0; i++)
		r = is_repeated(pci, i) ? 0 : read_owned(root, scan, &pci[i], err);
	if (r < 0)
		return r;
	qsort(scan->owned, scan->owned_count, sizeof(scan->owned[0]), compare_owned);
	r = stream(root, scan, topo, findings);
	if (r < 0 && r != -ENOENT)
		sysfs_unreadable(findings, "interrupts", r, INTERRUPTS);
	if (scan->found_count > TOPO_IRQS_MAX)
		return sysfs_full(err, "interrupts", TOPO_IRQS_MAX);
	qsort(scan->found, scan->found_count, sizeof(scan->found[0]), compare_found);
	for (unsigned i = 0; i < scan->found_count;)
		i += take_function(root, table, &scan->found[i], scan->found_count - i, findings);
	return 0;
}

int facts_read_irqs(const struct root *root, struct topology *topo, const struct pci_addr *pci,
		    unsigned count, struct findings *findings, struct err *err)
{
	const struct table table = { .irq = topo->irq, .count = &topo->irqs };

	return read_table(root, topo, pci, count, &table, findings, err);
}

int facts_read_other_irqs(const struct root *root, struct topology *topo, const struct pci_addr *pci,
			  unsigned count, struct findings *findings, struct err *err)
{
	const struct table table = { .irq = topo->other_irq, .count = &topo->other_irqs, .others = true };

	return read_table(root, topo, pci, count, &table, findings, err);
}
