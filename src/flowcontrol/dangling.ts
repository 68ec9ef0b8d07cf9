/** The condition `Dangling` of a flow schema: whether its priority level is missing. */
import type { FlowSchemaCondition } from '../api/flowcontrol/v1beta1.types.ts';
import { transitionTime } from '../meta/transition-time.ts';

const type = 'Dangling';

/**
 * The conditions with what holds now; undefined: they say so already.
 * @param level the name that the schema refers to; @param now RFC 3339
 */
export function withDangling(
  conditions: readonly FlowSchemaCondition[],
  level: { readonly name: string; readonly exists: boolean },
  now: string,
): FlowSchemaCondition[] | undefined {
  const before = conditions.find((condition) => condition.type === type);
  const named = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level.name)}`;
  const next = level.exists
    ? { type, status: 'False', reason: 'Found', message: `${named} and it exists` }
    : { type, status: 'True', reason: 'NotFound', message: `${named} but there is no such object` };
  if (before?.status === next.status && before.message === next.message) return undefined;
  const lastTransitionTime = transitionTime(before, next.status, now);
  return [...conditions.filter((condition) => condition !== before), { ...next, lastTransitionTime }];
}
