/** Group, version, kind and resource: how a type and its collection are named. */
import type { JsonObject } from '../base/json.ts';

export interface GroupVersion {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** A resource without its version, as messages and storage name it. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** `apiVersion` of a group version: `v1` or `apps/v1`. */
export function apiVersionOf(gv: GroupVersion): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Reads an `apiVersion`; undefined when it has more than one slash or no version. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const parts = apiVersion.split('/');
  if (parts.length === 1 && parts[0]) return { group: '', version: parts[0] };
  if (parts.length === 2 && parts[1] && parts[0] !== undefined) return { group: parts[0], version: parts[1] };
  return undefined;
}

/** `pods` or `deployments.apps`, the way messages name a resource. */
export function resourceName(gr: GroupResource): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

/** `Pod` or `Deployment.apps`, the way messages name a kind. */
export function kindName(gk: { readonly group: string; readonly kind: string }): string {
  return gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
}

/**
 * Whether an answer is what was asked for: it may leave out its version and its kind (the reference's decoders then take
 * those that they expect), but not have others.
 */
export function isAnswerOf(answer: JsonObject, expected: { apiVersion: string; kind: string }): boolean {
  const { apiVersion = expected.apiVersion, kind = expected.kind } = answer;
  return apiVersion === expected.apiVersion && kind === expected.kind;
}
