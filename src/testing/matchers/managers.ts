/** Who manages the fields of an object. */
import { isDeepStrictEqual } from 'node:util';
import { listed, objectOf, resultOf, type ManagedLike, type MatcherResult } from './received.ts';

/**
 * Does this manager manage fields of the object: these, or any?
 * @param paths such as `spec.replicas`, `metadata.labels["a/b"]`, `spec.containers[name=main].image` for the item of a
 *   list with that key, or `metadata.finalizers["a"]` for a member of a set
 */
export function toBeManagedBy(
  received: unknown,
  manager: string,
  paths: string | readonly string[] = [],
): MatcherResult {
  const entries = objectOf(received).metadata?.managedFields ?? [];
  const own = entries.filter((entry) => entry.manager === manager);
  const wanted = typeof paths === 'string' ? [paths] : paths;
  const missing = wanted.filter((path) => !own.some(({ fieldsV1 }) => isManaged(fieldsV1, stepsOf(path))));
  const pass = own.length > 0 && missing.length === 0;
  const which = wanted.length === 0 ? '' : ` in ${wanted.join(', ')}`;
  const lacking =
    own.length > 0 && missing.length > 0 ? [`${manager} does not manage ${missing.join(', ')}`] : [];
  const there = [...lacking, ...listed('managers', entries.flatMap(linesOf))];
  return resultOf(received, { pass, expected: `to be managed by ${manager}${which}`, there });
}

/** A step of a path: the names that its members may have in managedFields. */
type Step = (name: string) => boolean;

const part = /\.?([A-Za-z_$][^.[\]]*)|\[("(?:[^"\\]|\\.)*")\]|\[([^\]"]+)\]/gy;

/** @throws TypeError for what is no path */
function stepsOf(path: string): Step[] {
  const found = [...path.matchAll(part)];
  if (found.length === 0 || found.reduce((length, [text]) => length + text.length, 0) !== path.length)
    throw new TypeError(`${path} is no path of fields: write one such as spec.containers[name=main].image`);
  return found.map(([, name, quoted, keys]) => {
    if (name !== undefined) return (each) => each === `f:${name}`;
    if (quoted !== undefined) return isNamed(JSON.parse(quoted) as string);
    return hasKeys(keys ?? '');
  });
}

/** A field of that name, or that member of a set. */
function isNamed(name: string): Step {
  return (each) => each === `f:${name}` || each === `v:${JSON.stringify(name)}`;
}

/** `name=main` or `port=80,protocol=TCP`, or an index. */
function hasKeys(text: string): Step {
  if (/^\d+$/.test(text)) return (each) => each === `i:${text}`;
  const wanted = Object.fromEntries(text.split(',').map((pair) => pair.split('=', 2) as [string, string]));
  return (each) => {
    if (!each.startsWith('k:')) return false;
    const keys = JSON.parse(each.slice(2)) as Record<string, unknown>;
    const texts = Object.entries(keys).map(([name, value]) => [name, String(value)]);
    return isDeepStrictEqual(Object.fromEntries(texts), wanted);
  };
}

function isManaged(fields: unknown, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return true;
  return membersOf(fields).some(([name, value]) => step(name) && isManaged(value, rest));
}

function membersOf(fields: unknown): [string, unknown][] {
  return typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
}

const mostShown = 30;

function linesOf({ manager = '', operation = '', subresource, fieldsV1 }: ManagedLike): string[] {
  const paths = [...pathsOf('', fieldsV1)];
  const more = paths.length > mostShown ? [`    and ${String(paths.length - mostShown)} more`] : [];
  const where = subresource === undefined ? '' : ` of ${subresource}`;
  return [
    `${manager} (${operation}${where})`,
    ...paths.slice(0, mostShown).map((path) => `  ${path}`),
    ...more,
  ];
}

/** The paths of the leaves, as `toBeManagedBy` takes them. */
function* pathsOf(path: string, fields: unknown): Generator<string, void> {
  const members = membersOf(fields).filter(([name]) => name !== '.');
  if (members.length === 0 && path !== '') yield path;
  for (const [name, value] of members) yield* pathsOf(path + textOf(path, name), value);
}

function textOf(path: string, name: string): string {
  const value = name.slice(2);
  if (name.startsWith('k:')) {
    const keys = Object.entries(JSON.parse(value) as Record<string, unknown>);
    return `[${keys.map(([key, each]) => `${key}=${String(each)}`).join(',')}]`;
  }
  if (name.startsWith('f:') && /^[A-Za-z_$][^.[\]/]*$/.test(value)) return path === '' ? value : `.${value}`;
  return name.startsWith('f:') ? `[${JSON.stringify(value)}]` : `[${value}]`;
}
