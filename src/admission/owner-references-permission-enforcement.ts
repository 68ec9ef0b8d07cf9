/**
 * OwnerReferencesPermissionEnforcement: only who may delete an object changes its owners, and only who may set the
 * finalizers of an owner blocks its deletion.
 */
import { deepEqual, type JsonValue } from '../base/json.ts';
import { parseApiVersion } from '../meta/gvk.ts';
import type { ApiObject, OwnerReference } from '../meta/object.ts';
import { forbidden, type StatusError } from '../meta/status.ts';
import type { AdmissionAttributes, ResourceCatalogue } from '../registry/types.ts';
import type { AccessChecker, AccessQuestion } from './access-checker.ts';
import { isAbout } from './attributes.ts';
import type { AdmissionPlugin } from './admission-chain.ts';

export function createOwnerReferencesPermissionEnforcement(
  access: AccessChecker,
  catalogue: Pick<ResourceCatalogue, 'kind'>,
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    validate: async (attributes): Promise<void> => {
      const { operation } = attributes;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      // A status of a pod changes no owners, and agents send back what they have.
      if (isAbout(attributes, 'pods', 'status') || !changesOwners(attributes)) return;
      // Who creates an object could leave it, so that its owners are a matter of its own.
      if (operation === 'UPDATE') await assertMayDelete(access, attributes);
      await assertMayBlock({ access, catalogue }, attributes);
    },
  };
}

function ownersOf(object: ApiObject | undefined): readonly OwnerReference[] {
  return (object as Partial<ApiObject> | undefined)?.metadata?.ownerReferences ?? [];
}

function changesOwners({ object, oldObject }: AdmissionAttributes): boolean {
  const asValue = (one: ApiObject | undefined): JsonValue => ownersOf(one) as unknown as JsonValue;
  return !deepEqual(asValue(object), asValue(oldObject));
}

function refused({ scope, name }: AdmissionAttributes, problem: string): StatusError {
  return forbidden(scope.resource.gvr, name, problem);
}

async function assertMayDelete(access: AccessChecker, attributes: AdmissionAttributes): Promise<void> {
  const { scope, name } = attributes;
  const { group, resource } = scope.resource.gvr;
  const { namespace, subresource } = scope;
  const question = { verb: 'delete', group, resource, subresource, namespace, name };
  const { isAllowed, reason } = await access.check(scope.user, question);
  if (isAllowed) return;
  throw refused(attributes, `cannot set an ownerRef on a resource you can't delete: ${reason}, <nil>`);
}

interface Enforcement {
  readonly access: AccessChecker;
  readonly catalogue: Pick<ResourceCatalogue, 'kind'>;
}

const anyFinalizers = { verb: 'update', group: '*', resource: '*', subresource: 'finalizers', name: '*' };

async function assertMayBlock(enforcement: Enforcement, attributes: AdmissionAttributes): Promise<void> {
  const blocking = newlyBlocking(attributes);
  if (blocking.length === 0) return;
  const { access } = enforcement;
  const { user } = attributes.scope;
  if ((await access.check(user, anyFinalizers)).isAllowed) return;
  for (const owner of blocking) {
    const { isAllowed, reason } = await access.check(user, finalizersOf(enforcement, attributes, owner));
    if (isAllowed) continue;
    const problem = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${reason}, <nil>`;
    throw refused(attributes, problem);
  }
}

/** Owners whose deletion the write blocks and that were not blocked before. */
function newlyBlocking({ object, oldObject }: AdmissionAttributes): OwnerReference[] {
  const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;
  const before = new Set(
    ownersOf(oldObject)
      .filter(blocks)
      .map(({ uid }) => uid),
  );
  return ownersOf(object).filter((owner) => blocks(owner) && !before.has(owner.uid));
}

/** @throws StatusError 403 for an owner of no known kind */
function finalizersOf(
  { catalogue }: Enforcement,
  attributes: AdmissionAttributes,
  { apiVersion, kind, name }: OwnerReference,
): AccessQuestion {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const resource = catalogue.kind(group, version, kind);
  if (!resource) {
    const about = `for APIVersion ${apiVersion} Kind ${kind}`;
    const problem = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw refused(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping ${about}: ${problem}`,
    );
  }
  const namespace = resource.namespaced ? attributes.scope.namespace : '';
  const finalizers = { verb: 'update', subresource: 'finalizers', namespace, name };
  return { ...finalizers, group, resource: resource.gvr.resource };
}
