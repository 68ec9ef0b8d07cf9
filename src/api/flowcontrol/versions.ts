/** Versions of the kinds of API Priority and Fairness. */
import type { ResourceVersionDefinition } from '../types.ts';

type Conversion = Pick<ResourceVersionDefinition, 'toStorage' | 'fromStorage'>;

/**
 * All versions of a kind, the stored one first.
 * @param later how v1beta3 and v1 convert, where they differ
 */
export function versionsOf(kind: string, later: Conversion = {}): ResourceVersionDefinition[] {
  const at = (version: string): string => `flowcontrol.apiserver.{api}/${version} ${kind}`;
  return [
    { version: 'v1beta1', deprecatedIn: '1.23', removedIn: '1.26', replacement: at('v1beta3') },
    {
      version: 'v1alpha1',
      deprecatedIn: '1.20',
      removedIn: '1.21',
      replacement: at('v1beta3'),
    },
    {
      version: 'v1beta2',
      introducedIn: '1.23',
      deprecatedIn: '1.26',
      removedIn: '1.29',
      replacement: at('v1beta3'),
    },
    {
      version: 'v1beta3',
      introducedIn: '1.26',
      enabledByDefault: true,
      deprecatedIn: '1.29',
      removedIn: '1.32',
      replacement: at('v1'),
      ...later,
    },
    { version: 'v1', introducedIn: '1.29', ...later },
  ];
}
