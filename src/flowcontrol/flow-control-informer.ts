/** Follows flow schemas and priority levels in the replica's view. */
import type { Environment } from '../base/environment.ts';
import { steadyOf } from '../base/clock.ts';
import { Slice } from '../base/cooperate.ts';
import type { JsonObject } from '../base/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { Paced } from '../base/paced.ts';
import { resultOf } from '../base/sliced-work.ts';
import { decodeStoredInSteps } from '../codec/stored.ts';
import { followCollection } from '../storage/follow-collection.ts';
import type { CollectionSnapshot, Entry, Storage } from '../storage/types.ts';
import type { FlowSources } from './flow-configuration.ts';
import {
  flowSchemasPlural,
  levelOf,
  levelsPlural,
  schemaOf,
  type LevelSource,
  type SchemaSource,
} from './flow-objects.ts';

export interface FlowControlInformerOptions extends Environment {
  readonly storage: Pick<Storage, 'watch' | 'view'>;
  /** The API group of both. */
  readonly group: string;
  /** What of a stored object has not the shape of its kind, found in steps: another program may have written it. */
  readonly problemsOf: (plural: string, object: JsonObject) => Generator<void, readonly string[], void>;
  /** Called once for each state of an object that has such problems; it counts as missing. */
  readonly onDamaged: (plural: string, name: string, problems: readonly string[]) => void;
  /**
   * Called with what is stored, soon after each change. Simultaneous changes are reported once, and so are those until it is
   * done and within a time in proportion to what a report takes: the condition of each schema is a change, too.
   */
  readonly onChange: (sources: FlowSources) => MaybePromise<void>;
}

export class FlowControlInformer {
  /** Resolves when the stored objects were reported for the first time. */
  readonly loaded: Promise<void>;
  private readonly options: FlowControlInformerOptions;
  private readonly stopping = new AbortController();
  private readonly schemas: Memo<SchemaSource> = new WeakMap();
  private readonly levels: Memo<LevelSource> = new WeakMap();
  private readonly changes: Paced;
  private reported = Promise.resolve();

  /** Starts the informer; the caller closes it. */
  constructor(options: FlowControlInformerOptions) {
    this.options = options;
    this.changes = new Paced(() => this.notify(), steadyOf(options.clock));
    const whenLoaded = [flowSchemasPlural, levelsPlural].map((plural) => this.follow(plural));
    this.loaded = Promise.all(whenLoaded).then(() => this.notify());
  }

  /** Ends the watches. */
  close(): void {
    this.stopping.abort();
    this.changes.close();
  }

  /** Entries of one of the two kinds in this replica's view. */
  entries(plural: string): Entry[] {
    return [...this.view(plural).entries('', '')];
  }

  /** One of them. */
  entry(plural: string, name: string): Entry | undefined {
    return this.view(plural).get(name);
  }

  private view(plural: string): CollectionSnapshot {
    return this.options.storage.view(`${this.options.group}/${plural}`);
  }

  /** Follows one of the two kinds; resolves when the first state is there. */
  private follow(plural: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { group } = this.options;
    const onState = (): void => {
      resolve(undefined);
      this.changes.note();
    };
    const listener = { onState, onEvents: () => this.changes.note() };
    followCollection(this.options, `${group}/${plural}`, listener, this.stopping.signal);
    return promise;
  }

  /** One report after another, so that the newest is the last. */
  private notify(): Promise<void> {
    this.reported = this.reported.then(() => this.report());
    return this.reported;
  }

  private async report(): Promise<void> {
    const schemas = await this.readAll(flowSchemasPlural, this.schemas, schemaOf);
    const levels = await this.readAll(levelsPlural, this.levels, levelOf);
    if (!this.stopping.signal.aborted) await this.options.onChange({ schemas, levels });
  }

  /** Reads what was not read before, in slices. */
  private async readAll<T>(plural: string, memo: Memo<T>, read: Read<T>): Promise<T[]> {
    const slice = new Slice();
    const breathe = (): MaybePromise<void> => slice.breathe();
    const all: T[] = [];
    for (const entry of this.entries(plural)) {
      const source = memo.get(entry) ?? (await resultOf(this.source(plural, entry, { memo, read }), breathe));
      if (source !== damaged) all.push(source);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    return all;
  }

  /** In steps, as a schema may have tens of thousands of subjects. */
  private *source<T>(
    plural: string,
    entry: Entry,
    { memo, read }: { readonly memo: Memo<T>; readonly read: Read<T> },
  ): Generator<void, T | typeof damaged, void> {
    const object = yield* decodeStoredInSteps(entry.bytes);
    const problems = yield* this.options.problemsOf(plural, object);
    if (problems.length > 0) this.options.onDamaged(plural, entry.key, problems);
    const source = problems.length > 0 ? damaged : read(entry.key, object);
    memo.set(entry, source);
    return source;
  }
}

const damaged = Symbol('damaged');

type Memo<T> = WeakMap<Entry, T | typeof damaged>;

type Read<T> = (name: string, object: JsonObject) => T;
