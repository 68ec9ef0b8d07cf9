/** Privileged containers, which `--allow-privileged=false` forbids. */
import type { FieldError } from '../../../meta/field-error.ts';
import { forbidden } from '../../../meta/field-error.ts';
import type { FieldPath } from '../../../meta/field-path.ts';
import type { ApiContext } from '../../types.ts';
import type { Container, PodSpec } from '../v1.types.ts';
import type { Maybe } from '../../validation/rules.ts';
import { allOf, each } from '../../validation/rules.ts';

/** What a cluster lets pods ask for, by its settings and the release. */
export type PodRights = Pick<ApiContext, 'allowsPrivileged' | 'isFeatureEnabled'>;

export function validatePrivileged(
  spec: PodSpec,
  path: FieldPath,
  { allowsPrivileged }: PodRights,
): FieldError[] {
  if (allowsPrivileged) return [];
  const errors = (containers: Maybe<readonly Container[]>, field: string): FieldError[] =>
    each(containers, path.child(field), ({ securityContext }, at) =>
      securityContext?.privileged === true
        ? [forbidden(at.child('securityContext').child('privileged'), 'disallowed by cluster policy')]
        : [],
    );
  return allOf(
    errors(spec.containers, 'containers'),
    errors(spec.initContainers, 'initContainers'),
    errors(spec.ephemeralContainers, 'ephemeralContainers'),
  );
}
