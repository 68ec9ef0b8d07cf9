/**
 * What a node may do with pods: create mirror pods of its static pods, and update the status of, delete and evict pods
 * that are bound to it.
 */
import { isDeepStrictEqual } from 'node:util';
import { configMapNames, secretNames } from '../../api/core/pod/references.ts';
import type { Pod as PodFields, PodSpec } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { find } from '../object-reader.ts';
import { podOf, forbiddenRequest, unexpectedOperation, type NodeRequest } from './node-request.ts';

type Pod = Stored<PodFields>;

/** @throws StatusError 403, 404 */
export async function restrictPod(request: NodeRequest): Promise<void> {
  const { attributes } = request;
  const { subresource } = attributes.scope;
  if (subresource === '') await restrictItself(request);
  else if (subresource === 'status') restrictStatus(request);
  else if (subresource === 'eviction') await restrictEviction(request);
  else throw forbiddenRequest(attributes, `unexpected pod subresource ${JSON.stringify(subresource)}`);
}

async function restrictItself(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, oldObject } = attributes;
  if (operation === 'CREATE') await restrictMirror(request);
  else if (operation === 'DELETE') assertOwn(request, oldObject, 'delete pods with');
  else {
    const requester = JSON.stringify(node);
    throw forbiddenRequest(
      attributes,
      `unexpected operation ${JSON.stringify(operation)}, node ${requester} can only create and delete mirror pods`,
    );
  }
}

async function restrictEviction(request: NodeRequest): Promise<void> {
  const { attributes } = request;
  if (attributes.operation !== 'CREATE') throw unexpectedOperation(attributes);
  assertOwn(request, await podOf(request, attributes.name), 'evict pods with');
}

function assertOwn({ attributes, node }: NodeRequest, pod: ApiObject | undefined, what: string): void {
  if ((pod as Pod | undefined)?.spec?.nodeName === node) return;
  throw forbiddenRequest(
    attributes,
    `node ${JSON.stringify(node)} can only ${what} spec.nodeName set to itself`,
  );
}

function restrictStatus(request: NodeRequest): void {
  const { attributes, node } = request;
  const { operation, object, oldObject } = attributes;
  if (operation !== 'UPDATE') throw unexpectedOperation(attributes);
  assertOwn(request, oldObject, 'update pod status for pods with');
  const labels = (one: ApiObject | undefined): object => ({ ...one?.metadata.labels });
  if (!isDeepStrictEqual(labels(object), labels(oldObject)))
    throw forbiddenRequest(
      attributes,
      `node ${JSON.stringify(node)} cannot update labels through pod status`,
    );
  // By these it would come to read claims of others.
  if (!isDeepStrictEqual(claimsNamed(object as Pod), claimsNamed(oldObject as Pod)))
    throw forbiddenRequest(attributes, `node ${JSON.stringify(node)} cannot update resource claim statuses`);
}

function claimsNamed({ status }: Pod): object {
  const { resourceClaimStatuses, extendedResourceClaimStatus } = status ?? {};
  const claims = (resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [
    name,
    resourceClaimName,
  ]);
  return { claims, extended: extendedResourceClaimStatus?.resourceClaimName };
}

async function restrictMirror(request: NodeRequest): Promise<void> {
  const { attributes, node, naming } = request;
  const pod = attributes.object as Pod;
  const annotation = `${naming.labelDomain}/config.mirror`;
  const requester = JSON.stringify(node);
  if (pod.metadata.annotations?.[annotation] === undefined) {
    const problem = `pod does not have ${JSON.stringify(annotation)} annotation, node ${requester} can only create mirror pods`;
    throw forbiddenRequest(attributes, problem);
  }
  assertOwn(request, pod, 'create pods with');
  await assertOwner(request, pod.metadata.ownerReferences ?? []);
  const named = namedBy(pod.spec ?? {});
  if (named !== undefined)
    throw forbiddenRequest(attributes, `node ${requester} can not create pods that reference ${named}`);
}

/** A node that names itself as owner shows that it is the one that is registered. @throws StatusError 403, 404 */
async function assertOwner(request: NodeRequest, owners: readonly OwnerReference[]): Promise<void> {
  const { attributes, node, reader } = request;
  const forbid = (problem: string): Error =>
    forbiddenRequest(attributes, `node ${JSON.stringify(node)} ${problem}`);
  const [owner, ...others] = owners;
  if (others.length > 0) throw forbid('can only create pods with a single owner reference set to itself');
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    throw forbid('can only create pods with an owner reference set to itself');
  if (owner.controller !== true)
    throw forbid('can only create pods with a controller owner reference set to itself');
  if (owner.blockOwnerDeletion === true)
    throw forbid('must not set blockOwnerDeletion on an owner reference');
  const known = await find(reader, 'core/nodes', node, attributes.scope.signal);
  if (!known)
    throw new ObjectNotFound({ resource: { group: '', resource: 'nodes' }, namespace: '', name: node });
  const uid = known.metadata.uid ?? '';
  if (owner.uid !== uid)
    throw forbiddenRequest(attributes, `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`);
}

/** What a pod rests on that its node did not bring; undefined: nothing. */
function namedBy(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a service account';
  if (secretNames(spec).length > 0) return 'secrets';
  if (configMapNames(spec).length > 0) return 'configmaps';
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims';
  const { volumes } = spec;
  const projected = (volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);
  if (projected.some(({ clusterTrustBundle }) => clusterTrustBundle)) return 'clustertrustbundles';
  if (projected.some(({ podCertificate }) => podCertificate)) return 'podcertificates';
  return volumes?.some((volume) => volume.persistentVolumeClaim ?? volume.ephemeral)
    ? 'persistentvolumeclaims'
    : undefined;
}
