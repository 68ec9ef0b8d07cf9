/**
 * What the servers of aggregated APIs say of themselves: resources for aggregated discovery, and OpenAPI documents.
 * They are fetched while the server is available, and every minute again (by ETag); after a failure the pause doubles
 * up to an hour. A document that was fetched stays until the APIService is gone or changes.
 *
 * No request of a client waits for this. Nothing here is believed: documents are bounded in bytes and in time, and
 * callers check what they use.
 */
import { Backoff } from '../../base/backoff.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { pause } from '../../base/pause.ts';
import { shortText } from '../../base/short-text.ts';
import { decodeJson } from '../../codec/decode-json.ts';
import type { DiscoveredResource } from '../../meta/discovered-resource.ts';
import { groupAuthenticated, groupMasters, type UserInfo } from '../../meta/user.ts';
import type { Logger } from '../../observe/log.ts';
import type { BackendConnections, DocumentAnswer } from './backend-connections.ts';
import { FetchPlaces } from './fetch-places.ts';
import type { RegisteredService } from './registered-service.ts';
import type { RegistrationFollower } from './registrations.ts';
import { readResources } from './remote-resources.ts';

/** What is known of one service. Another value means another document. */
export interface RemoteDocuments {
  readonly resources: readonly DiscoveredResource[] | undefined;
  /** OpenAPI documents as sent, JSON; undefined if there is none. */
  readonly openApiV2: Buffer | undefined;
  readonly openApiV3: Buffer | undefined;
}

export interface RemoteDocumentsParts extends Environment {
  readonly registrations: Pick<RegistrationFollower, 'current' | 'service' | 'onChange'>;
  readonly connections: Pick<BackendConnections, 'document'>;
  readonly log: Logger;
  /** Bytes of the OpenAPI documents of all services; absent: 64 MiB. */
  readonly longestTogether?: number;
  /** Resources of all services; absent: 10,000. */
  readonly mostResourcesTogether?: number;
  /** Pauses in milliseconds; defaults are those of kube-aggregator. */
  readonly pauses?: {
    readonly everyMs: number;
    readonly failure: { readonly firstMs: number; readonly maxMs: number };
  };
}

const usualPauses = { everyMs: 60_000, failure: { firstMs: 60_000, maxMs: 3_600_000 } };
const discoverer: UserInfo = { name: 'system:kube-aggregator', uid: '', groups: [groupMasters], extra: {} };
const aggregator: UserInfo = { name: 'system:aggregator', uid: '', groups: [groupAuthenticated], extra: {} };

const mebibyte = 1024 * 1024;
/** Parsed in the serving thread, in a few milliseconds. */
const longestList = 512 * 1024;
const longestOpenApi = 16 * mebibyte;
/** What is made of documents takes several times as much. */
const longestTogether = 4 * longestOpenApi;
const listMs = 5_000;
const openApiMs = 60_000;
/** Written into one document of discovery, at once. */
const mostResourcesTogether = 10_000;

/**
 * What is fetched by itself: servers that are slow to send OpenAPI, each of which may take minutes, do not delay what
 * discovery says of the others.
 */
const parts = ['resources', 'OpenAPI'] as const;
type Part = (typeof parts)[number];

const nothing: RemoteDocuments = { resources: undefined, openApiV2: undefined, openApiV3: undefined };

interface Followed {
  service: RegisteredService;
  documents: RemoteDocuments;
  readonly etags: Map<string, string>;
  /** Path of the document of OpenAPI v3; servers may name another one each time. */
  pathV3: string;
  readonly stopping: AbortController;
  /** Ends the pauses of its parts. */
  readonly wakes: Map<Part, AbortController>;
}

export class RemoteDocumentFollower {
  readonly #parts: RemoteDocumentsParts;
  readonly #places: Readonly<Record<Part, FetchPlaces>>;
  readonly #followed = new Map<string, Followed>();
  readonly #runs = new Set<Promise<void>>();
  readonly #listeners: (() => void)[] = [];
  #isClosed = false;

  constructor(parts: RemoteDocumentsParts) {
    this.#parts = parts;
    const { clock } = parts;
    this.#places = { resources: new FetchPlaces(clock), OpenAPI: new FetchPlaces(clock) };
  }

  /** Begins to fetch; call it once. */
  start(): void {
    const { registrations } = this.#parts;
    registrations.onChange((names) => {
      for (const name of names) this.#note(name);
    });
    for (const { name } of registrations.current().ordered) this.#note(name);
  }

  of(name: string): RemoteDocuments {
    return this.#followed.get(name)?.documents ?? nothing;
  }

  /** Called after a document changed, was added or is gone. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when nothing is being fetched. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const name of [...this.#followed.keys()]) this.#end(name);
    await Promise.all(this.#runs);
  }

  #note(name: string): void {
    if (this.#isClosed) return;
    const service = this.#parts.registrations.service(name);
    const known = this.#followed.get(name);
    if (known && service?.wish === known.service.wish) {
      known.service = service;
      wakeUp(known);
      return;
    }
    this.#end(name);
    if (!service?.backend) return;
    const followed: Followed = {
      ...{ service, documents: nothing, etags: new Map(), pathV3: '' },
      ...{ stopping: new AbortController(), wakes: new Map() },
    };
    this.#followed.set(name, followed);
    for (const part of parts) {
      const run = this.#follow(followed, part).finally(() => this.#runs.delete(run));
      this.#runs.add(run);
    }
  }

  #end(name: string): void {
    const known = this.#followed.get(name);
    if (!known) return;
    this.#followed.delete(name);
    known.stopping.abort();
    wakeUp(known);
    this.#forgetServer(serverOf(known.service));
    if (known.documents !== nothing) this.#notify();
  }

  #forgetServer(name: string): void {
    for (const { service } of this.#followed.values()) if (serverOf(service) === name) return;
    for (const part of parts) this.#places[part].forget(name);
  }

  async #follow(followed: Followed, part: Part): Promise<void> {
    const { everyMs, failure } = this.#parts.pauses ?? usualPauses;
    const backoff = new Backoff(failure, this.#parts.random);
    const { signal } = followed.stopping;
    while (!signal.aborted) {
      const wake = new AbortController();
      followed.wakes.set(part, wake);
      const { service } = followed;
      let pauseMs = failure.maxMs;
      if (service.isAvailable) {
        const isComplete = await this.#places[part].use(serverOf(service), () =>
          this.#fetchAll(followed, part),
        );
        if (isComplete) backoff.reset();
        pauseMs = isComplete ? everyMs : backoff.nextMs();
      }
      await pause(this.#parts.clock, pauseMs, wake.signal);
    }
  }

  /** False if something failed. */
  async #fetchAll(followed: Followed, part: Part): Promise<boolean> {
    if (followed.stopping.signal.aborted) return true;
    const tasks = {
      resources: [['resources', () => this.#fetchResources(followed)]],
      OpenAPI: [
        ['OpenAPI v2', () => this.#fetchV2(followed)],
        ['OpenAPI v3', () => this.#fetchV3(followed)],
      ],
    } as const;
    let isComplete = true;
    for (const [what, fetch] of tasks[part]) {
      try {
        await fetch();
      } catch (error) {
        isComplete = false;
        this.#parts.log.info('a document of an aggregated API could not be fetched', {
          apiService: followed.service.name,
          document: what,
          problem: shortText(messageOf(error)),
        });
      }
    }
    return isComplete;
  }

  async #fetchResources(followed: Followed): Promise<void> {
    const { group, version } = followed.service;
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const asked = { path, user: discoverer, longest: longestList, timeoutMs: listMs };
    const answer = await this.#get(followed, asked);
    if (answer === 'same') return;
    if (answer.code !== 200) throw new Error(`the server responds with ${String(answer.code)}`);
    const resources = readResources(decodeJson(answer.body).value, group, version);
    this.#assertRoomFor(resources, followed);
    this.#set(followed, { resources });
  }

  /** @throws Error where the resources of all services would be more than there may be */
  #assertRoomFor(resources: RemoteDocuments['resources'] & object, followed: Followed): void {
    const most = this.#parts.mostResourcesTogether ?? mostResourcesTogether;
    let count = resources.length - (followed.documents.resources?.length ?? 0);
    for (const { documents } of this.#followed.values()) count += documents.resources?.length ?? 0;
    if (count > most) throw new Error(`the servers of all APIs have more than ${String(most)} resources`);
  }

  async #fetchV2(followed: Followed): Promise<void> {
    const longest = this.#roomFor(followed.documents.openApiV2);
    const asked = { path: '/openapi/v2', user: aggregator, longest, timeoutMs: openApiMs };
    const answer = await this.#get(followed, asked);
    if (answer === 'same') return;
    if (answer.code === 404) this.#set(followed, { openApiV2: undefined });
    else if (answer.code === 200) this.#set(followed, { openApiV2: answer.body });
    else throw new Error(`the server responds with ${String(answer.code)}`);
  }

  /** Servers before release 1.23 have none. */
  async #fetchV3(followed: Followed): Promise<void> {
    const { group, version } = followed.service;
    const key = group === '' ? `api/${version}` : `apis/${group}/${version}`;
    const index = { path: '/openapi/v3', user: aggregator, longest: longestList, timeoutMs: listMs };
    const answer = await this.#get(followed, index);
    if (answer === 'same') return;
    if (answer.code === 404) {
      this.#set(followed, { openApiV3: undefined });
      return;
    }
    if (answer.code !== 200) throw new Error(`the server responds with ${String(answer.code)}`);
    const path = addressIn(decodeJson(answer.body).value, key);
    if (path === undefined) {
      this.#set(followed, { openApiV3: undefined });
      return;
    }
    movedTo(followed, keyOf(path));
    const longest = this.#roomFor(followed.documents.openApiV3);
    const asked = { path, user: aggregator, longest, timeoutMs: openApiMs };
    try {
      const document = await this.#get(followed, asked);
      if (document === 'same') return;
      if (document.code !== 200) throw new Error(`the server responds with ${String(document.code)}`);
      this.#set(followed, { openApiV3: document.body });
    } catch (error) {
      // The index is read again the next time.
      followed.etags.delete(index.path);
      throw error;
    }
  }

  /** Bytes that a document may have beside those of all services. @param before what it takes the place of */
  #roomFor(before: Buffer | undefined): number {
    let room = (this.#parts.longestTogether ?? longestTogether) + (before?.length ?? 0);
    for (const { documents } of this.#followed.values())
      room -= (documents.openApiV2?.length ?? 0) + (documents.openApiV3?.length ?? 0);
    return Math.max(0, Math.min(longestOpenApi, room));
  }

  /** 'same' if the server says so, or sends the same bytes again. */
  async #get(
    { service, etags }: Followed,
    asked: Parameters<BackendConnections['document']>[1],
  ): Promise<DocumentAnswer | 'same'> {
    const key = keyOf(asked.path);
    const known = etags.get(key);
    const condition = known === undefined || known.startsWith(ownTag) ? {} : { 'If-None-Match': known };
    const headers = { Accept: 'application/json', ...condition };
    const answer = await this.#parts.connections.document(service, { ...asked, headers });
    if (answer.code === 304 && known !== undefined) return 'same';
    if (answer.code !== 200) {
      etags.delete(key);
      return answer;
    }
    const tag = answer.etag === '' ? await tagOf(answer.body) : answer.etag;
    etags.set(key, tag);
    return tag === known && tag.startsWith(ownTag) ? 'same' : answer;
  }

  /** A service that was followed no more while it was asked keeps nothing. */
  #set(followed: Followed, change: Partial<RemoteDocuments>): void {
    if (followed.stopping.signal.aborted) return;
    const [[key, value] = []] = Object.entries(change);
    if (key !== undefined && followed.documents[key as keyof RemoteDocuments] === value) return;
    followed.documents = { ...followed.documents, ...change };
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The one that its APIs share. */
function serverOf({ backend }: RegisteredService): string {
  return backend ? `${backend.namespace}/${backend.name}:${String(backend.port)}` : '';
}

/** An address in OpenAPI v3 has a hash of its content: the tag belongs to the path without it. */
function keyOf(path: string): string {
  return path.split('?', 1)[0] ?? '';
}

/** The tag at the former path is of a document that is no longer there. */
function movedTo(followed: Followed, path: string): void {
  if (followed.pathV3 !== '' && followed.pathV3 !== path) followed.etags.delete(followed.pathV3);
  followed.pathV3 = path;
}

function wakeUp({ wakes }: Followed): void {
  for (const wake of wakes.values()) wake.abort();
}

/** Tags of servers are quoted. */
const ownTag = 'own:';

/** In a thread of its own: 16 MiB take 40 ms. */
async function tagOf(body: Buffer): Promise<string> {
  // A document is no shared memory.
  const digest = await crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>);
  return `${ownTag}${Buffer.from(digest).toString('base64')}`;
}

/** The address of a document in the index of OpenAPI v3; only a path of the same server. */
function addressIn(index: unknown, key: string): string | undefined {
  const paths = isObject(index) ? index['paths'] : undefined;
  const entry = isObject(paths) && Object.hasOwn(paths, key) ? paths[key] : undefined;
  const address = isObject(entry) ? entry['serverRelativeURL'] : undefined;
  return typeof address === 'string' && /^\/[\x21-\x7e]*$/.test(address) ? address : undefined;
}
