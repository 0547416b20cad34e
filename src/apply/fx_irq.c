/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves completion interrupts. */
#include "apply/fx_irq.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"

#define ACTIONS "sys/kernel/irq"
#define POLL_MS 10
#define LIST_BYTES_MAX (1U << 16)

/* One call: which interrupt, and where it says what went wrong. */
struct target {
	const struct root *root;
	const struct pci_addr *pci;
	const char *name;
	struct fx_irq *now;
	struct err *err;
};

static int failed(const struct target *t, enum exit_class exit, int code, const char *why)
{
	return err_set(t->err, exit, code, t->name, "interrupt %u, %s: %s", t->now->irq, t->name, why);
}

/* --- which number ---------------------------------------------------------------------------- */

static bool is_number(const char *text)
{
	uint64_t number;

	return parse_u64(text, UINT_MAX, &number) == 0;
}

/*
 * "mlx5_comp<N>@pci:<address>" of this function, or "<netdev>-<N>". Planned before, too; here is the last
 * place where the control vector could be moved, or another function's interrupt.
 */
static bool is_completion(const struct pci_addr *pci, const char *name)
{
	char number[16], suffix[PCI_TEXT_MAX + 8], text[PCI_TEXT_MAX];
	const char *at = strchr(name, '@'), *dash = strrchr(name, '-');
	size_t length;

	if (!at)
		return dash && dash != name && is_number(dash + 1) && !str_starts(name, "mlx5_");
	str_format(suffix, sizeof(suffix), "@pci:%s", pci_format(pci, text));
	if (!str_starts(name, "mlx5_comp") || strcmp(at, suffix) != 0)
		return false;
	name += strlen("mlx5_comp");
	length = (size_t)(at - name);
	if (length >= sizeof(number))
		return false;
	memcpy(number, name, length);
	number[length] = '\0';
	return is_number(number);
}

/* 1: this number has this name and nobody else's; 0: it has not; -errno: cannot be read. */
static int has_name(const struct root *root, unsigned irq, const char *name)
{
	char actions[512];
	int r = root_line(root, actions, sizeof(actions), ACTIONS "/%u/actions", irq);

	/* "a,b" if handlers share it: then it is no completion interrupt. */
	if (r == 0)
		return strcmp(actions, name) == 0;
	if (r == -ENOENT || r == -ENODEV || r == -ENAMETOOLONG || r == -EFBIG)
		return 0;
	return r == -EINVAL ? -EBADMSG : r;
}

int fx_irq_find(const struct root *root, const struct pci_addr *pci, const char *name, unsigned *ret)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	char text[PCI_TEXT_MAX];
	int unread = 0, r;
	unsigned found = 0;

	if (!root_exists(root, ACTIONS))
		return -ENOSYS; /* Linux before 4.9, or no sysfs */
	r = root_list(root, &names, "sys/bus/pci/devices/%s/msi_irqs", pci_format(pci, text));
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.count; i++) {
		uint64_t irq;

		if (parse_u64(names.name[i], UINT_MAX, &irq) < 0)
			continue;
		r = has_name(root, (unsigned)irq, name);
		if (r < 0)
			unread = r;
		if (r > 0 && found++ == 0)
			*ret = (unsigned)irq;
	}
	if (found > 1)
		return -ENOTUNIQ;
	return found == 1 ? 0 : unread ? unread : -ENOENT;
}

static int find(const struct target *t)
{
	int r = fx_irq_find(t->root, t->pci, t->name, &t->now->irq);
	char pci[PCI_TEXT_MAX];
	const char *why;

	if (r == 0)
		return 0;
	why = r == -ENOENT ? "is not there any more; the driver may have been loaded again: run this again"
	      : r == -ENOTUNIQ ? "two interrupts have this name; neither is moved"
	      : r == -ENOSYS   ? "the kernel has no /" ACTIONS ", which tells their names"
			       : strerror(-r);
	return err_set(t->err, XC_PARTIAL, r, t->name, "interrupt %s of %s: %s", t->name,
		       pci_format(t->pci, pci), why);
}

/* --- reading --------------------------------------------------------------------------------- */

/* 1: the number is still this interrupt's; 0: it is not; -errno: cannot be read. */
static int is_there(const struct target *t)
{
	char pci[PCI_TEXT_MAX];

	if (!root_exists(t->root, "sys/bus/pci/devices/%s/msi_irqs/%u", pci_format(t->pci, pci), t->now->irq))
		return 0;
	return has_name(t->root, t->now->irq, t->name);
}

static int gone(const struct target *t)
{
	return failed(t, XC_PARTIAL, -ENOENT, "is going away; run this again");
}

/* smp_affinity_list, opened and then checked. Descriptor or -errno. */
static int open_list(const struct target *t, int flags)
{
	_cleanup_close_ int fd = root_openat(t->root, flags | O_NOCTTY | O_NONBLOCK,
					     "proc/irq/%u/smp_affinity_list", t->now->irq);
	int r;

	if (fd == -ENOENT)
		return gone(t);
	if (fd == -EACCES || fd == -EPERM)
		return failed(t, XC_ENVIRONMENT, -EPERM, "only root can move it; run this as root");
	r = fd < 0 ? fd : is_there(t);
	if (r < 0)
		return failed(t, XC_PARTIAL, r, strerror(-r));
	if (r == 0)
		return gone(t);
	r = fd;
	fd = -1;
	return r;
}

static int read_list(const struct target *t, int fd)
{
	_cleanup_free_ char *text = NULL;
	ssize_t length = lseek(fd, 0, SEEK_SET) < 0 ? -errno : root_read_fd(fd, &text, LIST_BYTES_MAX);
	struct cpuset set;
	int r;

	if (length == -EIO) /* of a file whose interrupt is gone (proc_reg_read) */
		return gone(t);
	r = length < 0 ? (int)length : 0;
	if (r == 0 &&
	    (memchr(text, '\0', (size_t)length) || cpuset_parse(text, &set) < 0 || cpuset_is_empty(&set)))
		r = -EBADMSG;
	if (r < 0)
		return failed(t, XC_PARTIAL, r, "its smp_affinity_list cannot be read");
	t->now->affinity = set;
	return 0;
}

static bool is_effective(const struct fx_irq *now)
{
	return !cpuset_is_empty(&now->effective) && cpuset_is_subset(&now->effective, &now->affinity);
}

/*
 * A chip that does not tell has an empty list (irq_validate_effective_affinity). Read before
 * smp_affinity_list, which cannot be read of an interrupt that is gone: then this was not another one's.
 */
static void read_effective(const struct target *t)
{
	if (root_cpuset(t->root, &t->now->effective, "proc/irq/%u/effective_affinity_list", t->now->irq) < 0)
		t->now->effective = (struct cpuset){ 0 };
}

static int look(const struct target *t, int fd)
{
	int r;

	read_effective(t);
	r = read_list(t, fd);
	t->now->pending = r < 0 || !is_effective(t->now);
	return r;
}

int fx_irq_read(const struct root *root, const struct pci_addr *pci, const char *name, struct fx_irq *ret,
		struct err *err)
{
	struct target t = { .root = root, .pci = pci, .name = name, .now = ret, .err = err };
	_cleanup_close_ int fd = -1;
	int r;

	*ret = (struct fx_irq){ .pending = true };
	r = find(&t);
	if (r < 0)
		return r;
	fd = open_list(&t, O_RDONLY);
	return fd < 0 ? fd : look(&t, fd);
}

/* --- writing --------------------------------------------------------------------------------- */

/*
 * What write_irq_affinity() answers. EPERM: not to be moved by anybody (EIO before Linux 6.12); who may not
 * is turned away when he opens the file. EOVERFLOW, ERANGE: a CPU beyond those that the kernel can have.
 */
static int write_failed(const struct target *t, int code, const char *list)
{
	char why[256];

	switch (-code) {
	case EIO:
	case EPERM:
		if (is_there(t) == 0) /* EIO is also what a file answers whose interrupt is gone */
			return gone(t);
		return failed(t, XC_PARTIAL, -EIO, "the kernel manages it, and lets nobody move it");
	case ENOSPC:
		str_format(why, sizeof(why), "no interrupt vector is left on CPU %s; it stays where it is",
			   list);
		return failed(t, XC_PARTIAL, code, why);
	case EINVAL:
	case EOVERFLOW:
	case ERANGE:
		str_format(why, sizeof(why), "CPU %s is offline or not there; it stays where it is", list);
		return failed(t, XC_PARTIAL, -EINVAL, why);
	}
	str_format(why, sizeof(why), "cannot be moved to CPU %s: %s", list, strerror(-code));
	return failed(t, XC_PARTIAL, code, why);
}

static int moved_by_others(const struct target *t, const char *when)
{
	char list[CPUSET_TEXT_MAX], why[256];

	if (cpuset_format(&t->now->affinity, list, sizeof(list)) < 0)
		list[0] = '\0';
	str_format(why, sizeof(why), "%s: it is on CPU %s; somebody else moves it (irqbalance?)", when, list);
	return failed(t, XC_PARTIAL, -ESTALE, why);
}

static int write_list(const struct target *t, const struct cpuset *cpus, int fd)
{
	char list[CPUSET_TEXT_MAX];
	ssize_t written;
	int r = cpuset_is_empty(cpus) ? -EINVAL : cpuset_format(cpus, list, sizeof(list));

	if (r < 0)
		return failed(t, XC_FAILED, r, "no list of CPUs to move it to");
	log_effect("/proc/irq/%u/smp_affinity_list (%s): %s", t->now->irq, t->name, list);
	written = lseek(fd, 0, SEEK_SET) < 0 ? -1 : write(fd, list, strlen(list));
	if (written < 0)
		r = -errno;
	else if ((size_t)written != strlen(list))
		r = -EBADE;
	return r < 0 ? write_failed(t, r, list) : 0;
}

/* Until it goes where it was sent. */
static int await(const struct target *t, int fd, int wait_ms)
{
	int64_t deadline = clock_ms() + wait_ms;

	for (;;) {
		int r = look(t, fd);

		if (r < 0 || !t->now->pending || cpuset_is_empty(&t->now->effective) ||
		    clock_ms() >= deadline)
			return r;
		clock_sleep_ms(POLL_MS);
	}
}

int fx_irq_write(const struct root *root, const struct pci_addr *pci, const char *name,
		 const struct cpuset *before, const struct cpuset *cpus, int wait_ms, struct fx_irq *ret,
		 struct err *err)
{
	struct target t = { .root = root, .pci = pci, .name = name, .now = ret, .err = err };
	_cleanup_close_ int fd = -1;
	int r;

	*ret = (struct fx_irq){ .pending = true };
	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, name, "%s: a tree's interrupts cannot be moved",
			       root->path);
	if (!is_completion(pci, name))
		return err_set(err, XC_REFUSED, -ENOTSUP, name,
			       "interrupt %s is no completion interrupt of the port; it is never moved",
			       name);
	r = find(&t);
	if (r < 0)
		return r;
	fd = open_list(&t, O_RDWR);
	r = fd < 0 ? fd : look(&t, fd);
	if (r < 0 || cpuset_equal(&ret->affinity, cpus))
		return r;
	if (!cpuset_equal(&ret->affinity, before))
		return moved_by_others(&t, "not moved");
	r = write_list(&t, cpus, fd);
	if (r < 0)
		return r;
	ret->changed = true;
	r = await(&t, fd, wait_ms);
	if (r == 0 && !cpuset_equal(&ret->affinity, cpus))
		return moved_by_others(&t, "moved, and moved again");
	return r;
}
