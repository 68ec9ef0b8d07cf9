/** Action subresources and virtual resources: operations that are no plain read or write of their object. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import { createBinding } from './binding.ts';
import { readComponentStatus } from './component-status.ts';
import { forwardPorts, openStream, proxyToNode, proxyToPod, proxyToService, readLog } from './connect.ts';
import type { RegistryDeps } from './context.ts';
import { ephemeralContainers } from './ephemeral-containers.ts';
import { evictPod } from './eviction.ts';
import { reviewAccess, reviewOwnAccess } from './reviews/access-review.ts';
import { reviewOwnRules } from './reviews/rules-review.ts';
import { reviewToken } from './reviews/token-review.ts';
import { scaleObject } from './scale.ts';
import { requestToken } from './token-request.ts';
import type { ApplyOptions, RequestScope, Transform } from './types.ts';

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

/** By handler name (subresources) or plural (virtual resources). */
export const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['binding', createBinding],
  ['bindings', createBinding],
  ['componentstatuses', readComponentStatus],
  ['ephemeral-containers', ephemeralContainers],
  ['eviction', evictPod],
  ['forward-ports', forwardPorts],
  ['localsubjectaccessreviews', reviewAccess],
  ['log', readLog],
  ['proxy-to-node', proxyToNode],
  ['proxy-to-pod', proxyToPod],
  ['proxy-to-service', proxyToService],
  ['scale', scaleObject],
  ['selfsubjectaccessreviews', reviewOwnAccess],
  ['selfsubjectrulesreviews', reviewOwnRules],
  ['stream', openStream],
  ['subjectaccessreviews', reviewAccess],
  ['token', requestToken],
  ['tokenreviews', reviewToken],
]);
