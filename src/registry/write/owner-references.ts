/** Owner references that say the same twice are merged (release 1.20). */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { Draft, Write } from './write.ts';

/** UIDs that a warning names at most. */
const maxNamed = 10;

/**
 * Leaves one of each set of equal owner references, the first, and warns of the others. References to one owner that differ
 * are all kept.
 * @param when `afterAdmission` if mutating admission may have added them
 */
export function mergeOwnerReferences(
  { scope }: Write,
  { object: { metadata } }: Draft,
  when: 'sent' | 'afterAdmission',
): void {
  const { ownerReferences } = metadata;
  if (!ownerReferences || ownerReferences.length < 2) return;
  const known = new Set<string>();
  const duplicates: string[] = [];
  const merged = ownerReferences.filter((reference) => {
    const text = canonicalJson({ ...reference });
    if (known.has(text)) duplicates.push(reference.uid);
    return known.size < known.add(text).size;
  });
  if (duplicates.length === 0) return;
  metadata.ownerReferences = merged;
  scope.warn(warningOf(duplicates, when));
}

function warningOf(uids: readonly string[], when: 'sent' | 'afterAdmission'): string {
  const named = [...new Set(uids)];
  const more = named.length > maxNamed ? ` and ${String(named.length - maxNamed)} more` : '';
  const place = when === 'sent' ? '' : ' after mutating admission happens';
  return (
    `.metadata.ownerReferences contains duplicate entries${place}; API server dedups owner references in 1.20+, ` +
    'and may reject such requests as early as 1.24; please fix your requests; ' +
    `duplicate UID(s) observed: ${named.slice(0, maxNamed).join(', ')}${more}`
  );
}
