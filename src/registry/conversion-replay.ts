/**
 * Field ownership is reckoned by pure functions that convert objects as they go. Where a conversion has to be asked for,
 * the function is left with the question, and begun anew when the answer is there: the same input asks the same questions,
 * so it gets one question further each time.
 */
import { deepCopy, type JsonObject } from '../base/json.ts';
import type { ServedResource } from './types.ts';

/** Thrown through the function that cannot go on yet. */
class Unanswered extends Error {
  readonly question: string;
  readonly answer: Promise<JsonObject>;

  constructor(question: string, answer: Promise<JsonObject>) {
    super('a conversion is asked for');
    this.question = question;
    this.answer = answer;
  }
}

export class ConversionReplay {
  private readonly answers = new Map<string, JsonObject>();
  private readonly signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** An object of one version in another; only within `run`. May mutate and return its argument. */
  convert(object: JsonObject, from: ServedResource, to: ServedResource): JsonObject {
    if (!to.conversion) return object;
    const question = JSON.stringify([from.gvk.version, to.gvk.version, object]);
    const answer = this.answers.get(question);
    if (answer) return deepCopy(answer);
    const made = to.conversion.from(from.gvk.version, object, this.signal);
    if (!(made instanceof Promise)) return made;
    // Somebody waits for it below, or the fault is found there.
    made.catch(() => undefined);
    throw new Unanswered(question, made);
  }

  /** Runs `work` until it needs no further answer. It must change nothing before its end. Rejects as it and its conversions do. */
  async run<T>(work: () => T): Promise<T> {
    for (;;) {
      this.signal.throwIfAborted();
      try {
        return work();
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.answers.set(error.question, await error.answer);
      }
    }
  }
}
