/** The APIServices of group versions that this service answers itself: brought about at every start, as clients list them. */
import type { APIService as APIServiceFields } from '../api/apiregistration/v1.types.ts';
import type { Stored } from '../api/define.ts';
import { builtInGroups } from '../api/index.ts';
import { deepEqual, type JsonObject } from '../base/json.ts';
import { asJson } from '../meta/object.ts';
import { expandNames, type NamingProfile } from '../meta/naming.ts';
import { StatusError } from '../meta/status.ts';
import { groupMasters } from '../meta/user.ts';
import { entryObject } from '../registry/entry.ts';
import { everything } from '../registry/list-options.ts';
import type { RequestScope, ResourceCatalogue, ResourceVerbs } from '../registry/types.ts';

type APIService = Stored<APIServiceFields>;

export interface LocalApiServicesDeps {
  readonly naming: NamingProfile;
  readonly catalogue: ResourceCatalogue;
  readonly verbs: ResourceVerbs;
}

const ownGroup = 'apiregistration.{api}';
const managedLabel = 'kube-aggregator.{label}/automanaged';
/** Objects with this value are looked at when a replica starts, and left alone until the next start. */
const onStart = 'onstart';

/**
 * Creates those that are missing, corrects those that differ, deletes those whose version is served no more. What
 * others made (without the label) stays as it is. Replicas that start together may all try; does nothing where the
 * group is not served. @throws StatusError when etcd is away
 */
export async function ensureLocalApiServices(deps: LocalApiServicesDeps, signal: AbortSignal): Promise<void> {
  const scope = scopeOf(deps, signal);
  if (!scope) return;
  const { entries } = await deps.verbs.list(scope, everything);
  const present = new Map(
    entries.map(entryObject).map((object) => [object.metadata.name ?? '', object as APIService]),
  );
  const wanted = wantedServices(deps);
  const writes = [
    ...[...wanted.values()].map((service) => settle(deps, scope, service, present)),
    ...[...present].map(([name, found]) => deleteSpurious(deps, scope, found, wanted.has(name))),
  ];
  await Promise.all(writes.map(unlessRaced));
}

function wantedServices({ naming, catalogue }: LocalApiServicesDeps): ReadonlyMap<string, APIService> {
  const served = new Map(catalogue.groups().map(({ group, versions }) => [group, versions]));
  const services = builtInGroups
    .filter(({ group }) => group !== ownGroup)
    .flatMap(({ group: pattern, groupPriorityMinimum }) => {
      const group = expandNames(pattern, naming);
      return (served.get(group) ?? []).map(({ version, versionPriority }) => {
        const name = `${version}.${group}`;
        const labels = { [expandNames(managedLabel, naming)]: onStart };
        const spec = { groupPriorityMinimum, versionPriority, version, ...(group !== '' && { group }) };
        return [name, { metadata: { name, labels }, spec } as unknown as APIService] as const;
      });
    });
  return new Map(services);
}

async function settle(
  { verbs, naming }: LocalApiServicesDeps,
  scope: RequestScope,
  wanted: APIService,
  present: ReadonlyMap<string, APIService>,
): Promise<void> {
  const name = wanted.metadata.name ?? '';
  const found = present.get(name);
  if (!found) await verbs.create(scope, '', bodyOf(wanted));
  else if (isManaged(found, naming) && !deepEqual(specOf(found), specOf(wanted)))
    await verbs.replace(scope, name, { ...bodyOf(found), spec: specOf(wanted) });
}

async function deleteSpurious(
  { verbs, naming }: LocalApiServicesDeps,
  scope: RequestScope,
  found: APIService,
  isWanted: boolean,
): Promise<void> {
  if (isWanted || !isManaged(found, naming)) return;
  const { name = '', uid = '' } = found.metadata;
  await verbs.delete(scope, name, {
    gracePeriodSeconds: undefined,
    orphanDependents: undefined,
    propagationPolicy: 'Background',
    preconditions: { uid },
  });
}

function isManaged({ metadata }: APIService, naming: NamingProfile): boolean {
  return metadata.labels?.[expandNames(managedLabel, naming)] === onStart;
}

function specOf(service: APIService): JsonObject {
  return bodyOf(service)['spec'] as JsonObject;
}

function bodyOf(service: APIService): JsonObject {
  return asJson(service);
}

/** Whoever was first had the same in mind. */
async function unlessRaced(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const isRace =
      error instanceof StatusError && ['AlreadyExists', 'Conflict', 'NotFound'].includes(error.reason);
    if (!isRace) throw error;
  }
}

function scopeOf({ catalogue, naming }: LocalApiServicesDeps, signal: AbortSignal): RequestScope | undefined {
  const resource = catalogue.resource(expandNames(ownGroup, naming), 'v1', 'apiservices');
  return (
    resource && {
      ...{ resource, namespace: '', subresource: '', dryRun: false, fieldManager: 'apiserver', signal },
      user: { name: 'system:apiserver', uid: '', groups: [groupMasters], extra: {} },
      warn: () => undefined,
    }
  );
}
