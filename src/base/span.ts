/**
 * Spans: what a piece of work spends its time on, for traces (OpenTelemetry specification, "Tracing API"). The span of the work in
 * progress follows it through promises, so that what calls other programs needs no parameter for it. Where no work has a
 * span, nothing is made and nothing kept.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface StepDetails {
  /** Whose answer is waited for: `client` for that of another program. */
  readonly kind?: 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** Begin on the monotonic clock of the work; absent: now. */
  readonly since?: number;
}

/** A span that has begun. */
export interface Span {
  /** Begins a step of this work. */
  child(name: string, details?: StepDetails): Span;
  /** Never a secret, nor text of an object. */
  set(attributes: SpanAttributes): void;
  /** The work failed; of the error only its type is kept, as its text may show values of objects. */
  fail(error: unknown): void;
  end(): void;
  /** Headers by which another program continues the trace (W3C Trace Context). */
  readonly headers: Readonly<Record<string, string>>;
}

const current = new AsyncLocalStorage<Span>();

/** The span of the work in progress; undefined if it has none. */
export function currentSpan(): Span | undefined {
  return current.getStore();
}

/** Runs `work`, and all that it waits for, under the span. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return current.run(span, work);
}

/**
 * Runs `work` as a step of the work in progress; the step ends when the result is there. Without a span in progress it only
 * runs it. Returns or throws as `work` does.
 */
export function inStep<T>(name: string, work: (step: Span | undefined) => T, details?: StepDetails): T {
  const parent = current.getStore();
  if (!parent) return work(undefined);
  const step = parent.child(name, details);
  const fail = (error: unknown): void => {
    step.fail(error);
    step.end();
  };
  try {
    const result = current.run(step, () => work(step));
    if (!(result instanceof Promise)) step.end();
    else result.then(() => step.end(), fail);
    return result;
  } catch (error) {
    fail(error);
    throw error;
  }
}
