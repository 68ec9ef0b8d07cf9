/**
 * The network between the replicas and the members of etcd: connections that are slow, cut, or silently dead, requests
 * that come late, and answers that are lost after the request took effect. What TCP and gRPC guarantee holds here, too:
 * messages of one stream keep their order and are neither doubled nor left out, and a connection that lost something is
 * lost as a whole.
 */
import { EtcdError } from '../../../src/storage/etcd/etcd-error.ts';
import type {
  AnswerListener,
  AnswerStream,
  ConnectLine,
  EtcdLine,
} from '../../../src/storage/etcd/etcd-line.ts';
import type { StreamMethod, UnaryMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { GrpcError, grpcCode } from '../../../src/storage/etcd/grpc-status.ts';
import { asError } from '../../../src/base/errors.ts';
import { Inbox } from './inbox.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** A member of etcd as the network sees it. */
export interface NetworkMember {
  readonly url: string;
  readonly process: Owner;
  /** Connects to the program behind it. */
  readonly connect: ConnectLine;
  /** Without a quorum it answers nothing; what was proposed may be committed when it is back. */
  hasQuorum: boolean;
  /** What was proposed without a quorum. */
  readonly proposed: (() => void)[];
  /** How far its state lags behind in milliseconds: its watches are late by that. */
  lagMs: number;
}

/** One end of connections. */
export interface NetworkClient {
  readonly process: Owner;
  readonly clock: SimulatedClock;
}

/** How long messages take in milliseconds; most are fast, some are not. */
export interface Latency {
  readonly usualMs: number;
  readonly slowMs: number;
  readonly slowChance: number;
}

export const usualLatency: Latency = { usualMs: 0.5, slowMs: 20, slowChance: 0.02 };
export const slowLatency: Latency = { usualMs: 50, slowMs: 2_500, slowChance: 0.2 };

/** Silence of a connection with streams until keepalive ends it, as the service's own connections do. */
const keepAliveMs = 15_000;

export class Network {
  readonly scheduler: Scheduler;
  readonly random: SeededRandom;
  readonly #members = new Map<string, NetworkMember>();
  readonly #lines = new Set<SimulatedLine>();
  /** Pairs of client and member that cannot reach each other. */
  readonly #partitions = new Set<string>();
  latency = usualLatency;
  /** For each stream: what changes the answers that a member sends, as an etcd with defects does; undefined: none does. */
  defect: (() => (answer: object) => object[]) | undefined;
  /** The part of the answers that are lost together with their connection. */
  answerLoss = 0;

  constructor(scheduler: Scheduler, random: SeededRandom) {
    this.scheduler = scheduler;
    this.random = random;
  }

  add(member: NetworkMember): void {
    this.#members.set(member.url, member);
  }

  get members(): readonly NetworkMember[] {
    return [...this.#members.values()];
  }

  /** Nothing passes between the two until `heal`; connections stay open. */
  partition(client: Owner, member: NetworkMember): void {
    this.#partitions.add(pair(client, member));
    for (const line of this.#linesOf(client, member)) line.startSilence();
  }

  heal(client: Owner, member: NetworkMember): void {
    if (!this.#partitions.delete(pair(client, member))) return;
    for (const line of this.#linesOf(client, member)) line.endSilence();
  }

  healAll(): void {
    const cut = [...this.#partitions];
    this.#partitions.clear();
    for (const line of this.#lines)
      if (cut.includes(pair(line.client.process, line.member))) line.endSilence();
  }

  isCut(client: Owner, member: NetworkMember): boolean {
    return this.#partitions.has(pair(client, member));
  }

  /** Resets the connections between the two; undefined: of all. */
  reset(client?: Owner, member?: NetworkMember): void {
    for (const line of this.#linesOf(client, member)) line.reset('connection reset by peer');
  }

  /** The member ends all streams, as when it has no leader. */
  endStreams(member: NetworkMember, why: string): void {
    for (const line of this.#linesOf(undefined, member)) line.endStreams(why);
  }

  delay(): number {
    const { usualMs, slowMs, slowChance } = this.latency;
    const most = this.random.chance(slowChance) ? slowMs : usualMs;
    return this.random.between(0.05, most);
  }

  /** The connections of a replica. */
  connector(client: NetworkClient): ConnectLine {
    return (url, timeoutMs) => {
      const member = this.#members.get(url);
      if (member === undefined)
        return Promise.reject(new EtcdError('notSent', `no member has the address ${url}`));
      return this.#connect(client, member, timeoutMs);
    };
  }

  forget(line: SimulatedLine): void {
    this.#lines.delete(line);
  }

  /** The member has its quorum again, or not; of what was proposed meanwhile, some is committed late. */
  setQuorum(member: NetworkMember, hasQuorum: boolean): void {
    member.hasQuorum = hasQuorum;
    if (!hasQuorum) {
      this.endStreams(member, 'etcdserver: no leader');
      return;
    }
    for (const commit of member.proposed.splice(0)) if (this.random.chance(0.5)) commit();
  }

  async #connect(client: NetworkClient, member: NetworkMember, timeoutMs: number): Promise<EtcdLine> {
    const isReachable = !this.isCut(client.process, member) && member.process.state === 'alive';
    const isRefused = member.process.state === 'dead';
    await this.wait(client, isReachable || isRefused ? this.delay() * 2 : timeoutMs);
    if (!isReachable || member.process.state === 'dead') {
      throw new EtcdError('notSent', `${member.url}: ${isRefused ? 'connection refused' : 'timed out'}`);
    }
    const line = new SimulatedLine(this, client, member, await member.connect(member.url, timeoutMs));
    this.#lines.add(line);
    return line;
  }

  wait({ process }: NetworkClient, ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.scheduler.schedule(ms, resolve, `connect ${process.name}`, process);
    });
  }

  *#linesOf(client: Owner | undefined, member: NetworkMember | undefined): Iterable<SimulatedLine> {
    for (const line of [...this.#lines]) {
      const isMeant =
        (client === undefined || line.client.process === client) &&
        (member === undefined || line.member === member);
      if (isMeant) yield line;
    }
  }
}

function pair(client: Owner, member: NetworkMember): string {
  return `${client.name} ${member.url}`;
}

/** What waits for an answer, or for the answers of a stream. */
interface Open {
  /** Ends it at the client. */
  fail(error: Error): void;
  readonly isStream: boolean;
}

/** A connection. */
export class SimulatedLine implements EtcdLine {
  readonly client: NetworkClient;
  readonly member: NetworkMember;
  readonly #network: Network;
  readonly #behind: EtcdLine;
  readonly #open = new Set<Open>();
  /** What was sent into the silence of a partition. */
  #inSilence: (() => void)[] | undefined;
  #keepAlive: ReturnType<SimulatedClock['setTimeout']> | undefined;
  isUp = true;

  constructor(network: Network, client: NetworkClient, member: NetworkMember, behind: EtcdLine) {
    this.#network = network;
    this.client = client;
    this.member = member;
    this.#behind = behind;
  }

  useToken(token: string): void {
    this.#behind.useToken(token);
  }

  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    timeoutMs: number,
    maxBytes?: number,
  ): Promise<Response> {
    if (!this.isUp) return Promise.reject(new EtcdError('notSent', 'the connection is closed'));
    return new Promise((resolve, reject) => {
      const settle = this.#opened(false, reject);
      const timer = this.client.clock.setTimeout(() => {
        settle.fail(new GrpcError(grpcCode.deadlineExceeded, 'Deadline exceeded'));
      }, timeoutMs);
      const finish = (then: () => void): void => {
        if (!this.#open.delete(settle)) return;
        this.client.clock.clear(timer);
        then();
      };
      settle.fail = (error) => finish(() => reject(error));
      const answered = (then: () => void): void => {
        if (this.#network.random.chance(this.#network.answerLoss)) this.reset('connection reset by peer');
        else this.#toClient(() => finish(then), `answer ${method.path}`);
      };
      const execute = (): void => {
        this.#behind.call(method, request, timeoutMs, maxBytes).then(
          (answer) => answered(() => resolve(answer)),
          (error: unknown) => answered(() => reject(asError(error))),
        );
      };
      this.#toMember(() => {
        if (this.member.hasQuorum) execute();
        else this.member.proposed.push(execute);
      }, `call ${method.path}`);
    });
  }

  stream<Request, Response>(
    method: StreamMethod<Request, Response>,
    request: Request,
    listener: AnswerListener<Response>,
  ): AnswerStream {
    const inbox = new Inbox<Response>(listener);
    const entry = this.#opened(true, (error) => inbox.end(error));
    let behind: AnswerStream | undefined;
    const onTheWay: (() => void)[] = [];
    const meddle = this.#network.defect?.() as ((answer: Response) => Response[]) | undefined;
    const inOrder = (run: () => void): void => {
      onTheWay.push(run);
      this.#toClient(() => onTheWay.shift()?.(), 'event', this.#network.delay() + this.member.lagMs);
    };
    const over = (error: Error | undefined): void => {
      if (this.#open.delete(entry)) inbox.end(error);
    };
    entry.fail = (error) => {
      behind?.cancel();
      over(error);
    };
    this.#toMember(() => {
      if (!this.#open.has(entry) || !this.member.hasQuorum) return;
      behind = this.#behind.stream(method, request, {
        onAnswer: (answer) => {
          for (const sent of meddle?.(answer) ?? [answer])
            inOrder(() => {
              if (this.#open.has(entry)) inbox.add(sent);
            });
        },
        onEnd: (error) => inOrder(() => over(error)),
      });
    }, `stream ${method.path}`);
    return {
      cancel: () => {
        behind?.cancel();
        this.#open.delete(entry);
        inbox.close();
      },
      pause: () => {
        behind?.pause();
        inbox.pause();
      },
      resume: () => {
        behind?.resume();
        inbox.resume();
      },
    };
  }

  close(graceMs: number): void {
    this.isUp = false;
    const end = (): void => this.#lose('closed');
    if (graceMs === 0) end();
    else this.client.clock.setTimeout(end, graceMs);
  }

  /** The connection breaks; the client learns it a little later, and whatever is under way is lost. */
  reset(why: string): void {
    const { scheduler } = this.#network;
    this.#inSilence ??= [];
    scheduler.schedule(
      this.#network.delay(),
      () => {
        this.#lose(why);
        this.#network.forget(this);
      },
      'reset',
      this.client.process,
    );
  }

  endStreams(why: string): void {
    for (const entry of [...this.#open]) {
      if (!entry.isStream) continue;
      this.#toClient(() => entry.fail(new GrpcError(grpcCode.unavailable, why)), 'stream ended');
    }
  }

  startSilence(): void {
    this.#inSilence ??= [];
    const isWatched = [...this.#open].some(({ isStream }) => isStream);
    if (isWatched) this.#keepAlive = this.client.clock.setTimeout(() => this.#lose('keepalive'), keepAliveMs);
  }

  /** TCP sends again what was lost: requests come late, perhaps after their client has given up. */
  endSilence(): void {
    const held = this.#inSilence ?? [];
    this.#inSilence = undefined;
    this.client.clock.clear(this.#keepAlive);
    for (const send of held) send();
    if (!this.isUp) this.#network.forget(this);
  }

  #lose(why: string): void {
    this.isUp = false;
    if (this.#inSilence === undefined) this.#network.forget(this);
    for (const entry of [...this.#open])
      entry.fail(new GrpcError(grpcCode.unavailable, `connection lost: ${why}`));
  }

  #opened(isStream: boolean, fail: (error: Error) => void): Open & { fail: (error: Error) => void } {
    const entry = { isStream, fail };
    this.#open.add(entry);
    return entry;
  }

  /** A frozen client sends when it thaws, a dead one never. */
  #toMember(run: () => void, what: string): void {
    const { scheduler } = this.#network;
    const deliver = (): void => {
      scheduler.schedule(this.#network.delay(), run, what, this.member.process);
    };
    scheduler.schedule(0, () => this.#orLater(deliver), 'send', this.client.process);
  }

  #toClient(run: () => void, what: string, delayMs = this.#network.delay()): void {
    this.#orLater(() => {
      this.#network.scheduler.schedule(delayMs, () => this.#orLater(run), what, this.client.process);
    });
  }

  #orLater(send: () => void): void {
    if (this.#inSilence === undefined) send();
    else this.#inSilence.push(send);
  }
}
