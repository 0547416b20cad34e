/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for what becomes of a bond that is asked for. */
#include "model/bond_plan.h"

const char *bond_action_name(enum bond_action action)
{
	switch (action) {
	case BOND_WOULD_CREATE:
		return "would-create";
	case BOND_KEPT:
		return "kept";
	case BOND_WOULD_CHANGE:
		return "would-change";
	}
	return NULL;
}

const char *bond_refusal_name(enum bond_refusal refusal)
{
	static const char *const names[BOND_REFUSAL_COUNT] = {
		[BOND_REFUSED_PORTS] = "ports",
		[BOND_REFUSED_NOT_STORAGE] = "not-storage",
		[BOND_REFUSED_CROSS_CARD] = "cross-card",
		[BOND_REFUSED_LINK_LAYER] = "link-layer",
		[BOND_REFUSED_MODE] = "mode",
		[BOND_REFUSED_NOT_WHOLE] = "not-whole-card",
		[BOND_REFUSED_VFS] = "virtual-functions",
		[BOND_REFUSED_SWITCHDEV] = "switchdev",
		[BOND_REFUSED_NAME] = "name",
		[BOND_REFUSED_TAKEN] = "member-taken",
		[BOND_REFUSED_DRIFT] = "drift",
		[BOND_REFUSED_ADDRESS] = "address",
		[BOND_REFUSED_INBAND] = "inband",
		[BOND_REFUSED_MANAGED] = "managed",
		[BOND_REFUSED_FOREIGN] = "foreign-controllers",
		[BOND_REFUSED_LIVE] = "live-controllers",
		[BOND_REFUSED_UNREAD] = "unread",
	};

	return refusal < BOND_REFUSAL_COUNT ? names[refusal] : NULL;
}
