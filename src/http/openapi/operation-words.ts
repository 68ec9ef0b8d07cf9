/** Ids and tags of operations, from which generated clients derive method names. */
import type { ServedResource } from '../../registry/types.ts';

export interface OperationPlace {
  readonly word: string;
  readonly isWatchList: boolean;
  readonly isAcross: boolean;
  readonly subresource: string;
  /** HTTP method of a connection, whose operations differ only by it. */
  readonly method?: string;
}

export interface OperationWords {
  readonly id: string;
  readonly tag: string;
}

/** `readCoreV1NamespacedPodStatus` and `core_v1`. */
export function operationWords(resource: ServedResource, place: OperationPlace): OperationWords {
  const { gvk, namespaced, naming } = resource;
  const group = groupWord(gvk.group, naming.apiDomain);
  const isDeleteAll = place.word === 'deleteCollection';
  const verb = isDeleteAll ? 'delete' : place.word;
  const scope = namespaced && !place.isAcross ? 'Namespaced' : '';
  const id = [
    verb,
    group,
    capital(gvk.version),
    isDeleteAll ? 'Collection' : capital(place.method ?? ''),
    scope,
    gvk.kind,
    capital(place.subresource),
    place.isWatchList ? 'List' : '',
    place.isAcross ? 'ForAllNamespaces' : '',
  ].join('');
  return { id, tag: tagOf(group, gvk.version) };
}

/** `core_v1`, `rbacAuthorization_v1`; without a version the tag of the group. */
export function tagOf(group: string, version = ''): string {
  const word = group.charAt(0).toLowerCase() + group.slice(1);
  return version === '' ? word : `${word}_${version}`;
}

/** `rbac.authorization.<domain>` is `RbacAuthorization`, the core group is `Core`. */
export function groupWord(group: string, domain: string): string {
  if (group === '') return 'Core';
  const own = group.endsWith(`.${domain}`) ? group.slice(0, -domain.length - 1) : group;
  return own.split('.').map(capital).join('');
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
