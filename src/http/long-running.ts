/** Requests that last as long as their client wants: without a deadline, and without a seat among those in flight. */
import type { RequestInfo } from '../meta/request-info.ts';

const verbs: ReadonlySet<string> = new Set(['watch', 'proxy']);
/** Connections. */
const subresources: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Watches and connections, by name: also of resources that do not exist, as in kube-apiserver. */
export function isLongRunning({ isResourceRequest, verb, subresource }: RequestInfo): boolean {
  return isResourceRequest && (verbs.has(verb) || subresources.has(subresource));
}
