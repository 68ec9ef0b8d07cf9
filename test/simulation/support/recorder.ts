/** Writes down what the clients of a world ask and are told. */
import type {
  GetRecord,
  History,
  ListRecord,
  Point,
  WatchRecord,
  WriteRecord,
} from '../../support/histories/types.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A watch that is not over yet. */
export type OpenWatch = Writable<Omit<WatchRecord, 'events'>> & {
  readonly events: WatchRecord['events'][number][];
};

export class Recorder implements History {
  readonly gets: GetRecord[] = [];
  readonly lists: ListRecord[] = [];
  readonly writes: WriteRecord[] = [];
  readonly watches: OpenWatch[] = [];
  #point = 0;
  #ids = 0;

  /** The next point of the logical clock. */
  point(): Point {
    this.#point += 1;
    return this.#point;
  }

  id(what: string): string {
    this.#ids += 1;
    return `${what}-${String(this.#ids)}`;
  }

  get operations(): number {
    return this.gets.length + this.lists.length + this.writes.length;
  }
}
