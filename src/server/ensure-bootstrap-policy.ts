/** Reconciles the RBAC bootstrap policy at every start, through the same write path as clients. */
import {
  bootstrapPolicy,
  autoUpdateAnnotation,
  type BootstrapRbacObject,
} from '../authz/bootstrap/bootstrap-policy.ts';
import { reconcileRbacObject } from '../authz/bootstrap/reconcile-rbac-object.ts';
import { rbacGroup, type PolicyPlural } from '../authz/rbac/policy-objects.ts';
import { asJson } from '../meta/object.ts';
import { expandNames, type NamingProfile } from '../meta/naming.ts';
import { isObjectNotFound } from '../meta/object-errors.ts';
import { isLostRace } from '../meta/lost-race.ts';
import { currentRelease, type Release } from '../observe/release.ts';
import { entryObject } from '../registry/written-entry.ts';
import { addressOf } from '../registry/scope-keys.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';
import type { DamagedObjects } from './damaged-objects.ts';
import { deletionOf, ownScope } from '../registry/write/own-writes.ts';

export interface BootstrapPolicyDeps {
  readonly naming: NamingProfile;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
  /** The emulated release; absent: 1.21. */
  readonly release?: Release;
  readonly isFeatureEnabled: (gate: string) => boolean;
}

/** Concurrent writes. */
const workers = 16;
/** Attempts per object if it is changed concurrently. */
const maxAttempts = 10;

/**
 * Creates missing objects and completes existing ones. Replicas that start together may run this concurrently. Does
 * nothing if the group is not served.
 * @throws StatusError if etcd is unavailable
 */
export async function ensureBootstrapPolicy(
  deps: BootstrapPolicyDeps,
  signal: AbortSignal,
  damaged: DamagedObjects,
): Promise<void> {
  // Roles first: a binding to a missing role grants nothing.
  const { naming, release, isFeatureEnabled } = deps;
  const served = { minor: release?.minor ?? currentRelease.minor, isFeatureEnabled };
  const policy = bootstrapPolicy(naming, served).filter(
    ({ plural }) => resourceOf(deps, plural) !== undefined,
  );
  for (const isRole of [true, false]) {
    const queue = policy.filter(({ plural }) => !plural.endsWith('bindings') === isRole).values();
    await Promise.all(Array.from({ length: workers }, () => ensureEach(deps, queue, { signal, damaged })));
  }
}

async function ensureEach(
  deps: BootstrapPolicyDeps,
  queue: Iterator<BootstrapRbacObject>,
  { signal, damaged }: { readonly signal: AbortSignal; readonly damaged: DamagedObjects },
): Promise<void> {
  for (let next = queue.next(); next.done !== true; next = queue.next()) {
    const { value } = next;
    await damaged.skipIfDamaged(pathOf(value), () => ensure(deps, value, signal));
  }
}

function pathOf({ plural, namespace, name }: BootstrapRbacObject): string {
  return [plural, namespace, name].filter((part) => part !== '').join('/');
}

async function ensure(
  deps: BootstrapPolicyDeps,
  wanted: BootstrapRbacObject,
  signal: AbortSignal,
): Promise<void> {
  const scope = scopeOf(deps, wanted, signal);
  for (let attempt = 1; ; attempt++) {
    try {
      await ensureOnce(deps, wanted, scope);
      return;
    } catch (error) {
      // Another replica has made the change.
      if (!isLostRace(error) || attempt >= maxAttempts) throw error;
    }
  }
}

async function ensureOnce(
  { verbs, naming }: BootstrapPolicyDeps,
  { name, object }: BootstrapRbacObject,
  scope: RequestScope,
): Promise<void> {
  const existing = await found(verbs, scope, name);
  if (existing === undefined) {
    await verbs.create(scope, '', object);
    return;
  }
  const decision = await reconcileRbacObject(
    asJson(existing),
    object,
    expandNames(autoUpdateAnnotation, naming),
  );
  if (decision.action === 'update') await verbs.replace(scope, name, decision.object);
  if (decision.action !== 'replace') return;
  const { uid = '' } = existing.metadata;
  await verbs.delete(scope, name, deletionOf(uid));
  await verbs.create(scope, '', object);
}

async function found(
  verbs: ResourceVerbs,
  scope: RequestScope,
  name: string,
): Promise<ReturnType<typeof entryObject> | undefined> {
  try {
    return entryObject(await verbs.get(scope, name, { resourceVersion: '' }));
  } catch (error) {
    if (isObjectNotFound(error, addressOf(scope, name))) return undefined;
    throw error;
  }
}

function resourceOf(
  { naming, catalogue }: BootstrapPolicyDeps,
  plural: PolicyPlural,
): RequestScope['resource'] | undefined {
  const resource = catalogue.resource(rbacGroup(naming), 'v1', plural);
  return resource?.conversion.isInternal === true ? resource : undefined;
}

function scopeOf(
  deps: BootstrapPolicyDeps,
  { plural, namespace }: BootstrapRbacObject,
  signal: AbortSignal,
): RequestScope {
  const resource = resourceOf(deps, plural);
  if (resource === undefined) throw new Error(`the catalogue has no ${plural}`);
  return ownScope({ resource, namespace, signal });
}
