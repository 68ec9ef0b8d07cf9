/**
 * The work on documents of other servers, in a thread of its own: they may have many megabytes, and whatever is in them
 * must cost requests nothing. `OpenApiThread` starts the thread, sends it jobs and ends it.
 */
import { parentPort, type Transferable } from 'node:worker_threads';
import { Slice } from '../../../base/cooperate.ts';
import { messageOf } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { shortText } from '../../../base/short-text.ts';
import type { GroupVersion } from '../../../meta/gvk.ts';
import { encodeDefinitionsV2, encodePathsV2, encodeV3 } from '../gnostic/sliced-protobuf.ts';
import { parse } from './bounded-json.ts';
import { ownMemory, type Encoded } from './encoded.ts';
import { Merging, type Merged } from './merging.ts';
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

/** The steps of a merge, in this order. */
export type MergeStep =
  | { readonly kind: 'begin'; readonly paths: readonly string[] }
  | { readonly kind: 'source'; readonly document: Uint8Array }
  | { readonly kind: 'local'; readonly members: Uint8Array }
  | { readonly kind: 'finish' };

export type OpenApiJob = CheckJob | MergeStep;
export type JobResult = { readonly value: Checked | Merged | undefined } | { readonly error: string };

/** Bytes of JSON that a server may add; more would burden every client that reads the document. */
const longestPart = 8 * 1024 * 1024;

/**
 * Runs each job that is sent; the next one is sent when the one before is done.
 * @throws Error if this is no such thread
 */
export function runOpenApiJobs(): void {
  const port = parentPort;
  if (!port) throw new Error('this program is started as a thread');
  const work = new OpenApiWork();
  port.on('message', (job: OpenApiJob) => {
    void work.resultOf(job).then((result) => port.postMessage(result, memoryOf(result)));
  });
}

class OpenApiWork {
  #merging: Merging | undefined;

  async resultOf(job: OpenApiJob): Promise<JobResult> {
    try {
      return { value: await this.#valueOf(job) };
    } catch (error) {
      return { error: shortText(messageOf(error)) };
    }
  }

  async #valueOf(job: OpenApiJob): Promise<Checked | Merged | undefined> {
    if (job.kind === 'check') return await check(job);
    if (job.kind === 'begin') {
      this.#merging = new Merging(job.paths);
      return undefined;
    }
    const merging = this.#merging;
    if (!merging) throw new Error('no merge has begun');
    if (job.kind === 'source') merging.addSource(job.document);
    else if (job.kind === 'local') merging.addLocal(job.members);
    else {
      this.#merging = undefined;
      return await merging.finish();
    }
    return undefined;
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

function memoryOf(result: JobResult): Transferable[] {
  if ('error' in result) return [];
  const { value } = result;
  if (!value) return [];
  const parts =
    'problems' in value
      ? [value.v2, value.v3?.json, value.v3?.protobuf]
      : [value.paths, value.definitions].flatMap(({ json, protobuf }) => [...json, ...protobuf]);
  return [...new Set(parts.flatMap((part) => (part ? [part.buffer as ArrayBuffer] : [])))];
}
