/** The other pods that a pod wants to be near to or away from, needs and wishes alike. */
import type { PodAffinityTerm, PodSpec } from '../v1.types.ts';

export function affinityTerms({ affinity }: PodSpec): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((one) => [
    ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap(
      (wish) => wish.podAffinityTerm ?? [],
    ),
  ]);
}
