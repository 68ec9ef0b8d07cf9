/** What an object uses of what quotas limit. */
import { parseQuantity } from '../../../../src/meta/quantity.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { isMarked, type StoredObject } from './walk.ts';

/** Core resources that quotas know by their plain names. */
const plain = new Set([
  ...['configmaps', 'secrets', 'services', 'pods', 'persistentvolumeclaims', 'replicationcontrollers'],
  'resourcequotas',
]);

/** In units of 10^-9. @param resource as quotas name it: `configmaps`, `count/deployments.apps`, `requests.cpu` */
export function usageOf(collection: string, object: StoredObject, resource: string): bigint {
  const [group = '', plural = ''] = collection.split('/');
  const counted = group === 'core' ? plural : `${plural}.${group}`;
  if (resource === `count/${counted}`) return one;
  if (group !== 'core' || (plural === 'pods' && isOver(object))) return 0n;
  if (resource === plural && plain.has(plural)) return one;
  switch (plural) {
    case 'services':
      return resource === 'services.nodeports' ? BigInt(nodePortsOf(object)) * one : 0n;
    case 'persistentvolumeclaims':
      return resource === 'requests.storage' ? amountOf(object.spec?.['resources'], resource) : 0n;
    case 'pods':
      return podAmount(object, resource);
    default:
      return 0n;
  }
}

const one = 1_000_000_000n;

/** It has ended, or was deleted and its grace is over. */
function isOver(pod: StoredObject): boolean {
  const { deletionGracePeriodSeconds = 0 } = pod.metadata;
  const phase = pod.status?.['phase'];
  return phase === 'Succeeded' || phase === 'Failed' || (isMarked(pod) && deletionGracePeriodSeconds === 0);
}

function nodePortsOf({ spec }: StoredObject): number {
  const { type, ports = [] } = (spec ?? {}) as { type?: string; ports?: readonly unknown[] };
  return type === 'NodePort' ? ports.length : 0;
}

/** `cpu` means `requests.cpu`. */
function podAmount({ spec }: StoredObject, resource: string): bigint {
  const name = resource.includes('.') ? resource : `requests.${resource}`;
  const { containers = [] } = (spec ?? {}) as { containers?: readonly JsonObject[] };
  return containers.reduce((sum, { resources }) => sum + amountOf(resources, name), 0n);
}

/** @param name `requests.<what>` or `limits.<what>` */
function amountOf(resources: unknown, name: string): bigint {
  const [list = '', ...what] = name.split('.');
  const amounts = (resources ?? {}) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return parseQuantity(amounts[list]?.[what.join('.')] ?? '0')?.nanos ?? 0n;
}
