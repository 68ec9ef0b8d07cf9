/** A second replica with a flag of its own. It stays for the next case that wants the same one, and is stopped before another case. */
import { startReplica, type Replica, type ReplicaOptions } from '../../support/replica.ts';

/** Several processes start beside everything else that the bench has started. */
const readyTimeout = 120_000;

export class ReplicaBeside implements AsyncDisposable {
  readonly #options: Pick<ReplicaOptions, 'etcd' | 'pki'>;
  #current: { readonly flag: string; readonly replica: Replica } | undefined;

  constructor(options: Pick<ReplicaOptions, 'etcd' | 'pki'>) {
    this.#options = options;
  }

  /** Starts the one with this flag unless it runs; stops any other. @param flag undefined for none */
  async prepare(flag: string | undefined): Promise<void> {
    if (this.#current?.flag === flag) return;
    await this[Symbol.asyncDispose]();
    if (flag === undefined) return;
    this.#current = { flag, replica: await startReplica({ ...this.#options, args: [flag], readyTimeout }) };
  }

  /** @throws when the case has not said that it wants one */
  replica(): Replica {
    if (this.#current === undefined) throw new Error('no replica stands beside that of the bench');
    return this.#current.replica;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.#current?.replica.close();
    this.#current = undefined;
    await stopped;
  }
}
