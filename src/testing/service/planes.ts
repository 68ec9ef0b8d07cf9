/** The control planes of a testing service: the one that it started, and forks of it. */
import { badRequest, StatusError, tooManyRequests } from '../../meta/status.ts';
import type { ControlPlane, ForkOptions, Snapshot } from '../control-plane.ts';

/** The most that are kept at once, for a test that forgets them. */
const mostForks = 64;
const mostSnapshots = 1_024;
const laterSeconds = 1;

/** A control plane with the snapshots that were taken of it, by number. */
export interface ServedPlane {
  /** '' for the first one. */
  readonly id: string;
  readonly plane: ControlPlane;
  readonly snapshots: Map<number, Snapshot>;
}

export class Planes {
  readonly first: ServedPlane;
  readonly #forks = new Map<string, ServedPlane>();
  #last = 0;

  constructor(first: ControlPlane) {
    this.first = { id: '', plane: first, snapshots: new Map() };
  }

  /** @throws StatusError 404 */
  fork(id: string): ServedPlane {
    const found = this.#forks.get(id);
    if (found === undefined)
      throw new StatusError(404, 'NotFound', `there is no fork ${id}: POST /fork gives the address of one`);
    return found;
  }

  /** @throws StatusError 429 */
  async addFork(of: ServedPlane, snapshot: Snapshot | undefined, ports: ForkOptions): Promise<ServedPlane> {
    if (this.#forks.size >= mostForks) throw tooMany('forks', mostForks);
    const plane = await of.plane.fork(snapshot, ports);
    this.#last += 1;
    const fork = { id: String(this.#last), plane, snapshots: new Map<number, Snapshot>() };
    this.#forks.set(fork.id, fork);
    return fork;
  }

  /** @throws StatusError 404 */
  async removeFork(id: string): Promise<void> {
    const { plane } = this.fork(id);
    this.#forks.delete(id);
    await plane.stop();
  }

  async stop(): Promise<void> {
    const forks = [...this.#forks.values()];
    this.#forks.clear();
    await Promise.all([this.first, ...forks].map(({ plane }) => plane.stop()));
  }
}

/** Keeps a snapshot. @returns its number @throws StatusError 429 */
export async function keepSnapshot({ plane, snapshots }: ServedPlane): Promise<number> {
  if (snapshots.size >= mostSnapshots) throw tooMany('snapshots', mostSnapshots);
  const snapshot = await plane.snapshot();
  snapshots.set(snapshot.id, snapshot);
  return snapshot.id;
}

/** @throws StatusError 400 */
export function snapshotOf({ snapshots }: ServedPlane, id: unknown): Snapshot {
  const found = typeof id === 'number' ? snapshots.get(id) : undefined;
  if (found === undefined) throw badRequest('snapshot: give the number that POST snapshot has answered');
  return found;
}

function tooMany(what: string, most: number): Error {
  return tooManyRequests(`there are ${String(most)} ${what}: remove some of them`, laterSeconds);
}
