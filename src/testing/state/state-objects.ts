/** Objects among the entries of a state. */
import { decodeStored } from '../../codec/stored.ts';
import type { StateEntry } from './state-entry.ts';
import type { ApiObject } from '../objects.ts';

/** The object of a stored value, without a resource version; undefined for what is no object, such as a claim. */
export function objectOf(value: string): ApiObject | undefined {
  const bytes = Buffer.from(value, 'latin1');
  // Claims are JSON, too; objects begin with their kind.
  return value.startsWith('{"kind":') ? (decodeStored(bytes) as unknown as ApiObject) : undefined;
}

/** An object as what it is called in messages: `Pod default/web`. */
export function nameOf({ kind, metadata }: Pick<ApiObject, 'kind' | 'metadata'>): string {
  const { namespace, name = '' } = metadata;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Definitions and namespaces first, as others need them; then by group, kind, namespace and name. */
export function inOrder(a: ApiObject, b: ApiObject): number {
  return compare(orderOf(a), orderOf(b));
}

function orderOf({ apiVersion, kind, metadata }: ApiObject): readonly string[] {
  const { namespace = '', name = '' } = metadata;
  return [String(rank(kind)), apiVersion.replace(/\/?[^/]*$/, ''), kind, namespace, name];
}

function rank(kind: string): number {
  return ['CustomResourceDefinition', 'Namespace', kind].indexOf(kind);
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  if (at < 0) return 0;
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}

/** By key. */
export function byKey(entries: readonly StateEntry[]): Map<string, StateEntry> {
  return new Map(entries.map((entry) => [entry.key, entry]));
}
