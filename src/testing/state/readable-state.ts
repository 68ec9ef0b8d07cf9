/**
 * The readable form of a state: a `List` of what differs from a control plane that has just begun.
 *
 *   kind: List
 *   items:    objects as the API shows them, with their UIDs, without resourceVersion and managedFields
 *   expires:  how long objects last that expire, by key
 *   claims:   what objects claim, such as addresses, by key
 *   removed:  keys of objects that every control plane has and this one has not
 */
import { randomUUID } from 'node:crypto';
import { dump } from 'js-yaml';
import { formatDuration, parseDurationMs } from '../../base/duration.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { encodeStored } from '../../codec/stored.ts';
import { decodeYaml } from '../../codec/yaml.ts';
import type { StateEntry } from './state-entry.ts';
import type { ApiObject } from '../objects.ts';
import { byKey, inOrder, nameOf, objectOf } from './state-objects.ts';

/** What a readable state stands on. */
export interface Ground {
  /** The state in which the control plane began. */
  readonly beginning: readonly StateEntry[];
  /** The collection by `apiVersion kind`. */
  readonly collections: Readonly<Record<string, string>>;
}

export interface ReadableOptions {
  /** With `managedFields`; default false. */
  readonly managedFields?: boolean;
}

const intro = `# A state of a control plane for tests, without what every one has. Load it with \`load(file)\`, or start with it:
# \`startControlPlane({ state: file })\`. Objects may be edited and added: what has no uid gets one.
`;

export function encodeReadable(
  entries: readonly StateEntry[],
  beginning: readonly StateEntry[],
  { managedFields = false }: ReadableOptions = {},
): string {
  const [before, after] = [byKey(beginning), byKey(entries)];
  const changed = entries.filter(({ key, value }) => before.get(key)?.value !== value);
  const items: ApiObject[] = [];
  const expires: Record<string, string> = {};
  const claims: Record<string, unknown> = {};
  for (const { key, value, leftMs } of changed) {
    const object = objectOf(value);
    if (object === undefined) claims[key] = JSON.parse(Buffer.from(value, 'latin1').toString());
    else items.push(shown(object, managedFields));
    if (leftMs !== undefined)
      expires[key] = formatDuration(BigInt(Math.ceil(leftMs / 1_000)) * 1_000_000_000n);
  }
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const list = { apiVersion: 'v1', kind: 'List', items: items.sort(inOrder), expires, claims, removed };
  const filled = Object.entries(list).filter(
    ([name, value]) => name === 'items' || Object.keys(value).length > 0,
  );
  return intro + dump(Object.fromEntries(filled), { lineWidth: -1, noRefs: true });
}

/** @throws Error that names what cannot be read */
export function decodeReadable(bytes: Buffer, ground: Ground): StateEntry[] {
  const list = listOf(bytes);
  const entries = byKey(ground.beginning);
  for (const key of list.removed ?? []) entries.delete(key);
  for (const [key, claim] of Object.entries(list.claims ?? {}))
    entries.set(key, { key, value: latin1(Buffer.from(JSON.stringify(claim))) });
  const collections = { ...ground.collections, ...definedBy(list.items) };
  for (const item of list.items) {
    const key = keyOf(item, collections);
    const leftMs = leftOf(list.expires?.[key]);
    entries.set(key, {
      key,
      value: latin1(encodeStored(completed(item))),
      ...(leftMs !== undefined && { leftMs }),
    });
  }
  return [...entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

interface StateList {
  readonly items: readonly ApiObject[];
  readonly expires?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly removed?: readonly string[];
}

function listOf(bytes: Buffer): StateList {
  let list: unknown;
  try {
    list = decodeYaml(bytes);
  } catch (error) {
    throw new Error(`it is no YAML: ${messageOf(error)}`, { cause: error });
  }
  const { kind, items } = (list ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  if (kind !== 'List' || !Array.isArray(items))
    throw new Error('it is no state: it has no `kind: List` with items');
  for (const item of items as readonly unknown[]) checkItem(item);
  return list as StateList;
}

/** @throws Error for what has no apiVersion, kind or name */
function checkItem(item: unknown): void {
  const { apiVersion, kind, metadata } = (item ?? {}) as Partial<ApiObject>;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new Error('an item has no apiVersion or no kind');
  if (typeof metadata?.name !== 'string') throw new Error('an item has no metadata.name');
}

/** Without what only this control plane knows. */
function shown({ apiVersion, kind, metadata, ...rest }: ApiObject, hasManagers: boolean): ApiObject {
  const { managedFields, ...others } = metadata;
  const keeps = hasManagers && managedFields !== undefined;
  return { apiVersion, kind, metadata: { ...others, ...(keeps && { managedFields }) }, ...rest };
}

function completed(item: ApiObject): JsonObject {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const { uid = randomUUID(), creationTimestamp = now } = item.metadata;
  return { ...item, metadata: { ...item.metadata, uid, creationTimestamp } } as unknown as JsonObject;
}

function keyOf(item: ApiObject, collections: Readonly<Record<string, string>>): string {
  const { apiVersion, kind, metadata } = item;
  const collection = collections[`${apiVersion} ${kind}`];
  if (collection === undefined)
    throw new Error(
      `no kind ${kind} is served in ${apiVersion}, of ${nameOf(item)}: the file needs its definition`,
    );
  const { namespace, name } = metadata;
  return `${collection}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

interface Definition extends ApiObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** The collections of custom resources that the items define. */
function definedBy(items: readonly ApiObject[]): Record<string, string> {
  const isDefinition = (item: ApiObject): item is Definition => item.kind === 'CustomResourceDefinition';
  const definitions = items.filter(isDefinition);
  return Object.fromEntries(
    definitions.flatMap(({ spec: { group, names, versions } }) =>
      versions.map(({ name }) => [`${group}/${name} ${names.kind}`, `${group}/${names.plural}`]),
    ),
  );
}

function leftOf(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const ms = parseDurationMs(duration);
  if (ms === undefined) throw new Error(`${duration} in \`expires\` is no duration`);
  return ms;
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1');
}
