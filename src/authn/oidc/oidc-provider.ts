/**
 * An OpenID provider as its tokens are checked: where its keys are (discovery) and what they are, fetched in advance
 * and cached.
 *
 * start ─▶ discovery ─▶ keys ──every ten minutes──▶ keys
 * ▲          ▲
 * tried again    └── no key has signed a token: once in ten seconds at most
 *
 * No request of a client ever makes a request to the provider of its own.
 */
import { Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors.ts';
import { pause } from '../../base/pause.ts';
import { quoted } from '../../base/short-text.ts';
import { timeLimit } from '../../base/time-limit.ts';
import { httpsJson } from './https-json.ts';
import { areSameKeys, readKeySet, type ProviderKey } from './key-set.ts';

export interface ProviderOptions extends Environment {
  readonly issuer: string;
  /** Where the discovery document is; absent or '': at the usual place below the issuer. */
  readonly discoveryUrl?: string;
  /** Authorities of the provider's certificate, PEM. */
  readonly ca: readonly string[];
  readonly warn: (details: object, message: string) => void;
}

const refreshMs = 10 * 60_000;
const betweenFetchesMs = 10_000;
const fetchMs = 10_000;
const afterFailure = { firstMs: 1_000, maxMs: 30_000 };

/** Keys as they were fetched together. */
export interface KeySet {
  readonly keys: readonly ProviderKey[];
}

export class OidcProvider {
  private readonly options: ProviderOptions;
  private readonly clock: Clock;
  private ca: readonly string[];
  private readonly closing = new AbortController();
  private keysAt: URL | undefined;
  private current: KeySet | undefined;
  private fetching: Promise<void> | undefined;
  private fetchedAt = -Infinity;

  constructor(options: ProviderOptions) {
    this.options = options;
    this.clock = options.clock;
    this.ca = options.ca;
  }

  /** Trusts these authorities from the next fetch on. */
  trust(ca: readonly string[]): void {
    this.ca = ca;
  }

  /** The keys as last fetched; another object when they have changed, undefined before the first. */
  keySet(): KeySet | undefined {
    return this.current;
  }

  /** Fetches from now on until `close`. Resolves then. */
  async run(): Promise<void> {
    const backoff = new Backoff(afterFailure, this.options.random);
    while (!this.isClosed()) {
      const problem = await this.fetch();
      if (problem === '') backoff.reset();
      else if (!this.isClosed())
        this.options.warn({ issuer: this.options.issuer, problem }, 'the OpenID provider cannot be read');
      await pause(this.clock, problem === '' ? refreshMs : backoff.nextMs(), this.closing.signal);
    }
  }

  private isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  close(): void {
    this.closing.abort();
  }

  /** Fetches the keys again, unless they were fetched moments ago. Never rejects. */
  async refresh(): Promise<void> {
    if (this.fetching) return this.fetching;
    if (this.clock.monotonic() - this.fetchedAt >= betweenFetchesMs) await this.fetch();
  }

  /** @returns what went wrong, '' for nothing */
  private async fetch(): Promise<string> {
    let problem = '';
    this.fetching ??= this.load().finally(() => {
      this.fetchedAt = this.clock.monotonic();
      this.fetching = undefined;
    });
    await this.fetching.catch((error: unknown) => {
      problem = messageOf(error);
    });
    return problem;
  }

  private async load(): Promise<void> {
    const { ca } = this;
    using limit = timeLimit(this.clock, fetchMs, this.closing.signal);
    const { signal } = limit;
    this.keysAt ??= await this.discover(signal);
    try {
      this.take(readKeySet(await httpsJson(this.keysAt, ca, signal)));
    } catch (error) {
      // They may have moved. What was good until now stays.
      this.keysAt = undefined;
      throw error;
    }
  }

  /** The same keys stay the same object, so that what was checked with them need not be checked again. */
  private take(keys: readonly ProviderKey[]): void {
    if (!this.current || !areSameKeys(this.current.keys, keys)) this.current = { keys };
  }

  private async discover(signal: AbortSignal): Promise<URL> {
    const { issuer, discoveryUrl = '' } = this.options;
    const usual = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const document = await httpsJson(new URL(discoveryUrl || usual), this.ca, signal);
    if (document['issuer'] !== issuer)
      throw new Error(`the provider says that it is another issuer: ${quoted(document['issuer'])}`);
    const url = URL.parse(typeof document['jwks_uri'] === 'string' ? document['jwks_uri'] : '');
    if (url?.protocol !== 'https:') throw new Error('the provider names no https address of its keys');
    return url;
  }
}
