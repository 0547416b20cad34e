/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that is read of a machine, in the order in which the readers need each other. */
#include "facts/facts.h"

int facts_read(const struct root *root, struct topology *ret, struct findings *findings, struct err *err)
{
	static int (*const readers[])(const struct root *, struct topology *, struct findings *,
				      struct err *) = {
		facts_read_dmi, facts_read_cpus, facts_read_net,    facts_read_rdma,
		facts_read_pci, facts_read_nvme, facts_read_cm_ids,
	};

	ret->live = root->live;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		int r = readers[i](root, ret, findings, err);

		if (r < 0)
			return r;
	}
	return 0;
}
