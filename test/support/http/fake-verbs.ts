/** Verbs over a map in memory, for tests of the HTTP room; every call is noted. */
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { notFound } from '../../../src/meta/status.ts';
import type { RequestScope, ResourceVerbs, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import type { ConnectionTarget } from '../../../src/registry/subresources/connection-target.ts';
import type { Entry } from '../../../src/storage/types.ts';

export interface Call {
  readonly verb: string;
  readonly scope: RequestScope;
  readonly name: string;
  readonly argument: unknown;
}

export interface FakeWatch {
  readonly sink: WatchSink;
  readonly query: WatchQuery;
  closed: boolean;
}

/** Makes an entry of a storage version object. */
export function entryOf(object: JsonObject, key: string, modRevision: number): Entry {
  return { collection: 'core/pods', key, modRevision, bytes: encodeStored(object), memo: undefined };
}

/** A pod whose text has about `padding` bytes more. */
export function podEntry(name: string, modRevision: number, padding = 0): Entry {
  const object = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace: 'x', uid: `uid-${name}`, creationTimestamp: '2024-01-02T03:04:05Z' },
    spec: { text: 'ü'.repeat(padding / 2) },
  };
  return entryOf(object, `x/${name}`, modRevision);
}

export class FakeVerbs implements ResourceVerbs {
  readonly calls: Call[] = [];
  readonly watches: FakeWatch[] = [];
  entries: Entry[] = [];
  /** When set, the next call throws it. */
  error: Error | undefined = undefined;
  /** Runs before each call; may wait. */
  before: (scope: RequestScope) => Promise<void> = () => Promise.resolve();
  removed = true;
  /** Where connections lead. */
  target: ConnectionTarget = { kind: 'nothing' };
  revision = 1000;

  get: ResourceVerbs['get'] = async (scope, name, options) => {
    await this.note('get', scope, name, options);
    return this.find(scope, name);
  };

  list: ResourceVerbs['list'] = async (scope, options) => {
    await this.note('list', scope, '', options);
    return { revision: this.revision, entries: this.entries, continue: '', remainingItemCount: undefined };
  };

  watch: ResourceVerbs['watch'] = async (scope, query, sink) => {
    await this.note('watch', scope, query.name, query);
    const watch: FakeWatch = { sink, query, closed: false };
    this.watches.push(watch);
    return { close: () => (watch.closed = true) };
  };

  create: ResourceVerbs['create'] = async (scope, name, object) => {
    await this.note('create', scope, name, object);
    return { entry: entryOf(object, 'x/new', scope.dryRun ? 0 : ++this.revision), created: true };
  };

  replace: ResourceVerbs['replace'] = async (scope, name, object) => {
    await this.note('replace', scope, name, object);
    const created = !this.entries.some((e) => e.key.endsWith(`/${name}`));
    return { entry: entryOf(object, `x/${name}`, ++this.revision), created };
  };

  patch: ResourceVerbs['patch'] = async (scope, name, transform) => {
    await this.note('patch', scope, name, transform);
    const current = JSON.parse(this.find(scope, name).bytes.toString()) as JsonObject;
    return { entry: entryOf(transform(current), `x/${name}`, ++this.revision), created: false };
  };

  apply: ResourceVerbs['apply'] = async (scope, name, configuration, options) => {
    await this.note('apply', scope, name, { configuration, options });
    const created = !this.entries.some((e) => e.key.endsWith(`/${name}`));
    return { entry: entryOf(configuration, `x/${name}`, ++this.revision), created };
  };

  delete: ResourceVerbs['delete'] = async (scope, name, options) => {
    await this.note('delete', scope, name, options);
    return { removed: this.removed, entry: this.find(scope, name) };
  };

  deleteCollection: ResourceVerbs['deleteCollection'] = async (scope, list, options, elsewhere) => {
    await this.note('deletecollection', scope, '', { list, options });
    for (const entry of this.entries)
      await elsewhere?.(scope, entry.key.slice(entry.key.indexOf('/') + 1), entry);
    return { revision: this.revision, entries: this.entries, continue: '', remainingItemCount: undefined };
  };

  act: ResourceVerbs['act'] = async (scope, name, verb, body) => {
    await this.note(`act ${verb}`, scope, name, body);
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  };

  connect: ResourceVerbs['connect'] = async (scope, name, verb, options) => {
    await this.note(`connect ${verb}`, scope, name, options);
    return this.target;
  };

  applyScale: ResourceVerbs['applyScale'] = async (scope, name, configuration, options) => {
    await this.note('applyScale', scope, name, { configuration, options });
    return configuration;
  };

  get last(): Call {
    const call = this.calls.at(-1);
    if (!call) throw new Error('no verb was called');
    return call;
  }

  private async note(verb: string, scope: RequestScope, name: string, argument: unknown): Promise<void> {
    this.calls.push({ verb, scope, name, argument });
    await this.before(scope);
    if (this.error === undefined) return;
    const error = this.error;
    this.error = undefined;
    throw error;
  }

  private find(scope: RequestScope, name: string): Entry {
    const entry = this.entries.find((e) => e.key.endsWith(`/${name}`));
    if (!entry) throw notFound(scope.resource.gvr, name);
    return entry;
  }
}
