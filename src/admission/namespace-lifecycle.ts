/**
 * NamespaceLifecycle: objects are created only in namespaces that exist and are not terminating, and the
 * namespaces that the system rests on cannot be deleted.
 */
import { immortalNamespaces } from '../meta/naming.ts';
import type { ApiObject } from '../meta/object.ts';
import { forbidden, notFound } from '../meta/status.ts';
import type { AdmissionAttributes } from '../registry/types.ts';
import type { AdmissionPlugin } from './chain.ts';

const namespaces = { group: '', resource: 'namespaces' };

export interface NamespaceReader {
  /** The namespace as the replica's view has it. */
  peek(name: string): ApiObject | undefined;
  /** The namespace as a quorum read finds it. */
  read(name: string, signal: AbortSignal): Promise<ApiObject | undefined>;
}

export function createNamespaceLifecycle(reader: NamespaceReader): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async admit(attributes): Promise<void> {
      if (attributes.operation === 'DELETE') assertMortal(attributes);
      if (attributes.operation === 'CREATE' && isInNamespace(attributes))
        await assertOpen(reader, attributes);
    },
  };
}

function isInNamespace({ scope }: AdmissionAttributes): boolean {
  return scope.resource.namespaced && scope.subresource === '';
}

function assertMortal({ scope, name }: AdmissionAttributes): void {
  const { gvr, naming } = scope.resource;
  if (gvr.group !== '' || gvr.resource !== 'namespaces') return;
  if (immortalNamespaces(naming).includes(name)) {
    throw forbidden(gvr, name, 'this namespace may not be deleted');
  }
}

async function assertOpen(reader: NamespaceReader, { scope, name }: AdmissionAttributes): Promise<void> {
  // The view may not have seen a namespace that was just made elsewhere: a refusal rests only on a quorum read.
  if (isOpen(reader.peek(scope.namespace))) return;
  const namespace = await reader.read(scope.namespace, scope.signal);
  if (!namespace) throw notFound(namespaces, scope.namespace);
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
}

function isOpen(namespace: ApiObject | undefined): boolean {
  return namespace !== undefined && namespace.metadata.deletionTimestamp == null;
}
