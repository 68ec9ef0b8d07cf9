/** An etcd member and its connections, opened on demand and replaced when they are considered dead. */
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import { Backoff } from '../../base/backoff.ts';
import type { Environment } from '../../base/environment.ts';
import { withDeadline } from '../../base/pause.ts';
import type { EtcdTls, StorageOptions } from '../options.ts';
import { EtcdError, toEtcdError } from './etcd-error.ts';
import type { ConnectLine, EtcdLine } from './etcd-line.ts';
import { GrpcLine, type LineOptions } from './grpc-line.ts';
import { authenticateMethod } from './etcd-messages.ts';

const defaultPort = '2379';
const authenticateMs = 5_000;

/**
 * etcd closes connections with more frequent pings. Without streams there are no pings: calls detect a dead
 * connection by their deadline.
 */
const signOfLife = { everyMs: 10_000, timeoutMs: 5_000 };

export interface EndpointDependencies extends Environment {
  readonly options: StorageOptions;
  readonly attemptMs: number;
}

/**
 * The connections of a member. Watches and pages of large ranges have separate TCP connections, so that neither a
 * large history replay nor the initial load delays a probe.
 */
export class Endpoint {
  readonly #address: Address;
  readonly calls: LineSlot;
  readonly watches: LineSlot;
  readonly pages: LineSlot;

  /** `attemptMs` is the connect timeout. */
  constructor(url: string, { options, clock, random, attemptMs }: EndpointDependencies) {
    const { tls, transport, addressFile } = options;
    this.#address = new Address(url, addressFile);
    const all = { address: this.#address, options, clock, random, attemptMs };
    this.calls = new LineSlot({ ...all, line: { clock, tls, transport } });
    this.pages = new LineSlot({ ...all, line: { clock, tls, transport } });
    this.watches = new LineSlot({ ...all, line: { clock, tls, transport, keepAlive: signOfLife } });
  }

  /** Where it was last looked for. */
  get url(): string {
    return this.#address.url;
  }

  /** Other credentials for connections to come. */
  useTls(tls: EtcdTls | undefined): void {
    for (const slot of [this.calls, this.watches, this.pages]) slot.useTls(tls);
  }

  close(): void {
    this.calls.close();
    this.watches.close();
    this.pages.close();
  }
}

/** Where a member is. */
class Address {
  readonly #file: string | undefined;
  url: string;

  /** @param file has the URL in its place, if there is one */
  constructor(url: string, file: string | undefined) {
    this.url = url;
    this.#file = file;
  }

  /** With the port. A file that cannot be read changes nothing. */
  async current(): Promise<string> {
    if (this.#file !== undefined) {
      const text = await readFile(this.#file, 'utf8').catch(() => '');
      if (text !== '') this.url = text.trim();
    }
    return withPort(this.url);
  }
}

interface SlotDependencies extends EndpointDependencies {
  readonly address: Address;
  readonly line: LineOptions;
}

/** A connection that is opened on demand. */
export class LineSlot {
  readonly #deps: SlotDependencies;
  /** After a failure the member is skipped for a while, so that calls do not all wait for it. */
  readonly #backoff: Backoff;
  #leftAloneUntil = 0;
  #whyLeftAlone: unknown;
  #line: EtcdLine | undefined;
  #connecting: Promise<EtcdLine> | undefined;
  #isClosed = false;
  #tls: EtcdTls | undefined;

  constructor(deps: SlotDependencies) {
    this.#deps = deps;
    this.#backoff = new Backoff({ firstMs: 100, maxMs: 1_000 }, deps.random);
    this.#tls = deps.line.tls;
  }

  /** For connections to come, of which the first is tried at once; the one that is up stays. */
  useTls(tls: EtcdTls | undefined): void {
    this.#tls = tls;
    this.#backoff.reset();
    this.#leftAloneUntil = 0;
  }

  /** The connection if it is up; a later failure of a call may then have been executed. */
  line(): EtcdLine | undefined {
    return this.#line?.isUp === true ? this.#line : undefined;
  }

  /**
   * Opens the connection; concurrent callers share the attempt.
   * @throws EtcdError `notSent`
   */
  async bringUp(timeoutMs: number): Promise<EtcdLine> {
    const { address, options, clock } = this.#deps;
    if (this.#isClosed) throw new EtcdError('notSent', 'the client of etcd is closed');
    if (clock.monotonic() < this.#leftAloneUntil) throw toEtcdError(this.#whyLeftAlone, 'connect');
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    // etcd hashes passwords with bcrypt, which is slow.
    const patience = options.username === undefined ? timeoutMs : Math.max(timeoutMs, authenticateMs);
    return withDeadline(clock, this.#connecting, patience, () => {
      const before = this.#whyLeftAlone;
      const why = before === undefined ? '' : `; the last attempt: ${messageOf(before)}`;
      return new EtcdError('notSent', `etcd at ${address.url} cannot be reached in time${why}`, before);
    });
  }

  /** Drops a connection and its token; calls in progress may finish. Does nothing if it has been replaced. */
  drop(suspect: EtcdLine, graceMs: number): void {
    if (this.#line === suspect) this.#line = undefined;
    suspect.close(graceMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#line?.close(0);
  }

  async #connect(): Promise<EtcdLine> {
    const { address, clock, attemptMs } = this.#deps;
    const options = { ...this.#deps.line, tls: this.#tls };
    const connect: ConnectLine =
      this.#deps.options.connectLine ?? ((url, timeoutMs) => GrpcLine.connect(url, options, timeoutMs));
    try {
      const line = await connect(await address.current(), attemptMs);
      await this.#authenticate(line);
      this.#backoff.reset();
      this.#whyLeftAlone = undefined;
      this.#line = line;
      if (this.#isClosed) line.close(0);
      return line;
    } catch (error) {
      this.#whyLeftAlone = error;
      this.#leftAloneUntil = clock.monotonic() + this.#backoff.nextMs();
      throw error;
    }
  }

  async #authenticate(line: EtcdLine): Promise<void> {
    const { username: name, password = '' } = this.#deps.options;
    if (name === undefined) return;
    try {
      line.useToken((await line.call(authenticateMethod, { name, password }, authenticateMs)).token);
    } catch (error) {
      line.close(0);
      throw this.#noCredentials(error);
    }
  }

  #noCredentials(error: unknown): EtcdError {
    const why = error instanceof Error ? error.message : toEtcdError(error, 'authenticate').message;
    return new EtcdError(
      'notSent',
      `etcd at ${this.#deps.address.url} rejected the credentials: ${why}`,
      error,
    );
  }
}

/**
 * The URL with the default port of etcd. The scheme is replaced to read the port, as URL drops the default ports of
 * http and https.
 */
function withPort(url: string): string {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'unix:') return url;
  const { port } = new URL(url.replace(/^https?:/, 'etcd:'));
  return `${protocol}//${hostname}:${port === '' ? defaultPort : port}`;
}
