/** How many watches this process has of what: each write costs them an event. */
import type { RequestInfo } from '../meta/request-info.ts';
import type { RequestParameters } from './work-estimator.ts';

/** Watches of the pods of one node: an index finds the few that an event is for. */
const ofOneNode = /(?:^|,)\s*spec\.nodeName\s*==?\s*[^\s,]/;

export class WatchCounts {
  private readonly counts = new Map<string, number>();

  /** A watch begins. @returns what is called when it is over */
  add(info: RequestInfo, parameters: RequestParameters): () => void {
    if (info.resource === 'pods' && ofOneNode.test(parameters.get('fieldSelector'))) return () => undefined;
    const key = keyOf(info, info.namespace, info.name);
    this.change(key, 1);
    return () => {
      this.change(key, -1);
    };
  }

  /** Watches that a write may concern: those of all objects of the resource, of its namespace, of its name. */
  interestedIn(info: RequestInfo): number {
    const { namespace, name } = info;
    let count = this.of(keyOf(info, '', ''));
    if (namespace !== '') count += this.of(keyOf(info, namespace, ''));
    if (name !== '') count += this.of(keyOf(info, namespace, name));
    return count;
  }

  private of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  private change(key: string, by: 1 | -1): void {
    const count = this.of(key) + by;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}

function keyOf({ apiGroup, resource }: RequestInfo, namespace: string, name: string): string {
  return `${apiGroup}/${resource}/${namespace}/${name}`;
}
