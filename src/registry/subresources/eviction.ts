/**
 * `pods/eviction`: deletes a pod if the disruption budget that covers it allows. An eviction decrements
 * `disruptionsAllowed` in the status of the budget and records the pod; the disruption controller reconciles it
 * later.
 */
import type { PodDisruptionBudgetStatus } from '../../api/policy/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn } from '../../base/json.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import { apiVersionOf, parseApiVersion } from '../../meta/gvk.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject } from '../../meta/object.ts';
import { badRequest, forbidden, methodNotSupported, StatusError } from '../../meta/status.ts';
import { serviceUser } from '../../meta/user.ts';
import { checkStructure } from '../../schema/structure.ts';
import { everything } from '../read/list-options.ts';
import type { ActionRequest } from './action.ts';
import { coveringBudgets, type Budget } from './covering-budgets.ts';
import { admittedAlready } from '../write/admit.ts';
import { readObject } from '../object-memo.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { readDeleteOptions, type SentDeletion } from '../write/validate-delete-options.ts';
import { deleteObject } from '../write/delete.ts';
import { derivedScope } from '../derived-scope.ts';
import { assertUsable } from '../write/field-validation.ts';
import { formatSeconds } from '../../meta/time.ts';
import { unmetPrecondition } from '../write/preconditions.ts';
import { getObject, listObjects } from '../read/get-list.ts';
import { sizeOf } from '../../storage/size.ts';
import { isMarked, markDisrupted } from './mark-disrupted.ts';
import type { RequestScope } from '../types.ts';
import { updateObject } from '../write/update.ts';

/** With more recorded pods the disruption controller is not keeping up (as in kube-apiserver). */
const maxDisruptedPods = 2_000;

/**
 * Evicts a pod.
 * @throws StatusError 400, 403, 404, 409, 422, 429 while its budget allows none, 500 when several cover it; GrownWrite
 *   for a large budget or pod, where the write may move
 */
export async function evictPod(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  if (request.verb !== 'create') throw methodNotSupported();
  const { options, dryRun } = readEviction(scope, request);
  const eviction = {
    deps,
    scope: derivedScope(scope, { subresource: '', dryRun: scope.dryRun || dryRun }),
  };
  const entry = await getObject(deps.storage, eviction.scope, request.name, { resourceVersion: '' });
  const pod = await readObject(entry);
  // The deletion also checks them, but after the budget is decremented.
  const unmet = unmetPrecondition({ scope: eviction.scope, name: request.name, ...options }, pod);
  if (unmet) throw unmet;
  const budget = isCounted(pod) ? await budgetOf(eviction, pod, scope.growth) : undefined;
  const isSpare = budget !== undefined && isSpareAnyway(pod, budget);
  const isToBeMarked = isMarked(deps, eviction.scope);
  if (isToBeMarked && sizeOf(entry) > smallBodyBytes && scope.growth === 'moves') throw new GrownWrite();
  if (budget && !isSpare) await spend(eviction, budget, request.name);
  // That the pod is spare is only known for the observed revision.
  const asked = isSpare
    ? { ...options.preconditions, resourceVersion: String(entry.modRevision) }
    : options.preconditions;
  const preconditions = isToBeMarked ? await markDisrupted(deps, eviction.scope, request.name, asked) : asked;
  const admitted = { ...deps, admission: admittedAlready };
  await deleteObject(admitted, eviction.scope, request.name, { ...options, preconditions });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

interface Eviction {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
}

function readEviction(scope: RequestScope, { name, body = {} }: ActionRequest): SentDeletion {
  const schema = scope.resource.subresourceSchema(scope.subresource);
  if (!schema) throw new Error('the schema of Eviction is missing');
  const { kindVersions = [] } = scope.resource.subresource(scope.subresource) ?? {};
  const known = kindVersions.map(({ version }) => `policy/${version}`);
  const { kind = 'Eviction', apiVersion = known[0] ?? '' } = body;
  if (kind !== 'Eviction' || !known.some((version) => version === apiVersion)) {
    throw badRequest(`the object must be an Eviction of ${known.join(' or ')}`);
  }
  const { value, ...found } = checkStructure(schema, body);
  const { group, version } = parseApiVersion(apiVersion as string) ?? { group: 'policy', version: '' };
  assertUsable(scope, { group, version, kind: 'Eviction' }, found);
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  assertSame('name', metadata['name'], name);
  assertSame('namespace', metadata['namespace'], scope.namespace);
  const sent = isObject(value['deleteOptions']) ? value['deleteOptions'] : {};
  return readDeleteOptions(sent, scope.resource.naming);
}

function assertSame(what: string, sent: JsonValue | undefined, expected: string): void {
  if (typeof sent !== 'string' || sent === '' || sent === expected) return;
  throw badRequest(`${what} in URL (${expected}) does not match ${what} in Eviction object (${sent})`);
}

/** Pods that are finished, pending or terminating do not count. */
function isCounted(pod: ApiObject): boolean {
  const { phase } = (pod['status'] ?? {}) as { phase?: string };
  return pod.metadata.deletionTimestamp == null && !['Succeeded', 'Failed', 'Pending'].includes(phase ?? '');
}

/** @throws StatusError 500 if there are several; GrownWrite */
async function budgetOf(
  { deps, scope }: Eviction,
  pod: ApiObject,
  growth: RequestScope['growth'],
): Promise<Budget | undefined> {
  const budgets = budgetScope(deps, scope);
  const { entries } = await listObjects(deps.storage, budgets, everything);
  const [found, other] = await coveringBudgets(budgets, entries, pod);
  if (other) {
    const message =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError(500, 'InternalError', message);
  }
  if (found && found.bytes > smallBodyBytes && growth === 'moves') throw new GrownWrite();
  return found?.budget;
}

function budgetScope(deps: RegistryDeps, scope: RequestScope): RequestScope {
  const resource = deps.catalogue.resource('policy', 'v1', 'poddisruptionbudgets');
  if (!resource) throw new Error('the catalogue has no budgets');
  return derivedScope(scope, { resource, subresource: '' });
}

/** A pod that is not ready may be evicted while there are enough healthy ones. */
function isSpareAnyway(pod: ApiObject, { status = {} }: Budget): boolean {
  const { conditions = [] } = (pod['status'] ?? {}) as { conditions?: { type?: string; status?: string }[] };
  const isReady = conditions.some((c) => c.type === 'Ready' && c.status === 'True');
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  return !isReady && desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/**
 * Decrements the allowed disruptions of the budget.
 * @throws StatusError 403, 404, 409, 429
 */
async function spend({ deps, scope }: Eviction, budget: Budget, podName: string): Promise<void> {
  // Users who may evict need no permission to write budgets: the service writes the status itself.
  const own = { user: serviceUser, fieldManager: 'apiserver' };
  const budgets = derivedScope(budgetScope(deps, scope), { subresource: 'status', ...own });
  const name = budget.metadata.name ?? '';
  const transform = (current: JsonObject): JsonObject => {
    const { metadata, status = {} } = asApiObject(current) as Budget;
    assertAllowed(budgets, status, { name, generation: metadata.generation ?? 0 });
    const disruptedPods: JsonObject = { ...status.disruptedPods };
    setOwn(disruptedPods, podName, formatSeconds(new Date(deps.clock.now())));
    const allowed = (status.disruptionsAllowed ?? 0) - 1;
    const next = { ...(status as JsonObject), disruptionsAllowed: allowed, disruptedPods };
    return { ...current, apiVersion: apiVersionOf(budgets.resource.gvk), status: next };
  };
  await updateObject(deps, budgets, name, transform);
}

function assertAllowed(
  { resource }: RequestScope,
  status: PodDisruptionBudgetStatus,
  { name, generation }: { name: string; generation: number },
): void {
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status;
  if (observedGeneration < generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) throw forbidden(resource.gvr, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const problem = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(resource.gvr, name, problem);
  }
  if (disruptionsAllowed === 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    const counts = `needs ${String(desiredHealthy)} healthy pods and has ${String(currentHealthy)} currently`;
    throw refusal(`The disruption budget ${name} ${counts}`, 0);
  }
}

/** As in kube-apiserver: `kubectl drain` retries after it. */
function refusal(message: string, retryAfterSeconds: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  const causes = [{ reason: 'DisruptionBudget', message }];
  const details = { causes, ...(retryAfterSeconds > 0 && { retryAfterSeconds }) };
  return new StatusError(429, 'TooManyRequests', text, { details });
}
