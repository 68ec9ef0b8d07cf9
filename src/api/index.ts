/** The catalogue: every group that is built in. Names carry placeholders until a naming profile expands them. */
import { coreGroup } from './core/group.ts';
import type { GroupDefinition } from './types.ts';

export const builtInGroups: readonly GroupDefinition[] = [coreGroup];
