/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of /proc/interrupts are completion vectors of a port, and which vector each is. */

#include "unit/reading.h"

#define PORT_A "0000:29:00.0"
#define PORT_B "0000:aa:00.0"

static struct pci_addr ports[2];

static int setup_ports(void **state)
{
	assert_int_equal(pci_parse(PORT_A, &ports[0]), 0);
	assert_int_equal(pci_parse(PORT_B, &ports[1]), 0);
	return setup(state);
}

static void own(const char *pci, unsigned first, unsigned last)
{
	char path[128];

	for (unsigned irq = first; irq <= last; irq++) {
		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/msi_irqs/%u", pci, irq);
		tree_write(&tree, path, "msix\n");
	}
}

static void read_irqs(const char *interrupts)
{
	tree_write(&tree, "proc/interrupts", interrupts);
	assert_int_equal(facts_read_irqs(&tree.root, topo, ports, 2, &findings, &error), 0);
}

static void assert_irq(unsigned index, unsigned irq, unsigned vector, const char *name)
{
	assert_true(index < topo->irqs);
	assert_int_equal(topo->irq[index].irq, irq);
	assert_int_equal(topo->irq[index].vector, vector);
	assert_string_equal(topo->irq[index].name, name);
}

static void names_from_zero_are_vectors(void **state)
{
	(void)state;
	own(PORT_A, 50, 53);
	read_irqs("            CPU0       CPU1\n"
		  "   0:         40          0  IR-IO-APIC    2-edge      timer\n"
		  "  52:          1          0  IR-PCI-MSI 21495810-edge      mlx5_comp10@pci:" PORT_A "\n"
		  "  51:          1          0  IR-PCI-MSI 21495809-edge      mlx5_comp1@pci:" PORT_A "\n"
		  "  50:          1          0  IR-PCI-MSI 21495808-edge      mlx5_comp0@pci:" PORT_A "\n"
		  " NMI:          0          0   Non-maskable interrupts\n");
	assert_int_equal(topo->irqs, 3);
	assert_irq(0, 50, 0, "mlx5_comp0@pci:" PORT_A);
	assert_irq(1, 51, 1, "mlx5_comp1@pci:" PORT_A);
	assert_irq(2, 52, 10, "mlx5_comp10@pci:" PORT_A);
	assert_int_equal(pci_compare(&topo->irq[0].pci, &ports[0]), 0);
	assert_int_equal(findings.count, 0);
}

static void names_from_one_are_counted_from_one_for_each_port(void **state)
{
	(void)state;
	own(PORT_A, 50, 51);
	own(PORT_B, 60, 61);
	read_irqs(" 60: 1 0 x 1-edge mlx5_comp0@pci:" PORT_B "\n"
		  " 61: 1 0 x 1-edge mlx5_comp1@pci:" PORT_B "\n"
		  " 50: 1 0 x 1-edge mlx5_comp1@pci:" PORT_A "\n"
		  " 51: 1 0 x 1-edge mlx5_comp2@pci:" PORT_A "\n");
	assert_int_equal(topo->irqs, 4);
	assert_irq(0, 50, 0, "mlx5_comp1@pci:" PORT_A);
	assert_irq(1, 51, 1, "mlx5_comp2@pci:" PORT_A);
	assert_irq(2, 60, 0, "mlx5_comp0@pci:" PORT_B);
	assert_irq(3, 61, 1, "mlx5_comp1@pci:" PORT_B);
}

static void vectors_that_do_not_exist_yet_do_not_shift_the_others(void **state)
{
	(void)state;
	own(PORT_A, 50, 51);
	read_irqs(" 50: 1 0 x 1-edge mlx5_comp5@pci:" PORT_A "\n 51: 1 0 x 1-edge mlx5_comp9@pci:" PORT_A
		  "\n");
	assert_int_equal(topo->irqs, 2);
	assert_irq(0, 50, 5, "mlx5_comp5@pci:" PORT_A);
	assert_irq(1, 51, 9, "mlx5_comp9@pci:" PORT_A);
}

static void what_is_no_completion_vector_is_left_out(void **state)
{
	(void)state;
	own(PORT_A, 50, 69);
	read_irqs(" 50: 1 0 x 1-edge mlx5_async0@pci:" PORT_A "\n"
		  " 51: 1 0 x 1-edge mlx5_comp0@pci:" PORT_B "\n" /* another function's name */
		  " 52: 1 0 x 1-edge mlx5_comp0@pci:0000:29:00.01\n"
		  " 53: 1 0 x 1-edge mlx5_comp@pci:" PORT_A "\n"
		  " 54: 1 0 x 1-edge mlx5_comp01@pci:" PORT_A "\n"
		  " 55: 1 0 x 1-edge mlx5_comp-1@pci:" PORT_A "\n"
		  " 56: 1 0 x 1-edge mlx5_comp99999999999@pci:" PORT_A "\n"
		  " 57: 1 0 x 1-edge mlx5_comp99999999999999999999@pci:" PORT_A "\n"
		  " 58: 1 0 x 1-edge xmlx5_comp0@pci:" PORT_A "\n"
		  " 59: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "x\n"
		  " 60: 1 0 x 1-edge nvme0q0, mlx5_comp0@pci:" PORT_A "\n" /* shared */
		  " 61: 1 0 x 1-edge eth0-1\n"				   /* the port has no netdev */
		  " 62: 1 0 x 1-edge -1\n"
		  " 63:\n"
		  " 64\n"
		  " :\n"
		  "\n"
		  " 0x50: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "\n"
		  " 49: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "\n"); /* not in msi_irqs */
	assert_int_equal(topo->irqs, 0);
	assert_int_equal(findings.count, 0);
}

static void a_combined_vector_is_left_out_and_said(void **state)
{
	(void)state;
	own(PORT_A, 50, 50);
	read_irqs(" 50: 1 0 x 1-edge mlx5_combined0@pci:" PORT_A "\n");
	assert_int_equal(topo->irqs, 0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].check, "affinity.irqs");
	assert_int_equal(findings.finding[0].status, FINDING_WARN);
	assert_string_equal(findings.finding[0].object, PORT_A);
}

static void add_port(const char *pci, const char *netdev)
{
	struct port *port = &topo->port[topo->ports++];

	assert_int_equal(pci_parse(pci, &port->pci), 0);
	port->netdev = (int)topo->netdevs;
	strcpy(topo->netdev[topo->netdevs++].name, netdev);
}

static void names_after_the_ports_own_netdev_are_vectors(void **state)
{
	(void)state;
	add_port(PORT_A, "ens2f0");
	add_port(PORT_B, "ens8f0");
	own(PORT_A, 50, 55);
	read_irqs(" 50: 1 0 x 1-edge ens2f0-0\n 51: 1 0 x 1-edge ens2f0-1\n 52: 1 0 x 1-edge ens2f01-2\n"
		  " 53: 1 0 x 1-edge ens8f0-3\n 54: 1 0 x 1-edge ens2f0\n 55: 1 0 x 1-edge ens2f0-TxRx-3\n");
	assert_int_equal(topo->irqs, 2);
	assert_irq(0, 50, 0, "ens2f0-0");
	assert_irq(1, 51, 1, "ens2f0-1");
}

static void the_drivers_names_come_before_the_netdevs(void **state)
{
	(void)state;
	add_port(PORT_A, "ens2f0");
	own(PORT_A, 50, 51);
	read_irqs(" 50: 1 0 x 1-edge ens2f0-0\n 51: 1 0 x 1-edge mlx5_comp1@pci:" PORT_A "\n");
	assert_int_equal(topo->irqs, 1);
	assert_irq(0, 51, 0, "mlx5_comp1@pci:" PORT_A);
}

static void two_interrupts_of_one_name_are_said(void **state)
{
	(void)state;
	own(PORT_A, 50, 51);
	read_irqs(" 50: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "\n 51: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A
		  "\n");
	assert_int_equal(topo->irqs, 1);
	assert_irq(0, 50, 0, "mlx5_comp0@pci:" PORT_A);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.finding[0].status, FINDING_UNKNOWN);
}

static void a_function_that_is_asked_for_twice_is_read_once(void **state)
{
	(void)state;
	ports[1] = ports[0];
	own(PORT_A, 50, 50);
	read_irqs(" 50: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "\n");
	assert_int_equal(topo->irqs, 1);
	assert_int_equal(findings.count, 0);
}

static void both_affinities_are_read(void **state)
{
	(void)state;
	own(PORT_A, 50, 51);
	tree_write(&tree, "proc/irq/50/smp_affinity_list", "0-3,112\n");
	tree_write(&tree, "proc/irq/50/effective_affinity_list", "2\n");
	tree_write(&tree, "proc/irq/51/smp_affinity_list", "zero\n");
	read_irqs(" 50: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A "\n 51: 1 0 x 1-edge mlx5_comp1@pci:" PORT_A
		  "\n");
	assert_int_equal(topo->irqs, 2);
	assert_true(topo->irq[0].affinity_known && topo->irq[0].effective_known);
	assert_int_equal(cpuset_count(&topo->irq[0].affinity), 5);
	assert_true(cpuset_has(&topo->irq[0].effective, 2));
	assert_false(topo->irq[1].affinity_known || topo->irq[1].effective_known);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].evidence, "/proc/irq/51/smp_affinity_list");
}

static void a_line_for_2048_cpus_is_read_to_its_end(void **state)
{
	static char text[4 * 32768];
	size_t at = 0;

	(void)state;
	own(PORT_A, 50, 52);
	for (unsigned irq = 50; irq <= 52; irq++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%4u:", irq);
		for (unsigned cpu = 0; cpu < 2048; cpu++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %10u", 4294967295U);
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "  x 1-edge   mlx5_comp%u@pci:" PORT_A "\n", irq - 50);
	}
	read_irqs(text);
	assert_int_equal(topo->irqs, 3);
	assert_irq(2, 52, 2, "mlx5_comp2@pci:" PORT_A);
}

static void a_line_without_an_end_is_not_taken_in_part(void **state)
{
	static char text[70000];

	(void)state;
	own(PORT_A, 50, 50);
	read_irqs(" 50: 1 0 x 1-edge mlx5_comp0@pci:" PORT_A); /* no newline: it may go on */
	assert_int_equal(topo->irqs, 0);
	memset(text, '1', sizeof(text) - 1);
	read_irqs(text);
	assert_int_equal(topo->irqs, 0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].evidence, "/proc/interrupts");
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
	static const char bytes[] = " 50: 1\0 0 x mlx5_comp0@pci:" PORT_A "\n\0\n\xff\xfe: \n 50\0: a b\n";

	(void)state;
	own(PORT_A, 50, 50);
	tree_write_bytes(&tree, "proc/interrupts", bytes, sizeof(bytes) - 1);
	assert_int_equal(facts_read_irqs(&tree.root, topo, ports, 2, &findings, &error), 0);
	assert_int_equal(topo->irqs, 0);
}

static void the_same_line_over_and_over_is_an_error(void **state)
{
	static const char line[] = "50: a b\n50: x mlx5_comp0@pci:" PORT_A "\n";
	char *text = calloc(16385, sizeof(line)), *at = text;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < 16385; i++)
		at = stpcpy(at, line);
	own(PORT_A, 50, 50);
	tree_write(&tree, "proc/interrupts", text);
	free(text);
	assert_int_equal(facts_read_irqs(&tree.root, topo, ports, 1, &findings, &error), -E2BIG);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.object, "interrupts");
}

static void without_the_file_there_are_none(void **state)
{
	(void)state;
	own(PORT_A, 50, 50);
	assert_int_equal(facts_read_irqs(&tree.root, topo, ports, 2, &findings, &error), 0);
	assert_int_equal(topo->irqs, 0);
	assert_int_equal(findings.count, 0);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_ports, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_from_zero_are_vectors),
		TEST(names_from_one_are_counted_from_one_for_each_port),
		TEST(vectors_that_do_not_exist_yet_do_not_shift_the_others),
		TEST(what_is_no_completion_vector_is_left_out),
		TEST(a_combined_vector_is_left_out_and_said),
		TEST(names_after_the_ports_own_netdev_are_vectors),
		TEST(the_drivers_names_come_before_the_netdevs),
		TEST(two_interrupts_of_one_name_are_said),
		TEST(a_function_that_is_asked_for_twice_is_read_once),
		TEST(both_affinities_are_read),
		TEST(a_line_for_2048_cpus_is_read_to_its_end),
		TEST(a_line_without_an_end_is_not_taken_in_part),
		TEST(bytes_that_are_no_text_do_no_harm),
		TEST(the_same_line_over_and_over_is_an_error),
		TEST(without_the_file_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
