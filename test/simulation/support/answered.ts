/** What a client gets from a process that may die, and how long it waits for it. */
import { asError } from '../../../src/base/errors.ts';
import type { Lifetime } from '../../../src/storage/types.ts';
import type { Life, World } from './world.ts';

/** The process died, or the client waits no longer. */
export class NoAnswer extends Error {}

/** Most time in milliseconds that a client waits. */
const patienceMs = 20_000;

/** The answer that comes while the replica lives and the client has patience. @throws NoAnswer, or what was answered */
export function answered<T>(world: World, life: Life, ask: (lifetime: Lifetime) => Promise<T>): Promise<T> {
  const lifetime = { aborted: false, reason: undefined };
  return new Promise((resolve, reject) => {
    const give = (): void => {
      lifetime.aborted = true;
      reject(new NoAnswer());
    };
    const timer = world.scheduler.schedule(patienceMs, give, 'patience');
    void life.died.then(give);
    // What a dead process says reaches nobody.
    const unlessDead = (tell: () => void): void => {
      world.scheduler.cancel(timer);
      if (life.process.state !== 'dead') tell();
    };
    ask(lifetime).then(
      (answer) => unlessDead(() => resolve(answer)),
      (error: unknown) => unlessDead(() => reject(asError(error))),
    );
  });
}
