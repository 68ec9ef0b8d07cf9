/** Which of the requests of a user for an object one is: the same in every run, in whatever order others come. */
import { fullResource, type StruckRequest } from './struck-request.ts';

/** Requests that are counted apart; more of them share a count. */
const mostCounted = 10_000;

export class RequestNumbers {
  readonly #counts = new Map<string, number>();

  /** Counts a request. @returns `update configmaps default/web of jane #2` */
  next(request: StruckRequest): string {
    const { user, verb, namespace, name } = request;
    const whole = [verb, fullResource(request), [namespace, name].filter(Boolean).join('/')];
    const text = `${whole.filter(Boolean).join(' ')} of ${user}`;
    const key = this.#counts.size < mostCounted || this.#counts.has(text) ? text : '';
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return `${key} #${String(count)}`;
  }
}
