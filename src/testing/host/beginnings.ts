/**
 * What every control plane of equal flags begins with (namespaces, roles, priority levels, the Service of the API …): made
 * once by the first one, and given to the next ones, as objects of their own: with other UIDs, and the time of their start. Their
 * start finds what it would make, and makes what is missing. What those without options begin with, the build has made.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import type { KeptKey } from '../../memory-etcd/memory-etcd.ts';
import { partsBelow } from './object-keys.ts';
import { filledIn, withPlaces, type ProcessValues } from './process-values.ts';

/** What the service itself makes without regard to a single control plane. Not here: what names its address. */
const common: ReadonlySet<string> = new Set([
  'namespaces',
  'clusterroles',
  'clusterrolebindings',
  'roles',
  'rolebindings',
  'priorityclasses',
  'flowschemas',
  'prioritylevelconfigurations',
  'apiservices',
]);

/** What controllers make in every namespace, by a text that such an object has. */
const ofNamespaces: ReadonlyMap<string, string> = new Map([
  ['serviceaccounts', ''],
  ['secrets', '/service-account-token"'],
  ['configmaps', '"data":{"ca.crt":"'],
]);

/** With these, values differ from one write to the next, or cannot be read. */
const excluding = ['encryption-provider-config'] as const;
/** What has no influence on these objects. */
const withoutInfluence: ReadonlySet<string> = new Set(['secure-port']);

/** A UID, or a time in its quotes. */
const renewable =
  /([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")/;

/** A key, with its value in pieces: every second one is a UID or a time, for which another one comes. All of one byte a character. */
type Template = readonly [key: string, ...pieces: string[]];

export class Beginnings {
  readonly #kept: Map<string, readonly Template[]>;

  private constructor(kept: readonly (readonly [string, readonly Template[]])[] = []) {
    this.#kept = new Map(kept);
  }

  /** Those that a file has, if there is one. */
  static of(file: string): Beginnings {
    if (!existsSync(file)) return new Beginnings();
    return new Beginnings(JSON.parse(readFileSync(file, 'utf8')) as [string, Template[]][]);
  }

  /** Writes all to a file. */
  write(file: string): void {
    writeFileSync(file, JSON.stringify([...this.#kept]));
  }

  has(flags: FlagTexts): boolean {
    return this.#kept.has(nameOf(flags));
  }

  /**
   * Keeps what is common of the keys of a control plane that has just begun.
   * @param own what objects of namespaces have of this process; undefined if they have other things, and are not kept
   */
  keep(flags: FlagTexts, prefix: string, keys: readonly KeptKey[], own?: ProcessValues): void {
    if (excluding.some((flag) => flags[flag] !== undefined)) return;
    const partsOf = partsBelow(prefix);
    const kept = keys.flatMap(({ key, value }) => {
      const name = key.toString('latin1');
      const [, plural = '', ...object] = partsOf(name) ?? [];
      if (object.join('') === '') return [];
      const text = value.toString('latin1');
      if (common.has(plural)) return [templateOf(name, text)];
      const sign = ofNamespaces.get(plural);
      if (own === undefined || sign === undefined || !text.includes(sign)) return [];
      return [templateOf(name, withPlaces(text, own))];
    });
    this.#kept.set(nameOf(flags), kept);
  }

  /** The keys for another control plane; none if none were kept. */
  next(flags: FlagTexts, { clock, random }: Environment, own: ProcessValues): readonly KeptKey[] {
    const now = `"${new Date(clock.now()).toISOString().slice(0, -5)}Z"`;
    const ids = new Map<string, string>();
    const idFor = (id: string): string => {
      const known = ids.get(id) ?? random.uuid();
      ids.set(id, known);
      return known;
    };
    const renewed = (piece: string): string => (piece.startsWith('"') ? now : idFor(piece));
    return (this.#kept.get(nameOf(flags)) ?? []).map(([key, ...pieces]) => {
      const text = pieces.map((piece, at) => (at % 2 === 0 ? piece : renewed(piece))).join('');
      return { key: Buffer.from(key, 'latin1'), value: Buffer.from(filledIn(text, own), 'latin1') };
    });
  }
}

function templateOf(key: string, text: string): Template {
  return [key, ...text.split(renewable)];
}

function nameOf(flags: FlagTexts): string {
  const entries = Object.entries(flags).filter(([flag]) => !withoutInfluence.has(flag));
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
