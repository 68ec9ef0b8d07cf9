/**
 * Objects that were parsed, or written, and may be needed again: parsing one of 7 KB takes 150 µs, a tenth of a
 * write. Each is remembered for its key, and stands for nothing but the text that it was made of, at its revision.
 */
import { LRUCache } from 'lru-cache';
import { crc32 } from 'node:zlib';
import { Doorkeeper } from '../../base/doorkeeper.ts';
import { storedForm } from '../../codec/stored-form.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asApiObject, asJson } from '../../meta/object.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Entry } from '../../storage/types.ts';
import { withRevision } from '../entry.ts';

/**
 * Bytes of memory that they take at most, as `memoryOf` tells: the objects of 6 to 8 MB of pods, which take 14 to 19.
 */
const defaultLimit = 24 * 1024 * 1024;

/** Bytes of text after which a write is forgotten that was the only one of its object, half of what the memory holds. */
const writesInMind = 4 * 1024 * 1024;

interface Parsed {
  readonly object: ApiObject;
  readonly modRevision: number;
  /** Length and signature identify the text: a reference would keep the buffer that it was cut from. */
  readonly size: number;
  readonly sign: number;
  /** Bytes, about. */
  readonly memory: number;
}

/** Its objects are shared: callers must not change them. */
export class ParsedObjects {
  readonly #parsed: LRUCache<string, Parsed>;
  readonly #doorkeeper: Doorkeeper<string> | undefined;

  /**
   * @param limit bytes of memory; what was not used for longest is forgotten beyond it
   * @param doorkeeper which written objects are worth remembering, by the bytes of their text; absent: all
   */
  constructor(limit: number = defaultLimit, doorkeeper?: Doorkeeper<string>) {
    this.#parsed = new LRUCache({ maxSize: limit, sizeCalculation: ({ memory }) => memory });
    this.#doorkeeper = doorkeeper;
  }

  /**
   * Remembers what is written again before the others have filled the memory: of 4,000 pods that are replaced in turn none,
   * each of which took 40 µs in vain.
   */
  static ofWrites(): ParsedObjects {
    return new ParsedObjects(defaultLimit, new Doorkeeper(writesInMind));
  }

  /** Bytes of memory that is taken, about. */
  get weight(): number {
    return this.#parsed.calculatedSize;
  }

  /** The object of an entry with its resourceVersion, as `entryObject` gives it; undefined when it is not remembered. */
  get(entry: Entry): ApiObject | undefined {
    const found = this.#parsed.get(keyOf(entry));
    if (found?.modRevision !== entry.modRevision) return undefined;
    return found.size === sizeOf(entry) && found.sign === signOf(entry) ? found.object : undefined;
  }

  /** Remembers what an entry was parsed to; it must not change from then on. */
  set(entry: Entry, object: ApiObject): void {
    const { bytes, modRevision } = entry;
    const text = { size: bytes.length, sign: signOf(entry), memory: memoryOf(bytes) };
    this.#parsed.set(keyOf(entry), { object, modRevision, ...text });
  }

  /**
   * Remembers the object that was written as the entry's text: the next reader need not parse it. It must not change
   * from then on.
   * @param known what it was made from, if that came from here: what both share is not looked at again
   */
  setWritten(entry: Entry, written: ApiObject, known: ApiObject | undefined): void {
    if (known === undefined && this.#doorkeeper?.admits(keyOf(entry), entry.bytes.length) === false) return;
    const form = storedForm(asJson(written), known && asJson(known));
    if (form) this.set(entry, asApiObject(withRevision(form, entry.modRevision)));
  }
}

/**
 * Distinguishes the text from any other that the key may have had at the revision: there is one, unless etcd was restored in
 * between, or the object is shown in another version. Without the mark of a write the checksum identifies it, which takes 2 µs
 * for 6 KB at hand and 6 for those that have to come from memory.
 */
function signOf(entry: Entry): number {
  return entry.mark || crc32(entry.bytes);
}

/** By byte, 1 for braces, brackets, colons and commas: each stands for an object, a list or a place in one. */
const isStructure = Uint8Array.from({ length: 256 }, (_none, byte) =>
  '{[:,'.includes(String.fromCharCode(byte)) ? 1 : 0,
);
const bytesOfSign = 32;

/**
 * What the object of a text takes in memory, about: a text of empty objects 21 times its length, one of words once. No factor
 * of the length can tell; counting takes a hundredth of a write.
 */
function memoryOf(bytes: Buffer): number {
  let signs = 0;
  for (let i = 0; i < bytes.length; i += 1) signs += isStructure[bytes[i] ?? 0] ?? 0;
  return bytes.length + signs * bytesOfSign;
}

function keyOf({ collection, key }: Entry): string {
  return `${collection}/${key}`;
}
