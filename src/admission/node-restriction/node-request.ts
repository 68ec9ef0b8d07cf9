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
