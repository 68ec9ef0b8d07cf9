/**
 * The work on documents of other servers, in a thread of its own: they may have many megabytes, and whatever is in them
 * must cost requests nothing. `OpenApiThread` starts the thread, sends it jobs and ends it.
 */
import { parentPort, type Transferable } from 'node:worker_threads';
import { Slice } from '../../../base/cooperate.ts';
import { messageOf } from '../../../base/errors.ts';
import { isObject, setOwn, type JsonObject } from '../../../base/json.ts';
import { shortText } from '../../../base/short-text.ts';
import { decodeJson } from '../../../codec/decode-json.ts';
import type { GroupVersion } from '../../../meta/gvk.ts';
import { encodeDefinitionsV2, encodePathsV2, encodeV3 } from '../gnostic/sliced-protobuf.ts';
import { encodeMembers } from '../sliced-json.ts';
import { mergeInto, type MergeState } from './merge-v2.ts';
import { readV2, type RemoteV2 } from './read-v2.ts';
import { asV3, readV3 } from './read-v3.ts';

/** Documents of one server, as sent. */
export interface CheckJob extends GroupVersion {
  readonly kind: 'check';
  readonly v2: Uint8Array | undefined;
  readonly v3: Uint8Array | undefined;
}

export interface Checked {
  /** JSON of the part that is used; undefined if there is none. */
  readonly v2: Uint8Array | undefined;
  readonly v3: Encoded<Uint8Array> | undefined;
  readonly problems: readonly string[];
}

export interface Encoded<T> {
  readonly json: T;
  readonly protobuf: T;
}

/** Checked v2 documents of other servers, in the order in which they are merged. */
export interface MergeJob {
  readonly kind: 'merge';
  readonly paths: readonly string[];
  /** Definitions of this service as JSON, `"name":value`. */
  readonly definitions: readonly Uint8Array[];
  readonly sources: readonly Uint8Array[];
}

/** Members that the sources add to the document. */
export interface Merged {
  /** Sources that are more than the heap has room for. */
  readonly leftOut: number;
  readonly paths: Encoded<readonly Uint8Array[]>;
  readonly definitions: Encoded<readonly Uint8Array[]>;
}

export type OpenApiJob = CheckJob | MergeJob;
export type JobResult = { readonly value: Checked | Merged } | { readonly error: string };

/** Bytes of JSON that a server may add; more would burden every client that reads the document. */
const longestPart = 8 * 1024 * 1024;
/**
 * Values of a document: each takes up to 100 bytes of the heap, and a heap that a single step takes beyond its limit ends
 * the whole process.
 */
const mostValues = 500_000;
/** Of all documents that are merged. */
const mostValuesTogether = 3 * mostValues;

/**
 * Runs each job that is sent; the next one is sent when the one before is done.
 * @throws Error if this is no such thread
 */
export function runOpenApiJobs(): void {
  const port = parentPort;
  if (!port) throw new Error('this program is started as a thread');
  port.on('message', (job: OpenApiJob) => {
    void resultOf(job).then((result) => port.postMessage(result, memoryOf(result)));
  });
}

async function resultOf(job: OpenApiJob): Promise<JobResult> {
  try {
    return { value: job.kind === 'check' ? await check(job) : await merge(job) };
  } catch (error) {
    return { error: shortText(messageOf(error)) };
  }
}

/** Reads the documents; what is wrong with one is a problem of this one. */
export async function check({ group, version, v2, v3 }: Omit<CheckJob, 'kind'>): Promise<Checked> {
  const gv = { group, version };
  const problems: string[] = [];
  const attempt = async <T>(what: string, make: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await make();
    } catch (error) {
      problems.push(`${what}: ${shortText(messageOf(error))}`);
      return undefined;
    }
  };
  const read = v2 && (await attempt('OpenAPI v2', () => checkV2(v2, gv)));
  const own = v3 && (await attempt('OpenAPI v3', () => encodedV3(readV3(parse(v3), gv))));
  const made =
    own ?? (read && (await attempt('OpenAPI v3 of v2', () => encodedV3(asV3(read.parts, read.info)))));
  return { v2: read?.bytes, v3: made, problems };
}

async function checkV2(
  bytes: Uint8Array,
  gv: GroupVersion,
): Promise<{ bytes: Uint8Array; parts: RemoteV2; info: JsonObject }> {
  const document = parse(bytes);
  const parts = readV2(document, gv);
  const text = Buffer.from(JSON.stringify(parts));
  if (text.length > longestPart)
    throw new Error(`more than ${String(longestPart)} bytes for one group version`);
  // A member that has no place in the Protobuf form would break that form of the whole document.
  await encodePathsV2(parts.paths, new Slice());
  await encodeDefinitionsV2(parts.definitions, new Slice());
  const info = isObject(document) && isObject(document['info']) ? document['info'] : {};
  return { bytes: ownMemory(text), parts, info };
}

async function encodedV3(document: JsonObject): Promise<Encoded<Uint8Array>> {
  const json = Buffer.from(JSON.stringify(document));
  if (json.length > longestPart)
    throw new Error(`more than ${String(longestPart)} bytes for one group version`);
  return { json: ownMemory(json), protobuf: ownMemory(await encodeV3(document, new Slice())) };
}

/** Merges checked documents one after the other. */
export async function merge({ paths, definitions, sources }: Omit<MergeJob, 'kind'>): Promise<Merged> {
  const state: MergeState = { paths: new Set(paths), definitions: new Map(definitions.map(memberOf)) };
  const newPaths: JsonObject = {};
  const newDefinitions: JsonObject = {};
  const fitting = thoseThatFit(sources);
  for (const source of fitting) {
    const part = mergeInto(state, parse(source) as unknown as RemoteV2);
    addTo(newPaths, part.paths);
    addTo(newDefinitions, part.definitions);
  }
  return {
    leftOut: sources.length - fitting.length,
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

/** The first ones are preferred; a small one has room behind a large one that has none. */
function thoseThatFit(sources: readonly Uint8Array[]): Uint8Array[] {
  let room = mostValuesTogether;
  return sources.filter((source) => {
    const values = valuesIn(source);
    if (values > room) return false;
    room -= values;
    return true;
  });
}

/** One by one: as many arguments as a hostile document has members would overflow the stack. */
function addTo(target: JsonObject, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) if (value !== undefined) setOwn(target, name, value);
}

/** Name and JSON text of `"name":value`; values are parsed when they are compared. */
function memberOf(bytes: Uint8Array): [string, string] {
  const text = Buffer.from(bytes).toString('utf8');
  const name = /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0] ?? '""';
  return [JSON.parse(name) as string, text.slice(name.length + 1)];
}

/** @throws DecodeError, and Error for a document of too many values */
function parse(bytes: Uint8Array): ReturnType<typeof decodeJson>['value'] {
  if (valuesIn(bytes) > mostValues) throw new Error(`more than ${String(mostValues)} values`);
  return decodeJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).value;
}

/** Not less than there are: each comes first in something, or after a comma. */
function valuesIn(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte === comma || byte === openBrace || byte === openBracket) count += 1;
  return count;
}

const [comma, openBrace, openBracket] = [0x2c, 0x7b, 0x5b];

/** Small buffers share the memory of others, which a transfer would take away. */
function ownMemory(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

function memoryOf(result: JobResult): Transferable[] {
  if ('error' in result) return [];
  const { value } = result;
  const parts =
    'problems' in value
      ? [value.v2, value.v3?.json, value.v3?.protobuf]
      : [value.paths, value.definitions].flatMap(({ json, protobuf }) => [...json, ...protobuf]);
  return [...new Set(parts.flatMap((part) => (part ? [part.buffer as ArrayBuffer] : [])))];
}
