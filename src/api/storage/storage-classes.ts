/** StorageClass: how volumes of a kind are made. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, forbidden, invalid, required, tooLong } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column } from '../columns/columns.ts';
import { keyWarning } from '../core/node-labels.ts';
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../core/v1.types.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { isSince } from '../since.ts';
import type { ApiContext } from '../types.ts';
import { validateLabelName } from '../validation/labels.ts';
import { nameIsDns1123Subdomain, qualifiedName } from '../validation/name-rules.ts';
import type { Maybe } from '../validation/rules.ts';
import { each, invalidEach, need, same, unchanged } from '../validation/rules.ts';
import type { StorageClass as StorageClassFields } from './v1.types.ts';

type StorageClass = Stored<StorageClassFields>;

const maxParameters = 512;
const parametersMaxBytes = 256 * 1024;

function validate(storageClass: StorageClass): FieldError[] {
  return [
    ...need(storageClass.provisioner, FieldPath.of('provisioner'), (name, at) =>
      invalidEach(name, at, qualifiedName(name.toLowerCase())),
    ),
    ...validateParameters(storageClass.parameters, FieldPath.of('parameters')),
    ...need(storageClass.volumeBindingMode, FieldPath.of('volumeBindingMode')),
    ...validateTopologies(storageClass.allowedTopologies, FieldPath.of('allowedTopologies')),
  ];
}

function validateParameters(
  parameters: Maybe<Readonly<Record<string, string>>>,
  path: FieldPath,
): FieldError[] {
  const entries = Object.entries(parameters ?? {});
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(entries.length > maxParameters
      ? [
          invalid(
            path,
            `${String(entries.length)} parameters`,
            `must have at most ${String(maxParameters)} entries`,
          ),
        ]
      : []),
    ...(Object.hasOwn(parameters ?? {}, '') ? [invalid(path, '', 'field can not be empty')] : []),
    ...(bytes > parametersMaxBytes ? [tooLong(path, parametersMaxBytes)] : []),
  ];
}

/** Of labels of nodes of former days (the release is assumed). */
function topologyWarnings({ allowedTopologies }: StorageClass, context: ApiContext): string[] {
  if (!isSince(context, 26)) return [];
  return (allowedTopologies ?? []).flatMap(({ matchLabelExpressions }, i) =>
    (matchLabelExpressions ?? []).flatMap(({ key = '' }, j) => {
      const expressions = FieldPath.of('allowedTopologies').index(i).child('matchLabelExpressions');
      return keyWarning(key, expressions.index(j).child('key'), context);
    }),
  );
}

function validateTopologies(terms: Maybe<readonly TopologySelectorTerm[]>, path: FieldPath): FieldError[] {
  return each(terms, path, (term, at) => {
    const expressions = at.child('matchLabelExpressions');
    const keys = new Set<string>();
    return each(term.matchLabelExpressions, expressions, (requirement, p) => {
      const key = requirement.key ?? '';
      const repeated = keys.has(key) ? [duplicate(p.child('key'), key)] : [];
      keys.add(key);
      return [...repeated, ...validateRequirement(requirement, p)];
    });
  });
}

function validateRequirement(
  { key, values }: TopologySelectorLabelRequirement,
  path: FieldPath,
): FieldError[] {
  const at = path.child('values');
  const seen = new Set<string>();
  const repeated = each(values, at, (value, p) => {
    if (seen.has(value)) return [duplicate(p, value)];
    seen.add(value);
    return [];
  });
  return [
    ...((values ?? []).length === 0 ? [required(at)] : repeated),
    ...validateLabelName(key ?? '', path.child('key')),
  ];
}

/** What a class makes stays alike: only labels, mount options and expansion may change. */
function validateUpdate(next: StorageClass, current: StorageClass): FieldError[] {
  return [
    ...(['parameters', 'provisioner', 'reclaimPolicy'] as const)
      .filter((field) => !same(next[field], current[field]))
      .map((field) => forbidden(FieldPath.of(field), `updates to ${field} are forbidden.`)),
    ...unchanged(next.volumeBindingMode, current.volumeBindingMode, FieldPath.of('volumeBindingMode')),
  ];
}

function shownName({ metadata }: StorageClass, naming: NamingProfile): string {
  const isDefault = ['storageclass', 'storageclass.beta'].some(
    (prefix) => metadata.annotations?.[`${prefix}.${naming.labelDomain}/is-default-class`] === 'true',
  );
  return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
}

export const storageClasses = defineResource<StorageClass>({
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.19',
      removedIn: '1.22',
      replacement: 'storage.{api}/v1 StorageClass',
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: { validate, validateUpdate, warnings: topologyWarnings, deleteReturns: 'object' },
  columns: [
    column<StorageClass>('Name', (storageClass, naming) => shownName(storageClass, naming), {
      format: 'name',
      description: 'Name, marked when it is the default class.',
    }),
    column<StorageClass>('Provisioner', ({ provisioner }) => provisioner, {
      description: 'Who makes volumes.',
    }),
    column<StorageClass>('ReclaimPolicy', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete', {
      description: 'What becomes of a released volume.',
    }),
    column<StorageClass>('VolumeBindingMode', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate', {
      description: 'When volumes are made and bound.',
    }),
    column<StorageClass>(
      'AllowVolumeExpansion',
      ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
      { description: 'Whether volumes may grow.' },
    ),
    ageColumn,
  ],
});
