/** The states of a control plane as files, and what changed between them. */
import type { HostThread } from '../host-thread.ts';
import type { PlaneId, SnapshotId } from '../host/protocol.ts';
import type { Naming } from '../options.ts';
import { changesOf, type Changes } from './differences.ts';
import type { ReadableOptions } from './readable-state.ts';
import { readState, writeState, type StateSource } from './state-file.ts';

export class States {
  readonly #host: HostThread;
  readonly #plane: PlaneId;
  readonly #naming: Naming;

  constructor(host: HostThread, plane: PlaneId, naming: Naming) {
    this.#host = host;
    this.#plane = plane;
    this.#naming = naming;
  }

  async save(path: string, of: SnapshotId | undefined, options: ReadableOptions): Promise<void> {
    const entries = await this.#host.call('entries', this.#plane, of ?? 'now');
    await writeState(path, entries, { ...(await this.#source()), ...options });
  }

  /** @returns how many keys of etcd changed */
  async load(path: string): Promise<number> {
    const entries = await readState(path, await this.#source());
    return this.#host.call('replace', this.#plane, entries);
  }

  async changes(since: SnapshotId): Promise<Changes> {
    return changesOf(await this.#host.call('differences', this.#plane, since));
  }

  async #source(): Promise<StateSource> {
    const [beginning, collections] = await Promise.all([
      this.#host.call('entries', this.#plane, 'beginning'),
      this.#host.call('collections', this.#plane),
    ]);
    return { naming: this.#naming, beginning, collections };
  }
}
