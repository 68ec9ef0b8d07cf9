/**
 * Bounds what a peer may send that brings no answer any further: pings, settings, priorities, empty data, resets and data of
 * streams that are gone, windows that grow by little. Each costs a token. Tokens come with time, and with what we send: the
 * more is asked for, the more a peer has to say about windows and round trips (etcd's gRPC measures them all the time).
 */
import { PeerError } from './peer-error.ts';

const mostTokens = 20_000;
const tokensPerMs = 1;
const tokensPerRequest = 4;
/** Each piece of a body may be answered by an update of two windows. */
const bytesPerToken = 1024;

export class FloodGuard {
  #tokens = mostTokens;
  #filledAt = performance.now();

  /** @param what of it came, for the error. @throws PeerError when too much of it comes */
  spend(what: string, tokens = 1): void {
    this.#tokens -= tokens;
    if (this.#tokens > 0) return;
    // Time counts only now: most connections never come here.
    const now = performance.now();
    this.#add((now - this.#filledAt) * tokensPerMs);
    this.#filledAt = now;
    if (this.#tokens <= 0)
      throw new PeerError('enhanceYourCalm', `too many frames that say nothing (${what})`);
  }

  /** A request leaves, with so many bytes. */
  earn(bytes: number): void {
    this.#add(tokensPerRequest + bytes / bytesPerToken);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(mostTokens, this.#tokens + tokens);
  }
}
