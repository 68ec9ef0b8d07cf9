/** Computes the status of a definition; deterministic, so that all replicas agree. */
import {
  approvalAnnotation,
  isProtected,
  type CustomResourceDefinition,
} from '../../api/apiextensions/custom-resource-definitions.ts';
import type { Finding } from '../../api/apiextensions/definition-conditions.ts';
import { withFinding, withoutFinding } from '../../api/apiextensions/definition-conditions.ts';
import { structuralErrors } from '../../api/apiextensions/structural-rules.ts';
import type { CustomResourceDefinitionStatus as Status } from '../../api/apiextensions/v1.types.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { isEstablished, specOf, versionsOf } from './definition.ts';
import type { Assignment } from './name-assignment.ts';

/** The status with the computed conditions; other conditions and stored versions are kept. */
export function statusOf(
  definition: CustomResourceDefinition,
  assignment: Assignment,
  { naming, now }: { readonly naming: NamingProfile; readonly now: string },
): Status {
  const before = definition.status ?? {};
  const findings = [
    namesFinding(assignment),
    establishedFinding(definition, assignment),
    approvalFinding(definition, naming),
  ].filter((finding) => finding !== undefined);
  const updated = findings.reduce((all, finding) => withFinding(all, finding, now), before.conditions ?? []);
  const violations = violationsOf(definition, naming);
  const conditions = violations
    ? withFinding(updated, violations, now)
    : withoutFinding(updated, 'NonStructuralSchema');
  return { ...before, conditions, acceptedNames: assignment.accepted };
}

/** Whether two statuses are equal; absent and undefined are the same. */
export function saysTheSame(a: Status | undefined, b: Status | undefined): boolean {
  const plain = (status: Status | undefined): JsonValue =>
    JSON.parse(JSON.stringify(status ?? {})) as JsonValue;
  return deepEqual(plain(a), plain(b));
}

function namesFinding({ conflict }: Assignment): Finding {
  return conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
}

/** Once established, it stays established, as objects exist. */
function establishedFinding(
  definition: CustomResourceDefinition,
  { conflict }: Assignment,
): Finding | undefined {
  if (isEstablished(definition)) return undefined;
  return conflict
    ? { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
    : {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      };
}

function approvalFinding(definition: CustomResourceDefinition, naming: NamingProfile): Finding | undefined {
  if (!isProtected(specOf(definition).group ?? '', naming)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const name = approvalAnnotation(naming);
  const value = definition.metadata.annotations?.[name] ?? '';
  if (value === '')
    return {
      type,
      status: 'False',
      reason: 'MissingAnnotation',
      message: `the annotation ${name} is missing`,
    };
  if (value.startsWith('unapproved'))
    return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${value}` };
  return URL.canParse(value)
    ? { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${value}` }
    : {
        type,
        status: 'False',
        reason: 'InvalidAnnotation',
        message: `${name} must be a URL, or begin with "unapproved"`,
      };
}

/** Non-structural schemas are allowed only if unknown fields are preserved. */
function violationsOf(definition: CustomResourceDefinition, naming: NamingProfile): Finding | undefined {
  if (specOf(definition).preserveUnknownFields !== true) return undefined;
  const errors = versionsOf(definition).flatMap(({ schema }, i) => {
    const path = FieldPath.of('spec').child('versions').index(i).child('schema').child('openAPIV3Schema');
    const raw = schema?.openAPIV3Schema as JsonObject | undefined;
    return raw ? structuralErrors({ schema: raw, path }, naming.extensionPrefix) : [];
  });
  const message = errors.map(({ field, message: problem }) => `${field}: ${problem}`).join('; ');
  const reports = { type: 'NonStructuralSchema', status: 'True', reason: 'Violations' } as const;
  return errors.length > 0 ? { ...reports, message: message.slice(0, 4096) } : undefined;
}
