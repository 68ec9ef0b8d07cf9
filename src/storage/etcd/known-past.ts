/**
 * The past of etcd that this replica follows: the history of one cluster, which only ever grows. A cluster that was
 * restored or replaced has another one, and so has a member whose data directory was put back.
 *
 * Every answer is compared with it. The id of the cluster tells most; the revision tells the rest, because a
 * linearizable answer is never older than what was known when the call was sent.
 */
import type { Revision } from '../types.ts';
import { EtcdError } from './etcd-error.ts';
import type { Int64, ResponseHeader } from './message-types.ts';
import { numberOf } from './etcd-messages.ts';

/** What was known when a call was sent. */
export interface SentAt {
  readonly epoch: number;
  readonly revision: Revision;
}

export class KnownPast {
  readonly #onOther: (why: string) => void;
  #cluster: ClusterId | undefined;
  #revision: Revision = 0;
  #epoch = 0;

  /** @param onOther is told, with the reason, when another past begins */
  constructor(onOther: (why: string) => void) {
    this.#onOther = onOther;
  }

  /** The cluster; undefined before the first answer. */
  get cluster(): ClusterId | undefined {
    return this.#cluster;
  }

  /** Number of pasts before this one. What was read in different epochs does not belong together. */
  get epoch(): number {
    return this.#epoch;
  }

  /** To be taken before a call is sent. */
  sentNow(): SentAt {
    return { epoch: this.#epoch, revision: this.#revision };
  }

  /** The cluster to follow; those before have no meaning any more. */
  follow(cluster: ClusterId): void {
    const before = this.#cluster;
    this.#cluster = cluster;
    if (before !== undefined && !isSame(before, cluster))
      this.begin(`etcd is another cluster: ${textOf(cluster)} instead of ${textOf(before)}`);
  }

  /** etcd has another past from now on. */
  begin(why: string): void {
    this.#epoch += 1;
    this.#revision = 0;
    this.#onOther(why);
  }

  /** The cluster has had this revision, as another one who follows the same past tells. */
  learn(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  isOf({ cluster_id: id }: Pick<ResponseHeader, 'cluster_id'>): boolean {
    return this.#cluster !== undefined && isSame(this.#cluster, id);
  }

  /**
   * Learns from an answer of the cluster.
   * @param isLinearizable its revision is the newest of the cluster, not only of the member
   * @throws EtcdError `otherPast` if the call was sent, or is answered, in another past
   */
  take(header: ResponseHeader, sent: SentAt, isLinearizable: boolean): void {
    const revision = numberOf(header.revision);
    if (sent.epoch !== this.#epoch)
      throw new EtcdError('otherPast', 'etcd has another past than when this call was sent');
    if (isLinearizable && revision < sent.revision) {
      const why = `etcd went back from revision ${sent.revision} to ${revision}`;
      this.begin(why);
      throw new EtcdError('otherPast', why);
    }
    if (revision > this.#revision) this.#revision = revision;
  }
}

/** Id of a cluster. */
export type ClusterId = Int64;

/** Whether two ids are the same; what is lost as a number of 53 bits does not make ids equal by chance. */
export function isSame(one: ClusterId, other: ClusterId): boolean {
  return numberOf(one) === numberOf(other);
}

/** As etcdctl prints it: hexadecimal. */
export function textOf(cluster: ClusterId): string {
  return BigInt.asUintN(64, BigInt(String(cluster))).toString(16);
}
