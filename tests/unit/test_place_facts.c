/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What placement needs beside the rest: threads of a core, isolated CPUs, counts of interrupts, queue
 * settings. */

#include "unit/reading.h"

#define CPUS "sys/devices/system/cpu"
#define COMPUTE "0000:18:00.0"

/* --- cores --- */

static void put_siblings(unsigned cpu, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), CPUS "/cpu%u/topology/thread_siblings_list", cpu);
	tree_write(&tree, path, text);
}

static void read_cores(const char *online)
{
	tree_write(&tree, CPUS "/online", online);
	assert_int_equal(facts_read_cpus(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(facts_read_cores(&tree.root, topo, &findings, &error), 0);
}

static void a_core_is_known_by_its_lowest_thread(void **state)
{
	(void)state;
	put_siblings(0, "0,112\n");
	put_siblings(3, "3\n");
	put_siblings(5, "4-7\n");
	put_siblings(112, "0,112\n");
	put_siblings(2047, "1023,2047\n");
	read_cores("0,3,5,112,2047\n");
	assert_int_equal(topo->core[0], 0);
	assert_int_equal(topo->core[3], 3);
	assert_int_equal(topo->core[5], 4);
	assert_int_equal(topo->core[112], 0);
	assert_int_equal(topo->core[2047], 1023);
	assert_int_equal(topo->core[4], -1); /* not online */
	assert_int_equal(findings.count, 0);
}

static void siblings_that_make_no_sense_are_unknown_and_said_once(void **state)
{
	(void)state;
	put_siblings(0, "0-1\n");
	put_siblings(1, "\n");	   /* not even itself */
	put_siblings(2, "3,4\n");  /* others */
	put_siblings(3, "3-\n");   /* no list */
	put_siblings(4, "4,9999"); /* no such CPU */
	read_cores("0-5\n");	   /* 5 has no file: it went offline */
	assert_int_equal(topo->core[0], 0);
	for (unsigned cpu = 1; cpu <= 5; cpu++)
		assert_int_equal(topo->core[cpu], -1);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].object, "cpu1");
}

static void reading_cores_again_forgets_the_earlier_ones(void **state)
{
	(void)state;
	put_siblings(1, "1\n");
	put_siblings(2, "2\n");
	read_cores("1-2\n");
	read_cores("1\n");
	assert_int_equal(topo->core[1], 1);
	assert_int_equal(topo->core[2], -1);
}

static void isolated_cpus_in_every_form_of_none(void **state)
{
	static const char *const none[] = { "\n", "(null)\n", "             (null)\n", "" };

	(void)state;
	read_cores("0\n"); /* no such files */
	assert_true(topo->isolated_known && topo->nohz_full_known);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		tree_write(&tree, CPUS "/isolated", none[i]);
		tree_write(&tree, CPUS "/nohz_full", none[i]);
		read_cores("0\n");
		assert_true(topo->isolated_known && topo->nohz_full_known);
		assert_true(cpuset_is_empty(&topo->isolated) && cpuset_is_empty(&topo->nohz_full));
	}
	tree_write(&tree, CPUS "/isolated", "50-53,162\n");
	tree_write(&tree, CPUS "/nohz_full", "1\n");
	read_cores("0\n");
	assert_int_equal(cpuset_count(&topo->isolated), 5);
	assert_true(cpuset_has(&topo->nohz_full, 1));
	assert_int_equal(findings.count, 0);
}

static void isolation_that_cannot_be_read_is_unknown(void **state)
{
	static const char *const odd[] = { "(nul)\n", "0-4096\n", "1\n2\n", "(null) 1\n", "all\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		tree_write(&tree, CPUS "/isolated", odd[i]);
		tree_write(&tree, CPUS "/nohz_full", odd[ARRAY_SIZE(odd) - 1 - i]);
		read_cores("0\n");
		assert_false(topo->isolated_known || topo->nohz_full_known);
		assert_int_equal(findings.count, 2 * (i + 1));
	}
}

/* --- interrupts of others --- */

static void read_others(const char *interrupts, unsigned owned)
{
	struct pci_addr pci;
	char path[96];

	for (unsigned irq = 50; irq < 50 + owned; irq++) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/" COMPUTE "/msi_irqs/%u", irq);
		tree_write(&tree, path, "msix\n");
		snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity_list", irq);
		tree_write(&tree, path, "52\n");
	}
	tree_write(&tree, "proc/interrupts", interrupts);
	assert_int_equal(pci_parse(COMPUTE, &pci), 0);
	assert_int_equal(facts_read_other_irqs(&tree.root, topo, &pci, 1, &findings, &error), 0);
}

static void interrupts_are_counted_over_all_cpus(void **state)
{
	(void)state;
	read_others("           CPU0       CPU1\n"
		    "  50:         40          2  IR-PCI-MSI 1000-edge      mlx5_comp0@pci:" COMPUTE "\n"
		    "  51: 4294967295 4294967295 IR-PCI-MSI 1001-edge      mlx5_comp1@pci:" COMPUTE "\n"
		    "  52: 5 8259A 3-edge mlx5_comp2@pci:" COMPUTE "\n"
		    "  53: mlx5_comp3@pci:" COMPUTE "\n"
		    "  54: 18446744073709551615 1 99999999999999999999999 x mlx5_comp4@pci:" COMPUTE "\n"
		    "  55: 7 7 x mlx5_async0@pci:" COMPUTE "\n",
		    6);
	assert_int_equal(topo->other_irqs, 5);
	assert_int_equal(topo->other_irq[0].count, 42);
	assert_true(topo->other_irq[1].count == 2 * UINT64_C(4294967295));
	assert_int_equal(topo->other_irq[2].count, 5);
	assert_int_equal(topo->other_irq[3].count, 0);
	assert_true(topo->other_irq[4].count == UINT64_MAX);
	assert_true(topo->other_irq[0].affinity_known && cpuset_has(&topo->other_irq[0].affinity, 52));
	assert_int_equal(topo->irqs, 0); /* never among those that are written */
	assert_int_equal(findings.count, 0);
}

static void one_interrupt_for_everything_is_no_news_of_others(void **state)
{
	(void)state;
	read_others(" 50: 1 0 x 1-edge mlx5_combined0@pci:" COMPUTE "\n", 1);
	assert_int_equal(topo->other_irqs, 0);
	assert_int_equal(findings.count, 0);
}

/* --- queues and paths --- */

static void add_ns(unsigned ctrl, const char *path_device, const char *rq_affinity)
{
	char path[128];

	topo->ctrl[ctrl].instance = ctrl + 2;
	topo->ns[topo->nss].ctrl = ctrl;
	strcpy(topo->ns[topo->nss++].path_device, path_device);
	snprintf(path, sizeof(path), "sys/class/nvme/nvme%u/%s/queue/rq_affinity", ctrl + 2, path_device);
	if (rq_affinity)
		tree_write(&tree, path, rq_affinity);
}

static void read_blk(void)
{
	assert_int_equal(facts_read_blk(&tree.root, topo, &findings, &error), 0);
}

static void rq_affinity_is_read_for_each_path(void **state)
{
	static const char *const odd[] = { "3\n", "-1\n", "x\n", "\n" };

	(void)state;
	add_ns(0, "nvme2c2n1", "1\n");
	add_ns(0, "nvme2c2n2", "0\n");
	add_ns(1, "nvme2c3n1", "2\n");
	add_ns(1, "nvme2c3n2", NULL); /* gone */
	read_blk();
	assert_int_equal(topo->rq_affinity[0], 1);
	assert_int_equal(topo->rq_affinity[1], 0);
	assert_int_equal(topo->rq_affinity[2], 2);
	assert_int_equal(topo->rq_affinity[3], -1);
	assert_int_equal(findings.count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		tree_write(&tree, "sys/class/nvme/nvme2/nvme2c2n1/queue/rq_affinity", odd[i]);
		read_blk();
		assert_int_equal(topo->rq_affinity[0], -1);
		assert_int_equal(findings.count, i + 1);
		assert_string_equal(findings.finding[i].object, "nvme2c2n1");
	}
}

static void each_subsystem_has_its_policy(void **state)
{
	char longer[IOPOLICY_SIZE + 1];

	(void)state;
	read_blk(); /* no driver */
	assert_int_equal(topo->subsyss, 0);
	tree_write(&tree, "sys/class/nvme-subsystem/nvme-subsys2/subsysnqn", "nqn.2026-01.example:s1\n");
	tree_write(&tree, "sys/class/nvme-subsystem/nvme-subsys2/iopolicy", "queue-depth\n");
	tree_write(&tree, "sys/class/nvme-subsystem/nvme-subsys10/subsysnqn", "nqn.2026-01.example:s2\n");
	tree_write(&tree, "sys/class/nvme-subsystem/subsys3/iopolicy", "numa\n"); /* none */
	read_blk();
	assert_int_equal(topo->subsyss, 2);
	assert_string_equal(topo->subsys[0].nqn, "nqn.2026-01.example:s1");
	assert_string_equal(topo->subsys[0].iopolicy, "queue-depth");
	assert_string_equal(topo->subsys[1].nqn, "nqn.2026-01.example:s2");
	assert_string_equal(topo->subsys[1].iopolicy, ""); /* a kernel without multipath */
	assert_int_equal(findings.count, 0);
	memset(longer, 'n', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	tree_write(&tree, "sys/class/nvme-subsystem/nvme-subsys2/iopolicy", longer);
	read_blk();
	assert_int_equal(topo->subsyss, 2);
	assert_string_equal(topo->subsys[0].iopolicy, "");
	assert_int_equal(findings.count, 1);
}

static void more_subsystems_than_there_is_room_for_are_an_error(void **state)
{
	char path[96];

	(void)state;
	for (unsigned i = 0; i < TOPO_SUBSYSS_MAX + 1; i++) {
		snprintf(path, sizeof(path), "sys/class/nvme-subsystem/nvme-subsys%u/subsysnqn", i);
		tree_write(&tree, path, "nqn.2026-01.example:s1\n");
	}
	assert_int_equal(facts_read_blk(&tree.root, topo, &findings, &error), -E2BIG);
	assert_string_equal(error.object, "NVMe subsystems");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_core_is_known_by_its_lowest_thread),
		TEST(siblings_that_make_no_sense_are_unknown_and_said_once),
		TEST(reading_cores_again_forgets_the_earlier_ones),
		TEST(isolated_cpus_in_every_form_of_none),
		TEST(isolation_that_cannot_be_read_is_unknown),
		TEST(interrupts_are_counted_over_all_cpus),
		TEST(one_interrupt_for_everything_is_no_news_of_others),
		TEST(rq_affinity_is_read_for_each_path),
		TEST(each_subsystem_has_its_policy),
		TEST(more_subsystems_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
