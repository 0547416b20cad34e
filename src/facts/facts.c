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
	ret->net_read = ret->rdma_read = READ_OK;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
		unsigned before = findings->count + findings->lost;
		int r = readers[i](root, ret, findings, err);

		if (r < 0)
			return r;
		/* Whatever they found to say is something that they could not read. */
		if (findings->count + findings->lost == before)
			continue;
		if (readers[i] == facts_read_net)
			ret->net_read = READ_FAILED;
		if (readers[i] == facts_read_rdma)
			ret->rdma_read = READ_FAILED;
	}
	return 0;
}
