/** A client that watches, and watches on at any replica when a watch ends. How it asks is that of its level. */
import type {
  Filter,
  Revision,
  State,
  WatchEnding,
  WatchStartRecord,
} from '../../support/histories/types.ts';
import type { OpenWatch } from './recorder.ts';
import { collection, type ClientParts } from './storage-client.ts';
import type { Life } from './world.ts';

/** A watch that its level opens, and to which it passes on what is told. */
export interface OpenedWatch {
  readonly life: Life;
  readonly filter: Filter;
  readonly start: WatchStartRecord;
  /** Aborted when the watch is over. */
  readonly signal: AbortSignal;
  /** The state that it begins with. */
  readonly onInitial: (version: Revision, items: readonly State[]) => void;
  readonly onEvent: (type: 'ADDED' | 'MODIFIED' | 'DELETED', state: State) => void;
  readonly onBookmark: (version: Revision) => void;
  readonly onEnd: (reason: WatchEnding) => void;
  /** Resolves when the client takes more. */
  readonly ready: () => Promise<void>;
}

export class Watcher {
  readonly #parts: ClientParts;
  readonly #filter: Filter;
  readonly #ask: (watch: OpenedWatch) => void;
  /** The watch to resume, with all that it told. */
  #last: OpenWatch | undefined;
  #position: Revision | undefined;

  /** @param ask opens a watch */
  constructor(parts: ClientParts, filter: Filter, ask: (watch: OpenedWatch) => void) {
    this.#parts = parts;
    this.#filter = filter;
    this.#ask = ask;
  }

  /** The last version that it was told. */
  get position(): Revision {
    return this.#position ?? 0;
  }

  /** Watches until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, random } = this.#parts;
    while (!signal.aborted) {
      await world.wait(random.between(0.1, 200), 'watch again');
      const alive = world.replicas.filter(({ isAlive }) => isAlive);
      if (alive.length > 0 && !isOver(signal)) await this.#watch(random.pick(alive).life, signal);
    }
  }

  async #watch(life: Life, signal: AbortSignal): Promise<void> {
    const { world, random, recorder } = this.#parts;
    const record = this.#open(life);
    const closing = new AbortController();
    const ended = Promise.withResolvers<WatchEnding>();
    const close = (): void => ended.resolve('closed');
    this.#ask({
      ...{ life, filter: this.#filter, start: record.start, signal: closing.signal },
      ...this.#notes(life, record),
      onEnd: ended.resolve,
      ready: () =>
        random.chance(0.8) ? Promise.resolve() : world.wait(random.between(1, 3_000), 'slow watcher'),
    });
    signal.addEventListener('abort', close);
    void life.died.then(() => ended.resolve('broken'));
    if (random.chance(0.4)) world.scheduler.schedule(random.between(1, 8_000), close, 'close watch');
    const reason = await ended.promise;
    signal.removeEventListener('abort', close);
    record.ending = { at: recorder.point(), reason };
    closing.abort();
    if (reason === 'expired') this.#position = undefined;
    this.#last = reason === 'expired' ? undefined : record;
  }

  #open({ process }: Life): OpenWatch {
    const { recorder, name, random } = this.#parts;
    const how = this.#position === undefined ? 'state' : random.weighted({ resumed: 6, older: 2, state: 1 });
    const start = this.#startOf(how);
    this.#position = start.kind === 'after' ? start.version : undefined;
    const record: OpenWatch = {
      ...{ id: recorder.id('watch'), client: name, replica: process.name, collection },
      ...{ call: recorder.point(), filter: this.#filter, start, bookmarks: true, events: [] },
      ...(how === 'resumed' && this.#last && { continues: this.#last.id }),
      ending: { at: Infinity, reason: 'closed' },
    };
    recorder.watches.push(record);
    return record;
  }

  #startOf(how: 'resumed' | 'older' | 'state'): WatchStartRecord {
    const { random } = this.#parts;
    if (how === 'state')
      return { kind: 'state', freshness: { kind: random.chance(0.3) ? 'any' : 'mostRecent' } };
    const version = how === 'older' ? this.#olderVersion() : undefined;
    return { kind: 'after', version: version ?? this.#position ?? 0 };
  }

  /** Often the one before the first that is not compacted: what comes next, etcd 3.4 may have forgotten. */
  #olderVersion(): Revision | undefined {
    const { random, world } = this.#parts;
    const told = this.#last?.events.map(({ version }) => version) ?? [];
    const edge = world.etcd.compactRevision - 1;
    if (told.length === 0) return undefined;
    return told.includes(edge) && random.chance(0.7) ? edge : random.pick(told);
  }

  /** What a dead process says reaches nobody, and nothing is taken after the end. */
  #notes({ process }: Life, record: OpenWatch): Pick<OpenedWatch, 'onInitial' | 'onEvent' | 'onBookmark'> {
    const { recorder } = this.#parts;
    const note = (version: Revision, write: () => void): void => {
      if (process.state === 'dead' || record.ending.at !== Infinity) return;
      write();
      this.#position = version;
    };
    return {
      onInitial: (version, items) =>
        note(version, () => (record.initial = { at: recorder.point(), version, items })),
      onEvent: (type, state) =>
        note(state.version, () => record.events.push({ at: recorder.point(), type, ...state })),
      onBookmark: (version) =>
        note(version, () => record.events.push({ at: recorder.point(), type: 'BOOKMARK', version })),
    };
  }
}

/** Asked again after an await. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
