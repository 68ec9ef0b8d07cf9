/** The core resources that controllers work on. */
import type { ResourceRef } from './types.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export function coreResource(kind: string, resource: string, namespaced = true): ResourceRef {
  return { group: '', version: 'v1', resource, kind, namespaced, verbs };
}

export const configMaps = coreResource('ConfigMap', 'configmaps');
export const namespaces = coreResource('Namespace', 'namespaces', false);
export const secrets = coreResource('Secret', 'secrets');
export const serviceAccounts = coreResource('ServiceAccount', 'serviceaccounts');
