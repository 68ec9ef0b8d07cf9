/** Rules of groups of pods and of their templates. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { dns1123Label } from '../validation/name-rules.ts';
import { each, need, obeys, repeatedNames, type Maybe } from '../validation/rules.ts';
import type { PodGroupResourceClaim, PodGroupSchedulingPolicy } from './v1alpha2.types.ts';

const maxClaims = 4;

/** How many items a list may have. */
export function countError(
  items: readonly unknown[],
  at: FieldPath,
  { min, max }: { readonly min: number; readonly max: number },
): FieldError[] {
  if (items.length < min) return [required(at)];
  return items.length > max ? [tooMany(at, items.length, max)] : [];
}

/** Exactly one policy. */
export function policyErrors(policy: Maybe<PodGroupSchedulingPolicy>, at: FieldPath): FieldError[] {
  const { basic, gang } = policy ?? {};
  if ((basic == null) === (gang == null))
    return [invalid(at, Object.keys(policy ?? {}), 'must specify exactly one of: `basic`, `gang`')];
  return [];
}

/** Names are labels; a claim or a template of one. */
export function validateClaims(claims: Maybe<readonly PodGroupResourceClaim[]>, at: FieldPath): FieldError[] {
  return [
    ...countError(claims ?? [], at, { min: 0, max: maxClaims }),
    ...each(claims, at, (claim, p) => [
      ...need(claim.name, p.child('name'), obeys(dns1123Label)),
      ...((claim.resourceClaimName == null) === (claim.resourceClaimTemplateName == null)
        ? [
            invalid(
              p,
              claim.name,
              'must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`',
            ),
          ]
        : []),
    ]),
    ...repeatedNames(claims, at),
  ];
}
