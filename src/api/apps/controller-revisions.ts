/** ControllerRevision: a past state of a set; its data never changes. */
import type { FieldError } from '../../meta/field-error.ts';
import { required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { nonNegative, unchanged } from '../validation/rules.ts';
import type { ControllerRevision as ControllerRevisionFields } from './v1.types.ts';

type ControllerRevision = Stored<ControllerRevisionFields>;

const data = FieldPath.of('data');

function validate(revision: ControllerRevision): FieldError[] {
  return [
    ...(revision.data == null ? [required(data, 'data is mandatory')] : []),
    ...nonNegative(revision.revision ?? 0, FieldPath.of('revision')),
  ];
}

function owner({ metadata }: ControllerRevision): string {
  const found = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!found) return '<none>';
  const [group] = found.apiVersion.includes('/') ? found.apiVersion.split('/') : [];
  return `${[found.kind, ...(group ? [group] : [])].join('.').toLowerCase()}/${found.name}`;
}

export const controllerRevisions = defineResource<ControllerRevision>({
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
  versions: [
    { version: 'v1' },
    { version: 'v1beta2', deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1 ControllerRevision' },
    { version: 'v1beta1', deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1 ControllerRevision' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { validate, validateUpdate: (next, current) => unchanged(next.data, current.data, data) },
  columns: [
    nameColumn,
    column<ControllerRevision>('Controller', owner, { description: 'Whose past state it is.' }),
    column<ControllerRevision>('Revision', ({ revision }) => revision ?? 0, {
      description: 'Number of the revision.',
    }),
    ageColumn,
  ],
});
