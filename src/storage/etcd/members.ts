/**
 * The members of `--etcd-servers`: which one is asked next, which are left out (census.ts), and whether an answer belongs
 * to the past that is followed (known-past.ts).
 */
import { randomIndex, type Random } from '../../base/random.ts';
import type { StorageLogger } from '../options.ts';
import { judge, type Sighting } from './census.ts';
import { EtcdError, toEtcdError } from './etcd-error.ts';
import { numberOf, statusMethod } from './etcd-messages.ts';
import type { Endpoint } from './etcd-endpoint.ts';
import { isSame, textOf, type ClusterId, type KnownPast, type SentAt } from './known-past.ts';
import type { ResponseHeader, StatusResponse } from './message-types.ts';

/** How long a member may take to tell its cluster, in milliseconds. */
const censusMs = 1_000;

/**
 * Censuses, of which there is one every 30 s, that the member of the begin must answer in a row before it is gone back
 * to. Each return doubles them up to an hour: a member may answer them while it fails calls.
 */
const wellCensuses = { first: 4, most: 120 };

export interface MembersDependencies {
  readonly endpoints: readonly Endpoint[];
  readonly past: KnownPast;
  readonly logger: StorageLogger;
  readonly attemptMs: number;
  /** Replicas start at random members, and leave them for random others, to spread the load. */
  readonly random: Pick<Random, 'number'>;
}

/** A member, and what is known of it. */
interface Member {
  readonly endpoint: Endpoint;
  cluster: ClusterId | undefined;
  isLearner: boolean;
  wasFollowed: boolean;
  /** A call to it failed, and it has answered nothing since. */
  isSuspect: boolean;
  /** Why it is not used; '' if it is. */
  standing: string;
}

export class Members {
  readonly #deps: MembersDependencies;
  readonly #members: readonly Member[];
  /** The one to begin with. */
  readonly #home: Member | undefined;
  #preferred: Member | undefined;
  /** Censuses in a row since it was suspected in which home was well. */
  #homeWell = 0;
  /** So many of them let it be gone back to. */
  #homeAfter = wellCensuses.first;
  #census: Promise<ReadonlyMap<string, StatusResponse>> | undefined;
  #conflict = '';

  constructor(deps: MembersDependencies) {
    this.#deps = deps;
    this.#members = deps.endpoints.map((endpoint) => ({
      ...{ endpoint, cluster: undefined, isLearner: false, wasFollowed: false },
      ...{ isSuspect: false, standing: '' },
    }));
    this.#home = this.#anyOf(this.#members);
    this.#preferred = this.#home;
  }

  /**
   * The preferred member; undefined if a census must decide first. A write is not sent to a member that has not been seen
   * in the cluster: its answer would not tell whether the write was done. A single member needs no census.
   */
  current(): Endpoint | undefined {
    const member = this.#preferred;
    if (member?.standing !== '') return undefined;
    return member.wasFollowed || this.#members.length === 1 ? member.endpoint : undefined;
  }

  /**
   * The member to ask, after a census.
   * @throws EtcdError `notSent` if there is none, which says why
   */
  async choose(): Promise<Endpoint> {
    await this.look();
    if (this.#deps.past.cluster === undefined && this.#conflict !== '')
      throw new EtcdError('notSent', this.#conflict);
    if (this.#preferred?.standing !== '') this.#preferred = this.#anyOf(this.#used()) ?? this.#preferred;
    const member = this.#preferred;
    if (member?.standing === '') return member.endpoint;
    throw new EtcdError('notSent', this.#conflict || (member?.standing ?? 'etcd: no endpoint given'));
  }

  /**
   * Switches to another preferred member, any of those that are not suspect: in a fixed order, all replicas would meet at
   * one member as the members restart in turn. When none of those in use helps, the others may have changed.
   */
  suspect(endpoint: Endpoint): void {
    const before = this.#preferred;
    if (before?.endpoint !== endpoint) return;
    before.isSuspect = true;
    if (before === this.#home) this.#homeWell = 0;
    const next = this.#anyOf(this.#used().filter(({ isSuspect }) => !isSuspect));
    this.#preferred = next ?? this.#tryAgain(before);
  }

  /** All members in use were asked in vain: begins with any other one. */
  #tryAgain(last: Member): Member {
    for (const member of this.#members) member.isSuspect = member === last;
    if (this.#members.some(({ standing }) => standing !== '')) void this.look();
    return this.#anyOf(this.#used().filter((member) => member !== last)) ?? last;
  }

  /** A member refused a call because it is a learner. */
  noteLearner(endpoint: Endpoint): void {
    const member = this.#of(endpoint);
    if (member === undefined || member.isLearner) return;
    member.isLearner = true;
    this.#judge(new Set([endpoint.url]));
  }

  /**
   * Compares an answer with the past that is followed.
   * @throws EtcdError `otherPast`
   */
  check(
    endpoint: Endpoint,
    header: ResponseHeader | null | undefined,
    sent: SentAt,
    isNewest: boolean,
  ): void {
    const { past } = this.#deps;
    if (header == null) throw new EtcdError('unknown', `etcd at ${endpoint.url} answered without a header`);
    if (past.cluster === undefined) past.follow(header.cluster_id);
    const member = this.#of(endpoint);
    if (past.isOf(header)) {
      if (member?.wasFollowed === false) this.#join(member, header.cluster_id);
      if (member !== undefined) member.isSuspect = false;
      past.take(header, sent, isNewest);
      return;
    }
    if (member !== undefined) member.cluster = header.cluster_id;
    const [other, own] = [header.cluster_id, past.cluster ?? 0].map(textOf);
    throw new EtcdError('otherPast', `etcd at ${endpoint.url} answered as cluster ${other}, not ${own}`);
  }

  /** Asks all members for their status, and chooses those to use. Resolves with the answers by URL. */
  look(): Promise<ReadonlyMap<string, StatusResponse>> {
    return (this.#census ??= this.#takeCensus().finally(() => (this.#census = undefined)));
  }

  async #takeCensus(): Promise<ReadonlyMap<string, StatusResponse>> {
    const answers = new Map<string, StatusResponse>();
    const refusing = new Set<string>();
    const ask = async (member: Member): Promise<void> => {
      const { url } = member.endpoint;
      try {
        const status = await this.#statusOf(member.endpoint);
        answers.set(url, status);
        if (status.header !== null) member.cluster = status.header.cluster_id;
        member.isLearner = status.isLearner;
        member.isSuspect = false;
      } catch (error) {
        if (!['notSent', 'unknown'].includes(toEtcdError(error, 'status').kind)) refusing.add(url);
      }
    };
    await Promise.all(this.#members.map(ask));
    this.#judge(new Set([...answers.keys(), ...refusing]));
    if (this.#home !== undefined) this.#mayGoTo(this.#home, answers.get(this.#home.endpoint.url));
    return answers;
  }

  /** Goes back to the first member once it has been well for a while: else the last one to restart would have no replica. */
  #mayGoTo(home: Member, status: StatusResponse | undefined): void {
    const isWell = home.standing === '' && status !== undefined && numberOf(status.leader) !== 0;
    this.#homeWell = isWell ? this.#homeWell + 1 : 0;
    if (this.#preferred === home || this.#homeWell < this.#homeAfter) return;
    this.#preferred = home;
    this.#homeAfter = Math.min(2 * this.#homeAfter, wellCensuses.most);
  }

  async #statusOf({ calls }: Endpoint): Promise<StatusResponse> {
    const ms = Math.min(censusMs, this.#deps.attemptMs);
    const line = calls.line() ?? (await calls.bringUp(ms));
    try {
      return await line.call(statusMethod, {}, ms);
    } catch (error) {
      // The next census logs in again: a member that nothing else calls would refuse the token for ever.
      if (toEtcdError(error, 'status').kind === 'badToken') calls.drop(line, ms);
      throw error;
    }
  }

  #judge(up: ReadonlySet<string>): void {
    const { past, logger } = this.#deps;
    const sightings = this.#members.map((member): Sighting => {
      const { url } = member.endpoint;
      const { cluster, isLearner } = member;
      return { url, cluster, isLearner, isUp: up.has(url) };
    });
    const { cluster, standings, conflict } = judge(sightings, past.cluster);
    if (conflict !== '' && conflict !== this.#conflict)
      logger.error({ problem: conflict }, 'correct --etcd-servers: it must name members of one etcd cluster');
    this.#conflict = conflict;
    for (const [i, member] of this.#members.entries()) {
      const standing = standings[i] ?? '';
      if (standing !== member.standing && standing !== '' && standing !== conflict)
        logger.warn({ reason: standing }, 'etcd member is not used');
      member.standing = standing;
    }
    if (cluster !== undefined) this.#follow(cluster);
  }

  #follow(cluster: ClusterId): void {
    for (const member of this.#members) {
      const isOf = member.cluster !== undefined && isSame(member.cluster, cluster);
      member.wasFollowed = isOf || (member.wasFollowed && this.#deps.past.isOf({ cluster_id: cluster }));
    }
    this.#deps.past.follow(cluster);
  }

  #join(member: Member, cluster: ClusterId): void {
    member.wasFollowed = true;
    member.cluster = cluster;
  }

  #of(endpoint: Endpoint): Member | undefined {
    return this.#members.find((member) => member.endpoint === endpoint);
  }

  #used(): Member[] {
    return this.#members.filter(({ standing }) => standing === '');
  }

  #anyOf(members: readonly Member[]): Member | undefined {
    return members[randomIndex(this.#deps.random, members.length)];
  }
}
