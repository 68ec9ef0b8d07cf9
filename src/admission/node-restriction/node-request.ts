/** A write by a node: which node it is, and the error that rejects it. */
import type { ApiObject } from '../../meta/object.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { forbidden, type StatusError } from '../../meta/status.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import { find, type ObjectReader } from '../object-reader.ts';

export interface NodeRequest {
  /** The node that sends the request. */
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly reader: ObjectReader;
  readonly naming: NamingProfile;
  readonly late: LateRestrictions;
}

/** What later releases restrict, by their gates; each absent: as 1.21. */
export interface LateRestrictions {
  /** ResourceSlices are of the node that makes them (`DynamicResourceAllocation`). */
  readonly slices?: boolean;
  /** PodCertificateRequests are for pods of the node (gate of this name). */
  readonly podCertificates?: boolean;
  /** Requests for certificates of nodes are for the node itself (from release 1.31 on). */
  readonly certificates?: boolean;
  /** Nodes report how far the growth of a volume is (`RecoverVolumeExpansionFailure`). */
  readonly reportsGrowth?: boolean;
  /**
   * Tokens are for audiences that the pod names (`ServiceAccountNodeAudienceRestriction`), or that the user of the write may
   * ask for, as authorization says. Absent: for any.
   */
  readonly mayAsk?: (attributes: AdmissionAttributes, audience: string) => Promise<boolean>;
}

/** 403 about the object of the write. */
export function forbiddenRequest({ scope, name }: AdmissionAttributes, problem: string): StatusError {
  return forbidden(scope.resource.gvr, name, problem);
}

export function unexpectedOperation(attributes: AdmissionAttributes): StatusError {
  return forbiddenRequest(attributes, `unexpected operation ${JSON.stringify(attributes.operation)}`);
}

/** A pod of the write's namespace, whatever the write is about. @throws StatusError 404 */
export async function podOf({ attributes, reader }: NodeRequest, name: string): Promise<ApiObject> {
  const { namespace, signal } = attributes.scope;
  const pod = await find(reader, 'core/pods', `${namespace}/${name}`, signal);
  if (!pod) throw new ObjectNotFound({ resource: { group: '', resource: 'pods' }, namespace, name });
  return pod;
}
