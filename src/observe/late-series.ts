/** A series that begins when it is used first: of what users name there may be thousands, most of them at rest. */
import type { Labels } from './metric-series.ts';

/** A metric family, as far as a series of it is concerned. */
interface Family<C> {
  series(labels: Labels): C;
  unlisted(labels: Labels): C;
  forget(labels: Labels): void;
}

export class LateSeries<C> {
  readonly #family: Family<C>;
  readonly #labels: Labels;
  #series: C | undefined;
  #isForgotten = false;

  constructor(family: Family<C>, labels: Labels) {
    this.#family = family;
    this.#labels = labels;
  }

  /** Listed from now on, unless it was forgotten. */
  get current(): C {
    return (this.#series ??= this.#isForgotten
      ? this.#family.unlisted(this.#labels)
      : this.#family.series(this.#labels));
  }

  /** Takes it off the list for good. */
  forget(): void {
    this.#isForgotten = true;
    this.#family.forget(this.#labels);
  }
}
