/**
 * Limits frames of the peer that make no progress: pings, settings, priorities, empty data, resets and data of closed
 * streams, tiny window updates. Each costs a token. Tokens are earned over time and by sent bytes: more requests
 * cause more window updates and pings (the gRPC of etcd measures round trips all the time).
 */
import { PeerError } from './peer-error.ts';

const mostTokens = 20_000;
const tokensPerMs = 1;
const tokensPerRequest = 4;
/** Each piece of a body may cause updates of two windows. */
const bytesPerToken = 1024;

export class FloodGuard {
  #tokens = mostTokens;
  #filledAt = performance.now();

  /**
   * @param what frame was received, for the error.
   * @throws PeerError if there are too many
   */
  spend(what: string, tokens = 1): void {
    this.#tokens -= tokens;
    if (this.#tokens > 0) return;
    // Tokens of elapsed time are added lazily: most connections never need them.
    const now = performance.now();
    this.#add((now - this.#filledAt) * tokensPerMs);
    this.#filledAt = now;
    if (this.#tokens <= 0)
      throw new PeerError('enhanceYourCalm', `too many frames without progress (${what})`);
  }

  /** A request of this many bytes is sent. */
  earn(bytes: number): void {
    this.#add(tokensPerRequest + bytes / bytesPerToken);
  }

  #add(tokens: number): void {
    this.#tokens = Math.min(mostTokens, this.#tokens + tokens);
  }
}
