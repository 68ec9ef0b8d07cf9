/**
 * NamespaceLifecycle: objects are created only in namespaces that exist and are not terminating, and the namespaces
 * that the system rests on cannot be deleted. A creation is bound to the namespace as it was seen: if another replica
 * marked or removed it in the meantime, the creation fails, so that no object is left behind.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import { immortalNamespaces } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import { ObjectNotFound } from '../meta/object-errors.ts';
import { forbidden } from '../meta/status.ts';
import { parseResourceVersion } from '../meta/resource-version.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { Condition } from '../storage/types.ts';
import type { AdmissionPlugin } from './admission-chain.ts';
import { seenBy, type ObjectReader } from './object-reader.ts';

const namespaces = { group: '', resource: 'namespaces' };

export interface NamespaceReader {
  /** The namespace as the replica's view has it; a large one is parsed in slices. */
  peek(name: string): MaybePromise<ApiObject | undefined>;
  /** The namespace as a quorum read finds it. */
  read(name: string, signal: AbortSignal): Promise<ApiObject | undefined>;
}

/** Namespaces as admission reads objects. */
export function namespacesIn(reader: ObjectReader): NamespaceReader {
  const collection = 'core/namespaces';
  return {
    peek: (name) => seenBy(reader, collection, name),
    read: (name, signal) => reader.read(collection, name, signal),
  };
}

export function createNamespaceLifecycle(reader: NamespaceReader): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    admit(attributes): MaybePromise<void> {
      if (attributes.operation === 'DELETE') assertMortal(attributes);
      if (attributes.operation === 'CREATE' && isInNamespace(attributes))
        return assertOpen(reader, attributes);
    },
  };
}

/** Access reviews do not depend on whether the namespace exists. */
function isInNamespace({ scope }: AdmissionAttributes): boolean {
  const { namespaced, gvr } = scope.resource;
  return namespaced && scope.subresource === '' && gvr.resource !== 'localsubjectaccessreviews';
}

function assertMortal({ scope, name }: AdmissionAttributes): void {
  const { gvr, naming } = scope.resource;
  if (gvr.group !== '' || gvr.resource !== 'namespaces') return;
  if (immortalNamespaces(naming).includes(name)) {
    throw forbidden(gvr, name, 'this namespace may not be deleted');
  }
}

async function assertOpen(reader: NamespaceReader, attributes: AdmissionAttributes): Promise<void> {
  // The view may not have seen a namespace that was just made elsewhere: a write is rejected only after a quorum read.
  const seen = await reader.peek(attributes.scope.namespace);
  const namespace = isOpen(seen) ? seen : await openNamespace(reader, attributes);
  attributes.dependOn?.({
    condition: conditionOn(namespace),
    renew: async () => conditionOn(await openNamespace(reader, attributes)),
  });
}

/** As a quorum read finds it. @throws StatusError 403, 404 */
async function openNamespace(
  reader: NamespaceReader,
  { scope, name }: AdmissionAttributes,
): Promise<ApiObject> {
  const namespace = await reader.read(scope.namespace, scope.signal);
  if (!namespace) throw new ObjectNotFound({ resource: namespaces, namespace: '', name: scope.namespace });
  if (!isOpen(namespace)) {
    throw forbidden(
      scope.resource.gvr,
      name,
      `unable to create new content in namespace ${scope.namespace} because it is being terminated`,
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${scope.namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    );
  }
  return namespace;
}

function conditionOn({ metadata }: ApiObject): Condition {
  const revision = parseResourceVersion(metadata.resourceVersion ?? '') ?? 0;
  return { collection: 'core/namespaces', key: metadata.name ?? '', revision };
}

function isOpen(namespace: ApiObject | undefined): namespace is ApiObject {
  return namespace !== undefined && namespace.metadata.deletionTimestamp == null;
}
