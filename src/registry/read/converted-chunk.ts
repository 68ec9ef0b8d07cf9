/** The entries of a list that are converted: what conversion adds to them has room, or the list waits for it. */
import type { Entry } from '../../storage/types.ts';
import {
  freeGrowth,
  growthOf,
  growthOfChunk,
  listGrowsTooMuch,
  type GrownRoom,
  type GrownShare,
} from '../conversion/grown-room.ts';
import type { StoredConversion } from '../conversion/object-conversion.ts';
import type { RequestScope } from '../types.ts';
import { Filtering } from './filtering.ts';
import type { ListStart } from './resource-version-match.ts';
import type { Selection } from './selection.ts';

export interface Converting {
  readonly conversion: StoredConversion;
  /** Absent: what conversion adds is not bounded. */
  readonly room: GrownRoom | undefined;
}

interface ChunkParts {
  readonly start: Pick<ListStart, 'limit'>;
  readonly selection: Selection;
  readonly asStored: boolean;
  readonly scope: Pick<RequestScope, 'lifetime' | 'signal' | 'user'>;
}

export class ConvertedChunk {
  readonly entries: Entry[] = [];
  readonly #parts: ChunkParts;
  readonly #converting: Converting;
  readonly #limit: number;
  readonly #filtering: Filtering;
  #share: GrownShare | undefined = undefined;
  #hasRoom: boolean;
  #grown = 0;

  constructor(parts: ChunkParts, converting: Converting) {
    this.#parts = parts;
    this.#converting = converting;
    this.#limit = parts.start.limit > 0 ? parts.start.limit : Infinity;
    this.#filtering = new Filtering(parts.scope);
    this.#hasRoom = parts.asStored || converting.room === undefined;
  }

  get isFull(): boolean {
    return this.entries.length >= this.#limit || (this.#limit < Infinity && this.#grown > growthOfChunk);
  }

  /**
   * Converts some of the entries, and takes those that match.
   * @returns how many; `full` if one that matches belongs to the next chunk; `needsRoom` if they grow, and none was
   * taken: what was made of them is let go meanwhile
   * @throws StatusError 413 for a whole list that grows too much
   */
  async take(stored: readonly Entry[]): Promise<number | 'full' | 'needsRoom'> {
    const { selection, asStored, scope } = this.#parts;
    const shown = await this.#converting.conversion.decodeFirst(stored, scope.signal);
    if (!this.#hasRoom && this.#grown + growthOf(shown, stored) > freeGrowth) return 'needsRoom';
    for (const [i, entry] of shown.entries()) {
      await this.#filtering.before(entry);
      const reading = selection.read(entry);
      if (reading) await reading;
      if (!selection.matches(entry)) continue;
      if (this.isFull) return 'full';
      const before = stored[i] ?? entry;
      this.#add(asStored ? before : entry, before);
    }
    return shown.length;
  }

  /** Waits for the room of all that may be taken. @throws StatusError 429 */
  async makeRoom(): Promise<void> {
    const { room } = this.#converting;
    this.#hasRoom = true;
    this.#share = room?.shareOf(this.#parts.scope);
    await this.#share?.take(this.#most);
  }

  /** All is taken: it needs no more room than that. */
  end(): void {
    this.#share?.keep(this.#grown);
  }

  #add(entry: Entry, stored: Entry): void {
    this.entries.push(entry);
    this.#grown += growthOf([entry], [stored]);
    if (this.#share && this.#limit === Infinity && this.#grown > this.#most)
      throw listGrowsTooMuch(this.#most);
  }

  get #most(): number {
    return this.#limit < Infinity ? growthOfChunk : (this.#converting.room?.limits.ofList ?? Infinity);
  }
}
