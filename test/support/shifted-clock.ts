/**
 * Loaded into a process before its program (`--import`): its wall clock is that of the machine plus the milliseconds in
 * a file, which may change at any time. Monotonic time and timers are left alone, as by a step of a real clock.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from './paths.ts';

/** The flag of Node that shifts the clock of a process, and of its workers, by the content of a file. */
export function shiftedBy(file: string): string {
  const program = pathToFileURL(join(repositoryRoot, 'test/support/shifted-clock-program.ts'));
  program.searchParams.set('file', file);
  return `--import=${program.href}`;
}

/** Shifts the wall clock of this process by the content of the file. */
export function shiftOwnClock(file: string): void {
  const RealDate = Date;
  let offsetMs = 0;
  const read = (): void => {
    offsetMs = Number(readFileSync(file, 'utf8'));
  };
  read();
  setInterval(read, 50).unref();
  const now = (): number => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, property) => (property === 'now' ? now : (Reflect.get(target, property) as unknown)),
  });
}
