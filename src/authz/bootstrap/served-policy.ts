/** What parts of the policy depend on: the emulated release and its feature gates. */
export interface ServedPolicy {
  /** N of the release 1.N. */
  readonly minor: number;
  readonly isFeatureEnabled: (gate: string) => boolean;
}

/** When a role or a rule is there. */
export interface PolicyLife {
  /** N of the first release 1.N that has it. Absent: 1.21 has it. */
  readonly since?: number;
  /** N of the first release 1.N that has it no more. */
  readonly until?: number;
  /** It is there with this feature gate only. */
  readonly gate?: string;
}

/** Release 1.21 as it is by default: no gate that a role depends on is enabled. */
export const specifiedPolicy: ServedPolicy = { minor: 21, isFeatureEnabled: () => false };

/** Whether the release with these gates has it. */
export function isLiving({ since = 0, until = Infinity, gate }: PolicyLife, served: ServedPolicy): boolean {
  const { minor } = served;
  return since <= minor && minor < until && (gate === undefined || served.isFeatureEnabled(gate));
}
