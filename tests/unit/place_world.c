/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fixtures for the tests of placement. */
#include "unit/place_world.h"

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "facts/facts.h"
#include "unit/tree.h"

int place_world_setup(void **state)
{
	*state = calloc(1, sizeof(struct place_world));
	assert_non_null(*state);
	return 0;
}

int place_world_teardown(void **state)
{
	free(*state);
	return 0;
}

/* make check sets both; by hand the program runs in the build directory. */
static void fixtures_dir(char *buf, size_t size)
{
	const char *srcdir = getenv("srcdir");
	const char *here = strstr(__FILE__, "tests/unit/");

	if (srcdir)
		str_format(buf, size, "%s/tests/fixtures", srcdir);
	else
		str_format(buf, size, "%.*stests/fixtures", (int)(here - __FILE__), __FILE__);
}

static void make_tree(const char *dest, const char *fixture)
{
	const char *builddir = getenv("builddir");
	char program[512], flag[] = "-f", dir[512], path[64], name[64];
	char *argv[] = { program, flag, dir, path, name, NULL }, *env[] = { NULL };
	int status;
	pid_t pid;

	str_format(program, sizeof(program), "%s/tests/lib/mkroot", builddir ? builddir : ".");
	fixtures_dir(dir, sizeof(dir));
	assert_int_equal(str_copy(path, sizeof(path), dest), 0);
	assert_int_equal(str_copy(name, sizeof(name), fixture), 0);
	assert_int_equal(posix_spawn(&pid, program, NULL, NULL, argv, env), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* As a session reads it; storage or compute functions. */
static unsigned functions(const struct place_world *w, enum role role,
			  struct pci_addr ret[static TOPO_PORTS_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < w->topo.ports; i++) {
		if (w->classes.port[i].role == role)
			ret[count++] = w->topo.port[i].pci;
	}
	return count;
}

static void read_machine(struct place_world *w, const struct root *root)
{
	struct pci_addr pci[TOPO_PORTS_MAX];
	struct err err = { 0 };
	unsigned count;
	bool known;

	assert_int_equal(facts_read(root, &w->topo, &w->findings, &err), 0);
	assert_int_equal(facts_read_platform(root, &w->topo.dmi, NULL, &w->platform, &known, &err), 0);
	assert_true(known);
	classify(&w->topo, &w->platform, &w->classes, &w->findings);
	plan_show(&w->topo, &w->classes, &w->plan);
	count = functions(w, ROLE_STORAGE, pci);
	assert_int_equal(facts_read_irqs(root, &w->topo, pci, count, &w->findings, &err), 0);
	count = functions(w, ROLE_COMPUTE, pci);
	assert_int_equal(facts_read_other_irqs(root, &w->topo, pci, count, &w->findings, &err), 0);
	for (unsigned i = 0; i < w->topo.rdma_links; i++)
		assert_int_equal(
			facts_read_ncv(root, &w->topo, w->topo.rdma_link[i].name, &w->findings, &err), 0);
	assert_int_equal(facts_read_cores(root, &w->topo, &w->findings, &err), 0);
	assert_int_equal(facts_read_blk(root, &w->topo, &w->findings, &err), 0);
}

/* Thousands of small files: a disk takes seconds for them. */
void place_world_read(struct place_world *w, const char *fixture)
{
	struct tree tree = { .root = ROOT_INIT };
	struct err err = { 0 };

	strcpy(tree.path,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/nvmep-test-XXXXXX" : "/tmp/nvmep-test-XXXXXX");
	assert_non_null(mkdtemp(tree.path));
	make_tree(tree.path, fixture);
	assert_int_equal(root_open(tree.path, &tree.root, &err), 0);
	read_machine(w, &tree.root);
	tree_close(&tree);
}

void place_world_place(struct place_world *w, unsigned cores_per_port)
{
	w->findings.count = 0;
	cores_of(&w->topo, &w->classes, cores_per_port, &w->affinity, &w->findings);
	place_irqs(&w->topo, &w->classes, &w->plan, 0, &w->affinity);
	place_advice(&w->topo, &w->classes, &w->plan, &w->affinity, &w->findings);
	place_failover(&w->topo, &w->classes, &w->plan, &w->affinity, &w->findings);
}

const struct affinity_port *place_world_port(const struct place_world *w, const char *pci)
{
	struct pci_addr addr;

	assert_int_equal(pci_parse(pci, &addr), 0);
	for (unsigned i = 0; i < w->affinity.ports; i++) {
		if (pci_compare(&w->topo.port[w->affinity.port[i].port].pci, &addr) == 0)
			return &w->affinity.port[i];
	}
	fail_msg("%s has no share", pci);
	return NULL;
}

void place_world_assert_cpus(const struct cpuset *set, const char *text, const char *file, int line)
{
	char list[CPUSET_TEXT_MAX];

	_assert_int_equal(cpuset_format(set, list, sizeof(list)), 0, file, line);
	_assert_string_equal(list, text, file, line);
}

const struct finding *place_world_finding(const struct place_world *w, const char *check, const char *object)
{
	for (unsigned i = 0; i < w->findings.count; i++) {
		if (strcmp(w->findings.finding[i].check, check) == 0 &&
		    strcmp(w->findings.finding[i].object, object) == 0)
			return &w->findings.finding[i];
	}
	return NULL;
}
