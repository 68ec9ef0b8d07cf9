/**
 * What the service uses of JavaScript's library and Node 20 and 22 lack, as the standard has it (ECMAScript 2024 to 2026).
 * Imported before all else by every entry point. Two things cannot be added here: `JSON.rawJSON` with the source texts of
 * `JSON.parse` (`exact-numbers.ts`), and syntax, which the build translates.
 */

import { X509Certificate } from 'node:crypto';
import { setMaxListeners } from 'node:events';

type Dispose = () => unknown;

/** `SuppressedError`: what went wrong while another error was on its way. */
class LateError extends Error {
  readonly error: unknown;
  readonly suppressed: unknown;

  constructor(error: unknown, suppressed: unknown) {
    super('An error was suppressed during disposal.');
    this.name = 'SuppressedError';
    this.error = error;
    this.suppressed = suppressed;
  }
}

/** What both kinds of stacks have in common: what to do at the end, the last first. */
class Stack {
  protected steps: Dispose[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  defer(step: Dispose): void {
    this.#mustBeOpen();
    this.steps.push(step);
  }

  adopt<T>(value: T, step: (value: T) => unknown): T {
    this.defer(() => step(value));
    return value;
  }

  /** Ends it. @returns the steps to take, in their order */
  protected close(): Dispose[] {
    const steps = this.#disposed ? [] : this.steps.reverse();
    this.steps = [];
    this.#disposed = true;
    return steps;
  }

  protected moveTo<T extends Stack>(other: T): T {
    this.#mustBeOpen();
    other.steps = this.steps;
    this.steps = [];
    this.#disposed = true;
    return other;
  }

  #mustBeOpen(): void {
    if (this.#disposed) throw new ReferenceError('the stack is disposed');
  }
}

/** Gathers the errors of steps as `using` does. */
class Errors {
  #last: { readonly error: unknown } | undefined;

  add(error: unknown): void {
    this.#last = { error: this.#last === undefined ? error : new LateError(error, this.#last.error) };
  }

  /** @throws what was gathered */
  end(): void {
    if (this.#last !== undefined) throw this.#last.error;
  }
}

class SyncStack extends Stack implements Disposable {
  use<T extends Disposable | null | undefined>(value: T): T {
    this.defer(() => value?.[Symbol.dispose]());
    return value;
  }

  move(): SyncStack {
    return this.moveTo(new SyncStack());
  }

  dispose(): void {
    const errors = new Errors();
    for (const step of this.close()) {
      try {
        step();
      } catch (error) {
        errors.add(error);
      }
    }
    errors.end();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

class AsyncStack extends Stack implements AsyncDisposable {
  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    this.defer(async () => {
      if (value == null) return;
      if (Symbol.asyncDispose in value) await value[Symbol.asyncDispose]();
      else value[Symbol.dispose]();
    });
    return value;
  }

  move(): AsyncStack {
    return this.moveTo(new AsyncStack());
  }

  async disposeAsync(): Promise<void> {
    const errors = new Errors();
    for (const step of this.close()) {
      try {
        await step();
      } catch (error) {
        errors.add(error);
      }
    }
    errors.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

function withResolvers<T>(): PromiseWithResolvers<T> {
  let parts: Omit<PromiseWithResolvers<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    parts = { resolve, reject };
  });
  return { promise, ...(parts as Omit<PromiseWithResolvers<T>, 'promise'>) };
}

function attempt<T, U extends unknown[]>(call: (...args: U) => T | PromiseLike<T>, ...args: U): Promise<T> {
  return new Promise((resolve) => {
    resolve(call(...args));
  });
}

function groupBy<K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    index += 1;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function parseUrl(text: string, base?: string): URL | null {
  return URL.canParse(text, base) ? new URL(text, base) : null;
}

function union<T>(this: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...this, ...other]);
}

function intersection<T>(this: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...this].filter((each) => other.has(each)));
}

function difference<T>(this: ReadonlySet<T>, other: ReadonlySet<T>): Set<T> {
  return new Set([...this].filter((each) => !other.has(each)));
}

/** What is supplied, by the object that lacks it. */
export const supplies: readonly (readonly [object, Readonly<Record<string, unknown>>])[] = [
  [Promise, { withResolvers, try: attempt }],
  [Map, { groupBy }],
  [URL, { parse: parseUrl }],
  [Set.prototype, { union, intersection, difference }],
  [globalThis, { SuppressedError: LateError, DisposableStack: SyncStack, AsyncDisposableStack: AsyncStack }],
];

/** Adds what is missing, as the standard library would have it: not enumerable, replaceable. */
function supply(target: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members))
    if (!(name in target))
      Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}

for (const [target, members] of supplies) supply(target, members);

/** Dates of a certificate, which Node 20 gives as texts only. */
function supplyDates(): void {
  for (const [name, text] of [
    ['validFromDate', 'validFrom'],
    ['validToDate', 'validTo'],
  ] as const)
    if (!(name in X509Certificate.prototype))
      Object.defineProperty(X509Certificate.prototype, name, {
        configurable: true,
        get(this: X509Certificate) {
          return new Date(this[text]);
        },
      });
}

supplyDates();
// Node 20 warns of an AbortSignal with more than ten listeners as of an emitter; later ones do not.
if (process.versions.node.startsWith('20.')) setMaxListeners(0);
