/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel module: network functions of the lab get the interrupts that mlx5 would give them, with mlx5's
 *names and on mlx5's CPUs (comp_irqs_request in its eq.c), and the first ones of each fire.
 *
 *	modprobe irqs functions=0000:29:00.0/16,0000:18:00.0/8
 *
 * Nothing is computed when one fires, as two cores are 32 CPUs here. The time that it would have taken is
 *written to the account of its CPU all the same: /proc/stat is what irqbalance knows of loads.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/timer.h>

enum { FUNCTIONS_MAX = 16, PERIOD_MS = 100, LOAD_US = 2000 };

static char *functions[FUNCTIONS_MAX];
static unsigned int function_count;
module_param_array(functions, charp, &function_count, 0444);
MODULE_PARM_DESC(functions, "PCI address, '/', how many of its completion vectors fire");

struct vector {
	struct timer_list timer;
	unsigned int irq;
	unsigned int cpu; /* where it goes */
	unsigned int load_us;
	bool requested;
	char name[48];
};

static struct irq_domain *domain;
static struct vector *vectors; /* of each function the completion vectors, and the control vector */

static void nothing(struct irq_data *data)
{
}

static int set_affinity(struct irq_data *data, const struct cpumask *mask, bool force)
{
	struct vector *vector = &vectors[data->hwirq];
	unsigned int cpu = cpumask_any_and(mask, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	WRITE_ONCE(vector->cpu, cpu);
	irq_data_update_effective_affinity(data, cpumask_of(cpu));
	return IRQ_SET_MASK_OK;
}

static struct irq_chip chip = {
	.name = "IR-PCI-MSI",
	.irq_mask = nothing,
	.irq_unmask = nothing,
	.irq_ack = nothing,
	.irq_set_affinity = set_affinity,
};

static int map(struct irq_domain *in, unsigned int irq, irq_hw_number_t number)
{
	irq_set_chip_and_handler_name(irq, &chip, handle_edge_irq, "edge");
	irq_set_status_flags(irq, IRQ_MOVE_PCNTXT); /* at once, as with interrupt remapping */
	return 0;
}

static const struct irq_domain_ops operations = { .map = map };

static irqreturn_t handle(int irq, void *arg)
{
	const struct vector *vector = arg;

	__this_cpu_add(kernel_cpustat.cpustat[CPUTIME_SOFTIRQ], vector->load_us * NSEC_PER_USEC);
	return IRQ_HANDLED;
}

/* The timer runs where the interrupt goes: that is where the kernel counts it. */
static void start_timer(struct vector *vector)
{
	vector->timer.expires = jiffies + msecs_to_jiffies(PERIOD_MS);
	add_timer_on(&vector->timer, READ_ONCE(vector->cpu));
}

static void fire(struct timer_list *timer)
{
	struct vector *vector = container_of(timer, struct vector, timer);

	generic_handle_irq_safe(vector->irq);
	start_timer(vector);
}

static int add_vector(unsigned int number)
{
	struct vector *vector = &vectors[number];
	int r;

	timer_setup(&vector->timer, fire, 0);
	vector->irq = irq_create_mapping(domain, number);
	r = vector->irq ? request_irq(vector->irq, handle, 0, vector->name, vector) : -ENOSPC;
	vector->requested = r == 0;
	return r;
}

static int add_function(unsigned int first, const char *text)
{
	unsigned int bus, device, function, segment, firing, v;
	struct pci_dev *pci;
	int node, r = 0;

	if (sscanf(text, "%x:%x:%x.%x/%u", &segment, &bus, &device, &function, &firing) != 5)
		return -EINVAL;
	pci = pci_get_domain_bus_and_slot(segment, bus, PCI_DEVFN(device, function));
	if (!pci)
		return -ENODEV;
	node = dev_to_node(&pci->dev);
	snprintf(vectors[first].name, sizeof(vectors->name), "mlx5_async0@pci:%s", pci_name(pci));
	for (v = 0; v < num_possible_cpus(); v++)
		snprintf(vectors[first + 1 + v].name, sizeof(vectors->name), "mlx5_comp%u@pci:%s", v,
			 pci_name(pci));
	pci_dev_put(pci);
	for (v = 0; r == 0 && v <= num_possible_cpus(); v++)
		r = add_vector(first + v);
	for (v = 0; r == 0 && v < num_possible_cpus(); v++) {
		struct vector *vector = &vectors[first + 1 + v];

		vector->load_us = LOAD_US * (1 + v % 4); /* all the same would always be in balance */
		r = irq_set_affinity_and_hint(vector->irq, cpumask_of(cpumask_local_spread(v, node)));
		if (r == 0 && v < firing)
			start_timer(vector);
	}
	return r;
}

static unsigned int vector_count(void)
{
	return function_count * (num_possible_cpus() + 1);
}

static void remove(void)
{
	for (unsigned int i = 0; i < vector_count(); i++) {
		struct vector *vector = &vectors[i];

		if (vector->requested) {
			timer_delete_sync(&vector->timer);
			irq_update_affinity_hint(vector->irq, NULL);
			free_irq(vector->irq, vector);
		}
		if (vector->irq)
			irq_dispose_mapping(vector->irq);
	}
	irq_domain_remove(domain);
	kvfree(vectors);
}

static int __init start(void)
{
	int r = 0;

	if (function_count == 0)
		return -EINVAL;
	vectors = kvcalloc(vector_count(), sizeof(*vectors), GFP_KERNEL);
	if (!vectors)
		return -ENOMEM;
	domain = irq_domain_add_linear(NULL, vector_count(), &operations, NULL);
	if (!domain) {
		kvfree(vectors);
		return -ENOMEM;
	}
	for (unsigned int i = 0; r == 0 && i < function_count; i++)
		r = add_function(i * (num_possible_cpus() + 1), functions[i]);
	if (r < 0)
		remove();
	return r;
}

module_init(start);
module_exit(remove);
MODULE_DESCRIPTION("mlx5's interrupts without mlx5");
MODULE_LICENSE("GPL");
