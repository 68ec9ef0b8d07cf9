/** Admission as a chain of plugins: all mutating ones in order, later all validating ones (the first refusal ends it). */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionChain, RequestScope } from '../registry/types.ts';

/** One mutating phase of one write. */
export interface AdmissionRound {
  /** It runs for the second time; there is no third. */
  readonly isRepeated: boolean;
  /** All plugins see the object once more when they are through: what they made of it has changed since. */
  repeat(): void;
}

/** A plugin takes part in either phase or in both. It refuses by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly admit?: (attributes: AdmissionAttributes, round: AdmissionRound) => MaybePromise<void>;
  readonly validate?: (attributes: AdmissionAttributes) => MaybePromise<void>;
  /** True where it tells others than this process of writes to the resource. Absent: never. */
  readonly tellsOthers?: (scope: RequestScope) => boolean;
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const admitting = plugins.flatMap((p) => (p.admit ? [p.admit] : []));
  const validating = plugins.flatMap((p) => (p.validate ? [p.validate] : []));
  const telling = plugins.flatMap((p) => (p.tellsOthers ? [p.tellsOthers] : []));
  // Most plugins have nothing to say of most writes, and none has to be waited for.
  const admitAll = async (attributes: AdmissionAttributes, round: AdmissionRound): Promise<void> => {
    for (const admit of admitting) {
      const pending = admit(attributes, round);
      if (pending) await pending;
    }
  };
  return {
    admit: async (attributes) => {
      const round = new Round();
      await admitAll(attributes, round);
      if (round.startAgain()) await admitAll(attributes, round);
    },
    validate: async (attributes) => {
      for (const validate of validating) {
        const pending = validate(attributes);
        if (pending) await pending;
      }
    },
    tellsOthers: (scope) => telling.some((tells) => tells(scope)),
  };
}

class Round implements AdmissionRound {
  isRepeated = false;
  private isWanted = false;

  repeat(): void {
    this.isWanted = true;
  }

  /** True where the phase is to be repeated, which begins with this. */
  startAgain(): boolean {
    this.isRepeated = this.isWanted;
    return this.isRepeated;
  }
}
