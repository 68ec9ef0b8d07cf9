/**
 * Objects that a service begins with and keeps, of which one may be damaged in etcd: by another program, by an operator, by
 * flipped bits. It is logged by name and skipped, so that it neither keeps a replica from becoming ready nor the other
 * objects from being written. What the service cannot do without (the mandatory flow control) is in force without it.
 */
import { messageOf } from '../base/errors.ts';
import { StatusError } from '../meta/status.ts';
import type { Logger } from '../observe/log.ts';
import { StorageError } from '../storage/types.ts';

export class DamagedObjects {
  private readonly logger: Logger;
  /** The last problem of each object, which is logged once. */
  private readonly logged = new Map<string, string>();

  constructor(logger: Logger) {
    this.logger = logger;
  }

  /**
   * Does the work for one object; skips it if what is stored under its name, or what was made of that, is unusable.
   * @param object `<plural>/<name>`, or with its namespace between them
   * @throws what has another reason, such as a store that cannot be reached
   */
  async skipIfDamaged(object: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      this.logged.delete(object);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.report(object, messageOf(error));
    }
  }

  /** Whether the last work for the object was skipped. */
  has(object: string): boolean {
    return this.logged.has(object);
  }

  /** Logs what is wrong with an object, unless that was the last problem logged of it. */
  report(object: string, problem: string): void {
    if (this.logged.get(object) === problem) return;
    this.logged.set(object, problem);
    this.logger.error(
      'a stored object that the service begins with is unusable and passed over: delete it (in etcd, if the API cannot), ' +
        'and it is made again, at the latest by the next start',
      { object, problem },
    );
  }
}

/** Not a race, and nothing that another try could change while the stored value stays as it is. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof StatusError)) return error instanceof TypeError || error instanceof RangeError;
  const { cause, code } = error;
  return code === 400 || code === 422 || (cause instanceof StorageError && cause.code === 'unreadable');
}
