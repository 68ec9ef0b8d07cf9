/**
 * Keeps what clients of one collection asked and were told, as a history for validators. Requests are read from their
 * paths and bodies, so whoever sends them through `RecordingClient` writes them as always.
 */
import type { Answer, ApiClient, ApiList, ApiObject } from '../../support/client.ts';
import type {
  Asked,
  CollectionId,
  Freshness,
  GetRecord,
  History,
  ListRecord,
  Page,
  ReadError,
  State,
  WatchRecord,
  WriteOutcome,
  WriteRecord,
} from '../../support/histories/types.ts';

export interface RecordedCollection {
  /** The path that requests begin with: `/api/v1/namespaces/<namespace>/configmaps`. */
  readonly path: string;
  /** What etcd keeps it under. */
  readonly id: CollectionId;
  /** What the keys of its objects begin with: `<namespace>/`. */
  readonly prefix: string;
  /** What tells a written content from any other; '' for an object that no recorded client wrote. */
  readonly valueOf: (object: ApiObject) => string;
}

/** What came of a request. */
export interface Told {
  readonly call: number;
  readonly end: number;
  /** undefined: the connection broke. */
  readonly answer: Answer | undefined;
}

interface Request {
  readonly method: string;
  /** Behind that of the collection: '', `?limit=…` or `/name`. */
  readonly path: string;
  readonly body: ApiObject | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class HistoryRecorder {
  readonly collection: RecordedCollection;
  readonly #gets: GetRecord[] = [];
  readonly #lists = new Map<string, Mutable<ListRecord> & { pages: Page[] }>();
  readonly #writes: WriteRecord[] = [];
  readonly #watches: WatchRecord[] = [];
  #clock = 0;
  #ids = 0;

  constructor(collection: RecordedCollection) {
    this.collection = collection;
  }

  /** The next point of the clock. */
  now(): number {
    return (this.#clock += 1);
  }

  newId(): string {
    this.#ids += 1;
    return `#${String(this.#ids)}`;
  }

  /** All that was recorded up to now. */
  history(): History {
    const lists = [...this.#lists.values()];
    return { gets: this.#gets, lists, writes: this.#writes, watches: this.#watches };
  }

  addWatch(watch: WatchRecord): void {
    this.#watches.push(watch);
  }

  stateOf(object: ApiObject): State {
    const { name, resourceVersion, labels, uid } = object.metadata;
    return {
      key: this.collection.prefix + name,
      version: Number(resourceVersion),
      value: this.collection.valueOf(object),
      labels: labels ?? {},
      ...(uid !== undefined && { uid }),
    };
  }

  note(
    who: { readonly client: string; readonly replica: string },
    { method, path, body }: Request,
    told: Told,
  ): void {
    const asked: Asked = { id: this.newId(), ...who, collection: this.collection.id, call: told.call };
    const [place = '', query = ''] = path.split('?');
    const name = decodeURIComponent(place.slice(1));
    if (method !== 'GET') this.#writes.push(this.#writeOf(asked, { method, name, body, told }));
    else if (name === '') this.#noteList(asked, new URLSearchParams(query), told);
    else this.#gets.push(this.#getOf(asked, { name, query: new URLSearchParams(query), told }));
  }

  #getOf(
    asked: Asked,
    { name, query, told: { end, answer } }: { name: string; query: URLSearchParams; told: Told },
  ): GetRecord {
    const common = {
      ...asked,
      end,
      key: this.collection.prefix + name,
      freshness: freshnessOf(query, false),
    };
    if (answer?.status === 200) return { ...common, answer: { found: this.stateOf(answer.json()) } };
    if (answer?.status === 404) return { ...common, answer: { found: undefined } };
    return { ...common, answer: { error: readErrorOf(answer) } };
  }

  #noteList(asked: Asked, query: URLSearchParams, { call, end, answer }: Told): void {
    // The client and the token of the chunk before lead to the list that this chunk is of.
    const nameOf = (token: string): string => `${asked.client} ${token}`;
    const token = nameOf(query.get('continue') ?? '');
    const known = this.#lists.get(token);
    const list = known ?? {
      ...asked,
      filter: this.#filterOf(query),
      freshness: freshnessOf(query, true),
      pages: [],
    };
    this.#lists.delete(token);
    if (answer?.status !== 200) {
      this.#lists.set(asked.id, { ...list, error: readErrorOf(answer) });
      return;
    }
    const { metadata, items } = answer.json() as unknown as ApiList;
    const next = metadata.continue ?? '';
    list.pages.push({
      ...{ call, end, version: Number(metadata.resourceVersion) },
      items: items.map((item) => this.stateOf(item)),
      continues: next !== '',
    });
    this.#lists.set(next === '' ? asked.id : nameOf(next), list);
  }

  #filterOf(query: URLSearchParams): ListRecord['filter'] {
    return { prefix: this.collection.prefix, ...labelsOf(query.get('labelSelector') ?? '') };
  }

  #writeOf(
    asked: Asked,
    { method, name, body, told }: { method: string; name: string; body: ApiObject | undefined; told: Told },
  ): WriteRecord {
    const outcome = this.#outcomeOf(method, told.answer);
    const expected = body?.metadata.resourceVersion;
    return {
      ...asked,
      end: outcome.kind === 'unknown' ? undefined : told.end,
      verb: method === 'POST' ? 'create' : method === 'DELETE' ? 'delete' : 'update',
      key: this.collection.prefix + (name === '' ? (body?.metadata.name ?? '') : name),
      value: body === undefined ? '' : this.collection.valueOf(body),
      ...(expected !== undefined && method !== 'POST' && { expected: Number(expected) }),
      outcome,
    };
  }

  #outcomeOf(method: string, answer: Answer | undefined): WriteOutcome {
    if (answer === undefined || answer.status >= 500) return { kind: 'unknown' };
    if (answer.status < 300) {
      // What a deletion tells is not the version of the removal.
      return {
        kind: 'done',
        version: method === 'DELETE' ? undefined : Number(answer.json().metadata.resourceVersion),
      };
    }
    if (answer.status === 404) return { kind: 'refused', reason: 'notFound' };
    if (answer.status === 409) return { kind: 'refused', reason: method === 'POST' ? 'exists' : 'conflict' };
    return { kind: 'refused', reason: answer.status === 429 ? 'later' : 'invalid' };
  }
}

/** Labels of a selector of the form `a=b,c=d`. */
export function labelsOf(selector: string): { readonly labels?: Record<string, string> } {
  if (selector === '') return {};
  return {
    labels: Object.fromEntries(selector.split(',').map((pair) => pair.split('=') as [string, string])),
  };
}

/** The tables "Get" and "List" of the semantics of resource versions. */
function freshnessOf(query: URLSearchParams, isList: boolean): Freshness {
  const version = query.get('resourceVersion') ?? '';
  if (version === '') return { kind: 'mostRecent' };
  if (version === '0') return { kind: 'any' };
  const match = query.get('resourceVersionMatch');
  const isExact = match === 'Exact' || (isList && match === null && query.has('limit'));
  return { kind: isExact ? 'exact' : 'notOlderThan', revision: Number(version) };
}

function readErrorOf(answer: Answer | undefined): ReadError {
  if (answer?.status === 410) return 'expired';
  return answer?.status === 504 ? 'tooLarge' : 'unavailable';
}

/** A client of one replica whose requests are recorded. */
export class RecordingClient {
  readonly #recorder: HistoryRecorder;
  readonly #who: { readonly client: string; readonly replica: string };
  readonly #api: ApiClient;

  /** @param who `replica` names a process in one of its lives */
  constructor(
    recorder: HistoryRecorder,
    who: { readonly client: string; readonly replica: string },
    api: ApiClient,
  ) {
    this.#recorder = recorder;
    this.#who = who;
    this.#api = api;
  }

  /** Sends a request to the collection; `path` is what follows that of the collection. Never throws. */
  async request(method: string, path: string, body?: object): Promise<Told> {
    const call = this.#recorder.now();
    const sent = this.#api.request(method, this.#recorder.collection.path + path, body);
    const answer = await sent.catch(() => undefined);
    const told = { call, end: this.#recorder.now(), answer };
    this.#recorder.note(this.#who, { method, path, body: body as ApiObject | undefined }, told);
    return told;
  }
}
