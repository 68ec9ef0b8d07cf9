/** What flows have in use of something: so much in all, so much each; one piece of work of any weight always fits a flow, or all. */
export class FairShares {
  readonly #total: number;
  readonly #perFlow: number;
  readonly #used = new Map<string, number>();
  #inUse = 0;

  constructor(total: number, perFlow: number) {
    this.#total = total;
    this.#perFlow = perFlow;
  }

  /** What is in use now. */
  get inUse(): number {
    return this.#inUse;
  }

  /** There is room, for this flow and for all. */
  fits(flow: string, weight: number): boolean {
    return (this.#inUse === 0 || this.#inUse + weight <= this.#total) && !this.isAtLimit(flow, weight);
  }

  /** The flow would have more than its share. */
  isAtLimit(flow: string, weight: number): boolean {
    const used = this.#used.get(flow) ?? 0;
    return used > 0 && used + weight > this.#perFlow;
  }

  /** Whether it fits or not. */
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
