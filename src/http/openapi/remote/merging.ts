/**
 * Merges checked documents of other servers with what this service has itself. That comes some definitions at a time, and
 * no more is kept of it than what those mean whose names a server uses, too: it may have hundreds of megabytes.
 */
import { Slice } from '../../../base/cooperate.ts';
import { setOwn, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { encodeDefinitionsV2, encodePathsV2 } from '../gnostic/sliced-protobuf.ts';
import { encodeMembers } from '../sliced-json.ts';
import { mostValues, parse, valuesIn } from './bounded-json.ts';
import { ownMemory, type Encoded } from './encoded.ts';
import { meaningOf, mergeInto, type MergeState } from './merge-v2.ts';
import type { RemoteV2 } from './read-v2.ts';

/** Members that the sources add to the document. */
export interface Merged {
  /** Sources that are more than the heap has room for. */
  readonly leftOut: number;
  readonly paths: Encoded<readonly Uint8Array[]>;
  readonly definitions: Encoded<readonly Uint8Array[]>;
}

/** Of all documents that are merged. */
const mostValuesTogether = 3 * mostValues;
const newline = 0x0a;

export class Merging {
  readonly #state: MergeState;
  readonly #sources: RemoteV2[] = [];
  #leftOut = 0;
  #room = mostValuesTogether;
  /** Names of definitions of the sources. */
  readonly #names = new Set<string>();

  /** @param paths of this service */
  constructor(paths: readonly string[]) {
    this.#state = { paths: new Set(paths), definitions: new Map() };
  }

  /**
   * The first ones are preferred; a small one has room behind a large one that has none.
   * @param document checked, of version 2
   * @throws DecodeError for what is not JSON
   */
  addSource(document: Uint8Array): void {
    const values = valuesIn(document);
    if (values > this.#room) {
      this.#leftOut += 1;
      return;
    }
    this.#room -= values;
    const source = parse(document) as unknown as RemoteV2;
    this.#sources.push(source);
    for (const name of Object.keys(source.definitions)) this.#names.add(name);
  }

  /** Notes definitions of this service, behind all sources. @param members JSON, `"name":value`, one a line */
  addLocal(members: Uint8Array): void {
    const all = Buffer.from(members.buffer, members.byteOffset, members.byteLength);
    for (let begin = 0; begin < all.length;) {
      const next = all.indexOf(newline, begin);
      const end = next < 0 ? all.length : next;
      this.#note(all.toString('utf8', begin, end));
      begin = end + 1;
    }
  }

  #note(member: string): void {
    const text = /^"(?:[^"\\]|\\.)*"/.exec(member)?.[0] ?? '""';
    const name = JSON.parse(text) as string;
    if (!this.#names.has(name) && !this.#names.has(name.replace(/_v\d+$/, ''))) return;
    const value = JSON.parse(member.slice(text.length + 1)) as JsonValue;
    this.#state.definitions.set(name, meaningOf(value));
  }

  /** Merges the sources one after the other. */
  async finish(): Promise<Merged> {
    const newPaths: JsonObject = {};
    const newDefinitions: JsonObject = {};
    for (const source of this.#sources) {
      const part = mergeInto(this.#state, source);
      addTo(newPaths, part.paths);
      addTo(newDefinitions, part.definitions);
    }
    return {
      leftOut: this.#leftOut,
      paths: {
        json: (await encodeMembers(newPaths, new Slice())).map(ownMemory),
        protobuf: (await encodePathsV2(newPaths, new Slice())).map(ownMemory),
      },
      definitions: {
        json: (await encodeMembers(newDefinitions, new Slice())).map(ownMemory),
        protobuf: (await encodeDefinitionsV2(newDefinitions, new Slice())).map(ownMemory),
      },
    };
  }
}

/** One by one: as many arguments as a hostile document has members would overflow the stack. */
function addTo(target: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) if (value !== undefined) setOwn(target, name, value);
}
