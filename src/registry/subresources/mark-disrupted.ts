/** The condition that says why an evicted pod ends; what watches Jobs counts such ends apart from failures. */
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { serviceUser } from '../../meta/user.ts';
import { formatSeconds } from '../../meta/time.ts';
import { transitionTime } from '../../meta/transition-time.ts';
import { derivedScope } from '../derived-scope.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { DeleteOptions, RequestScope } from '../types.ts';
import { admittedAlready } from '../write/admit.ts';
import { updateObject } from '../write/update.ts';

const type = 'DisruptionTarget';
const said = {
  ...{ type, status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' },
} as const;

/** From release 1.26 on, and not in dry runs (as in kube-apiserver). */
export function isMarked({ isFeatureEnabled }: RegistryDeps, { dryRun }: RequestScope): boolean {
  return !dryRun && isFeatureEnabled('PodDisruptionConditions');
}

/**
 * Writes the condition `DisruptionTarget`, if the preconditions hold.
 * @returns the preconditions of the deletion that follows: a version among them is the one just written
 * @throws StatusError 404, 409
 */
export async function markDisrupted(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  preconditions: DeleteOptions['preconditions'],
): Promise<DeleteOptions['preconditions']> {
  const own = { subresource: 'status', user: serviceUser, fieldManager: 'apiserver' };
  const now = formatSeconds(new Date(deps.clock.now()));
  const { entry } = await updateObject(
    { ...deps, admission: admittedAlready },
    derivedScope(scope, own),
    name,
    (current) => ({
      ...current,
      metadata: { ...(current['metadata'] as JsonObject), ...preconditions },
      status: withCondition(current['status'], now),
    }),
  );
  return preconditions?.resourceVersion === undefined
    ? preconditions
    : { ...preconditions, resourceVersion: String(entry.modRevision) };
}

function withCondition(status: JsonValue | undefined, now: string): JsonObject {
  const sent = isObject(status) ? status : {};
  const conditions = Array.isArray(sent['conditions']) ? sent['conditions'] : [];
  const former = conditions.filter(isObject).find((one) => one['type'] === type);
  const lastTransitionTime = transitionTime(former, said.status, now);
  const next: JsonObject = { ...former, ...said, lastTransitionTime };
  const isOther = (one: JsonValue): boolean => one !== former;
  return { ...sent, conditions: [...conditions.filter(isOther), next] };
}
