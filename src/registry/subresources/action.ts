/** The operation of an action subresource or virtual resource. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RegistryDeps } from '../registry-context.ts';
import type { ApplyOptions, RequestScope, Transform } from '../types.ts';

export interface ActionRequest {
  /** Name of the object in the path; '' for a virtual resource's collection. */
  readonly name: string;
  readonly verb: string;
  readonly body: JsonObject | undefined;
  /** For a patch: changes the result of `get`. Absent for other verbs. */
  readonly transform: Transform | undefined;
  /** Set if the body is an applied configuration. */
  readonly apply?: ApplyOptions | undefined;
}

export type Action = (deps: RegistryDeps, scope: RequestScope, request: ActionRequest) => Promise<JsonValue>;
