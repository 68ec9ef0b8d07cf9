/**
 * Objects that were parsed, or written, and may be asked for again: parsing one of 7 KB takes 150 µs, a tenth of a
 * write. Each is remembered for its key, and stands for nothing but the text that it was made of, at its revision.
 */
import { crc32 } from 'node:zlib';
import { BoundedCache } from '../base/bounded-cache.ts';
import { storedForm } from '../codec/stored-form.ts';
import type { ApiObject } from '../meta/object.ts';
import { asApiObject, asJson } from '../meta/object.ts';
import type { Entry } from '../storage/types.ts';
import { withRevision } from './entry.ts';

/** Bytes of memory that they take at most, as `memoryOf` tells: the objects of 6 to 8 MB of pods, which take 14 to 19. */
const defaultLimit = 24 * 1024 * 1024;

interface Parsed {
  readonly object: ApiObject;
  readonly modRevision: number;
  /** Length and checksum of the text: to keep it would keep what it was cut from. */
  readonly size: number;
  readonly checksum: number;
  /** Bytes, about. */
  readonly memory: number;
}

/** What it gives is shared: nobody may change it. */
export class ParsedObjects {
  readonly #parsed: BoundedCache<string, Parsed>;

  /** @param limit bytes of memory; what was not used for longest is forgotten beyond it */
  constructor(limit: number = defaultLimit) {
    this.#parsed = new BoundedCache(limit, ({ memory }) => memory);
  }

  /** Bytes of memory that is taken, about. */
  get weight(): number {
    return this.#parsed.weight;
  }

  /** The object of an entry with its resourceVersion, as `entryObject` gives it; undefined when it is not remembered. */
  get(entry: Entry): ApiObject | undefined {
    const found = this.#parsed.get(keyOf(entry));
    if (found?.modRevision !== entry.modRevision) return undefined;
    // A key has one text at a revision, unless etcd was restored in between. The checksum of 6 KB takes 2 µs.
    const { bytes } = entry;
    return found.size === bytes.length && found.checksum === crc32(bytes) ? found.object : undefined;
  }

  /** Remembers what an entry was parsed to; nobody may change it from then on. */
  set(entry: Entry, object: ApiObject): void {
    const { bytes, modRevision } = entry;
    const text = { size: bytes.length, checksum: crc32(bytes), memory: memoryOf(bytes) };
    this.#parsed.set(keyOf(entry), { object, modRevision, ...text });
  }

  /**
   * Remembers the object that was written as the entry's text: who comes next need not parse it. Nobody may change it
   * from then on.
   * @param known what it was made from, if that came from here: what both share is not looked at again
   */
  setWritten(entry: Entry, written: ApiObject, known: ApiObject | undefined): void {
    const form = storedForm(asJson(written), known && asJson(known));
    if (form) this.set(entry, asApiObject(withRevision(form, entry.modRevision)));
  }
}

/** Braces, brackets, colons and commas: each stands for an object, a list or a place in one. */
const marks: ReadonlySet<number> = new Set(Buffer.from('{[:,'));
const bytesOfMark = 32;
const samples = 256;

/**
 * What the object of a text takes in memory, about: a text of empty objects 22 times its length, one of words once. A few
 * hundred bytes tell, not quite evenly spread, so that no pattern of the text escapes them.
 */
function memoryOf(bytes: Buffer): number {
  const step = bytes.length / samples;
  let seen = 0;
  for (let i = 0; i < samples; i += 1) {
    if (marks.has(bytes[Math.floor(i * step) + ((i * 5) % 7)] ?? 0)) seen += 1;
  }
  return Math.ceil(bytes.length * (1 + (seen / samples) * bytesOfMark));
}

function keyOf({ collection, key }: Entry): string {
  return `${collection}/${key}`;
}
