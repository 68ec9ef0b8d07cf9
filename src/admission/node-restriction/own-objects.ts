/** What a node may do with objects that stand for it or for what it runs: its lease, its CSINode, claims, tokens for its pods. */
import { isDeepStrictEqual } from 'node:util';
import type { TokenRequest } from '../../api/authentication/v1.types.ts';
import type { ResourceSlice as SliceFields } from '../../api/resource/v1.types.ts';
import type { PersistentVolumeClaim as ClaimFields, Pod as PodFields } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { restrictAudience } from './token-audiences.ts';
import { podOf, forbiddenRequest, unexpectedOperation, type NodeRequest } from './node-request.ts';

/** @throws StatusError 403 */
export function restrictLease({ attributes, node, naming }: NodeRequest): void {
  const namespace = `${naming.systemPrefix}-node-lease`;
  if (attributes.scope.namespace !== namespace)
    throw forbiddenRequest(
      attributes,
      `can only access leases in the ${JSON.stringify(namespace)} system namespace`,
    );
  if (attributes.name !== node)
    throw forbiddenRequest(
      attributes,
      'can only access node lease with the same name as the requesting node',
    );
}

/** @throws StatusError 403 */
export function restrictCsiNode({ attributes, node }: NodeRequest): void {
  if (attributes.name !== node)
    throw forbiddenRequest(attributes, 'can only access CSINode with the same name as the requesting node');
}

/** Of what is changed otherwise, authorization knows whose it is. @throws StatusError 403 */
export function restrictSlice({ attributes, node }: NodeRequest): void {
  const { operation, object, oldObject } = attributes;
  if (operation !== 'CREATE' && operation !== 'DELETE') return;
  const { spec } = (operation === 'CREATE' ? object : oldObject) as Stored<SliceFields>;
  if (spec?.nodeName === node) return;
  const what = operation === 'CREATE' ? 'create' : 'delete';
  throw forbiddenRequest(
    attributes,
    `can only ${what} ResourceSlice with the same NodeName as the requesting node`,
  );
}

type Claim = Stored<ClaimFields>;

/** A node reports that it has expanded a volume. @throws StatusError 403 */
export function restrictClaim({ attributes, node, late }: NodeRequest): void {
  if (attributes.scope.subresource !== 'status')
    throw forbiddenRequest(attributes, 'may only update PVC status');
  if (attributes.operation !== 'UPDATE') throw unexpectedOperation(attributes);
  const others = ({ metadata, status, ...rest }: Claim): object => {
    const { resourceVersion: _version, managedFields: _managers, ...meta } = metadata;
    const { capacity: _capacity, conditions: _conditions, ...state } = status ?? {};
    const { allocatedResources: _resources, allocatedResourceStatuses: _statuses, ...others } = state;
    return { ...rest, metadata: meta, status: late.reportsGrowth === true ? others : state };
  };
  if (isDeepStrictEqual(others(attributes.object as Claim), others(attributes.oldObject as Claim))) return;
  const problem = 'may not update fields other than status.capacity and status.conditions';
  throw forbiddenRequest(attributes, `node ${JSON.stringify(node)} ${problem}`);
}

/** Tokens are for pods that the node runs, and end with them. @throws StatusError 403, 404 */
export async function restrictAccount(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  if (attributes.operation !== 'CREATE' || attributes.scope.subresource !== 'token') return;
  const { spec } = attributes.object as unknown as TokenRequest;
  const { apiVersion, kind, name = '', uid = '' } = spec?.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '')
    throw forbiddenRequest(attributes, 'node requested token not bound to a pod');
  if (uid === '') throw forbiddenRequest(attributes, 'node requested token with a pod binding without a uid');
  const pod = (await podOf(request, name)) as Stored<PodFields>;
  if (pod.metadata.uid !== uid) {
    const problem =
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated';
    throw forbiddenRequest(attributes, problem);
  }
  if (pod.spec?.nodeName !== node)
    throw forbiddenRequest(attributes, 'node requested token bound to a pod scheduled on a different node');
  await restrictAudience(request, spec?.audiences ?? [], pod);
}
