/** Admission as a chain of plugins: all mutating ones in order, later all validating ones (the first refusal ends it). */
import type { AdmissionAttributes, AdmissionChain } from '../registry/types.ts';

/** A plugin takes part in either phase or in both. It refuses by throwing a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  readonly admit?: (attributes: AdmissionAttributes) => Promise<void>;
  readonly validate?: (attributes: AdmissionAttributes) => Promise<void>;
}

export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain {
  const admitting = plugins.flatMap((p) => (p.admit ? [p.admit] : []));
  const validating = plugins.flatMap((p) => (p.validate ? [p.validate] : []));
  return {
    admit: (attributes) => inOrder(admitting, attributes),
    validate: (attributes) => inOrder(validating, attributes),
  };
}

type Step = (attributes: AdmissionAttributes) => Promise<void>;

async function inOrder(steps: readonly Step[], attributes: AdmissionAttributes): Promise<void> {
  for (const step of steps) await step(attributes);
}
