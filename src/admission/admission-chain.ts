/**
 * Admission as a chain of plugins: all mutating ones in order, later all validating ones (the first rejection ends it).
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionChain, RequestScope } from '../registry/types.ts';
import { ByOperation } from './handled-operations.ts';
import { timedPhase, timedPlugin, type AdmissionPhase, type ChainMetrics } from './timed-admission.ts';

/** One mutating phase of one write. */
export interface ReinvocationContext {
  /** Plugins are reinvoked; there is no third pass. */
  readonly isReinvocation: boolean;
  /**
   * Requests reinvocation: all mutating plugins run once more, because a webhook changed the object
   * (`reinvocationPolicy`).
   */
  requestReinvocation(): void;
}

/** A plugin takes part in either phase or in both. It rejects a write by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly admit?: (attributes: AdmissionAttributes, reinvocation: ReinvocationContext) => MaybePromise<void>;
  readonly validate?: (attributes: AdmissionAttributes) => MaybePromise<void>;
  /** True where it calls webhooks about writes to the resource. Absent: never. */
  readonly callsWebhooks?: (scope: RequestScope) => boolean;
}

/** @param metrics absent if nobody reads them */
export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  metrics?: ChainMetrics,
): AdmissionChain {
  const admitting = plugins.flatMap(({ name, admit }) => {
    if (!admit) return [];
    return [{ name, run: metrics ? timedPlugin(admit, { name, type: 'admit' }, metrics) : admit }];
  });
  const validating = plugins.flatMap(({ name, validate }) => {
    if (!validate) return [];
    const about = { name, type: 'validate' } as const;
    return [{ name, run: metrics ? timedPlugin<undefined>(validate, about, metrics) : validate }];
  });
  const [mutation, validation] = [new ByOperation(admitting), new ByOperation(validating)];
  const webhookCallers = plugins.flatMap((p) => (p.callsWebhooks ? [p.callsWebhooks] : []));
  // Most plugins have nothing to say of most writes, and none has to be waited for.
  const admitAll = async (
    attributes: AdmissionAttributes,
    reinvocation: ReinvocationContext,
  ): Promise<void> => {
    for (const admit of mutation.of(attributes.operation)) {
      const pending = admit(attributes, reinvocation);
      if (pending) await pending;
    }
  };
  const admit = async (attributes: AdmissionAttributes): Promise<void> => {
    const reinvocation = new Reinvocation();
    await admitAll(attributes, reinvocation);
    if (reinvocation.shouldReinvoke()) await admitAll(attributes, reinvocation);
  };
  const validate = async (attributes: AdmissionAttributes): Promise<void> => {
    for (const each of validation.of(attributes.operation)) {
      const pending = each(attributes, undefined);
      if (pending) await pending;
    }
  };
  const timed = (run: typeof admit, type: AdmissionPhase): typeof admit => {
    const phase = metrics ? timedPhase<undefined>(run, type, metrics) : run;
    return async (attributes) => phase(attributes, undefined);
  };
  return {
    admit: timed(admit, 'admit'),
    validate: timed(validate, 'validate'),
    callsWebhooks: (scope) => webhookCallers.some((callsWebhooks) => callsWebhooks(scope)),
  };
}

class Reinvocation implements ReinvocationContext {
  isReinvocation = false;
  private isRequested = false;

  requestReinvocation(): void {
    this.isRequested = true;
  }

  /** True where the phase is to be repeated, which begins with this. */
  shouldReinvoke(): boolean {
    this.isReinvocation = this.isRequested;
    return this.isReinvocation;
  }
}
