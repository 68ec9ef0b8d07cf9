/** Follows flow schemas and priority levels in the replica's view. */
import type { Environment } from '../base/environment.ts';
import { steadyOf } from '../base/clock.ts';
import { Slice } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { Paced } from '../base/paced.ts';
import { followCollection } from '../storage/follow-collection.ts';
import type { CollectionSnapshot, Entry, Storage } from '../storage/types.ts';
import type { FlowSources } from './flow-configuration.ts';
import { flowSchemasPlural, levelOf, levelsPlural, schemaOf } from './flow-objects.ts';

export interface FlowControlInformerOptions extends Environment {
  readonly storage: Pick<Storage, 'watch' | 'view'>;
  /** The API group of both. */
  readonly group: string;
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
  private readonly schemas = new WeakMap<Entry, ReturnType<typeof schemaOf>>();
  private readonly levels = new WeakMap<Entry, ReturnType<typeof levelOf>>();
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
    const schemas = await readAll(this.entries(flowSchemasPlural), this.schemas, schemaOf);
    const levels = await readAll(this.entries(levelsPlural), this.levels, levelOf);
    if (!this.stopping.signal.aborted) await this.options.onChange({ schemas, levels });
  }
}

/** Reads what was not read before, in slices. */
async function readAll<T>(
  entries: readonly Entry[],
  memo: WeakMap<Entry, T>,
  read: (entry: Entry) => T,
): Promise<T[]> {
  const slice = new Slice();
  const all: T[] = [];
  for (const entry of entries) {
    all.push(remembered(memo, entry, read));
    if (slice.shouldYield()) await slice.yieldNow();
  }
  return all;
}

function remembered<T>(memo: WeakMap<Entry, T>, entry: Entry, read: (entry: Entry) => T): T {
  const known = memo.get(entry) ?? read(entry);
  memo.set(entry, known);
  return known;
}
