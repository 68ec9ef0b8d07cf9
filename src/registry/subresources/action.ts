/** An operation that is no plain read or write of its object: an action subresource, or a virtual resource. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RegistryDeps } from '../context.ts';
import type { ApplyOptions, RequestScope, Transform } from '../types.ts';

export interface ActionRequest {
  /** Name of the object in the path; '' for a virtual resource's collection. */
  readonly name: string;
  readonly verb: string;
  readonly body: JsonObject | undefined;
  /** A patch: changes what `get` answers. Absent for other verbs. */
  readonly transform: Transform | undefined;
  /** The body is an applied configuration. Absent: it is none. */
  readonly apply?: ApplyOptions | undefined;
}

export type Action = (deps: RegistryDeps, scope: RequestScope, request: ActionRequest) => Promise<JsonValue>;
