/**
 * Usage of a resource by flows, with a total limit and a limit per flow; a single item of any weight always fits an
 * idle flow or resource.
 */
export class FairShares {
  readonly #total: number;
  readonly #perFlow: number;
  readonly #used = new Map<string, number>();
  #inUse = 0;

  constructor(total: number, perFlow: number) {
    this.#total = total;
    this.#perFlow = perFlow;
  }

  /** The weight in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Whether the weight fits both limits. */
  fits(flow: string, weight: number): boolean {
    return (this.#inUse === 0 || this.#inUse + weight <= this.#total) && !this.isAtLimit(flow, weight);
  }

  /** Whether the flow would exceed its limit. */
  isAtLimit(flow: string, weight: number): boolean {
    const used = this.#used.get(flow) ?? 0;
    return used > 0 && used + weight > this.#perFlow;
  }

  /** Adds the weight unconditionally. */
  take(flow: string, weight: number): void {
    this.#used.set(flow, (this.#used.get(flow) ?? 0) + weight);
    this.#inUse += weight;
  }

  give(flow: string, weight: number): void {
    const left = (this.#used.get(flow) ?? 0) - weight;
    if (left > 0) this.#used.set(flow, left);
    else this.#used.delete(flow);
    this.#inUse -= weight;
  }
}
