/** RoleBinding and ClusterRoleBinding: the subjects that have the permissions of a role. */
import type { FieldError } from '../../meta/field-error.ts';
import { notSupported, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../columns/columns.ts';
import type { ResourceParts, Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import type { ResourceVersionDefinition } from '../types.ts';
import { nameIsPathSegment, pathSegment } from '../validation/name-rules.ts';
import { each, invalidEach, need, obeys, same } from '../validation/rules.ts';
import { invalid } from '../../meta/field-error.ts';
import { applySubjectDefaults, subjectsFromStorage, subjectsToStorage } from './subject-conversion.ts';
import type { RoleBinding as BindingFields, RoleRef, Subject } from './v1.types.ts';

/** A ClusterRoleBinding has the same fields. */
type Binding = Stored<BindingFields>;

const group = 'rbac.authorization.{api}';

function validate(binding: Binding, naming: NamingProfile, isNamespaced: boolean): FieldError[] {
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...validateRoleRef(binding.roleRef ?? {}, kinds, expandNames(group, naming)),
    ...each(binding.subjects, FieldPath.of('subjects'), (subject, at) =>
      validateSubject(subject, at, expandNames(group, naming)),
    ),
  ];
}

function validateRoleRef(
  { apiGroup = '', kind = '', name }: RoleRef,
  kinds: string[],
  own: string,
): FieldError[] {
  const at = FieldPath.of('roleRef');
  return [
    ...(apiGroup === own ? [] : [notSupported(at.child('apiGroup'), apiGroup, [own])]),
    // An unknown kind of role is reported with the supported values.
    ...(kinds.includes(kind) || !(kind === '' || kind === 'Role')
      ? []
      : [notSupported(at.child('kind'), kind, kinds)]),
    ...need(name, at.child('name'), obeys(pathSegment)),
  ];
}

function validateSubject(subject: Subject, at: FieldPath, own: string): FieldError[] {
  const { kind = '', apiGroup = '', name, namespace } = subject;
  const expected = kind === 'ServiceAccount' ? '' : own;
  const isKnown = ['ServiceAccount', 'User', 'Group'].includes(kind);
  return [
    ...need(name, at.child('name'), (text, p) =>
      kind === 'ServiceAccount' ? invalidEach(text, p, pathSegment(text)) : [],
    ),
    ...(kind === '' ? [notSupported(at.child('kind'), kind, ['ServiceAccount', 'User', 'Group'])] : []),
    ...(isKnown && apiGroup !== expected ? [notSupported(at.child('apiGroup'), apiGroup, [expected])] : []),
    ...(kind === 'ServiceAccount' && !namespace ? [required(at.child('namespace'))] : []),
  ];
}

/** Which role a binding gives is what it is. */
function validateUpdate(next: Binding, current: Binding): FieldError[] {
  return same(next.roleRef, current.roleRef)
    ? []
    : [invalid(FieldPath.of('roleRef'), next.roleRef, 'cannot change roleRef')];
}

function namesOf(binding: Binding, kind: string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name = '', namespace }) =>
      kind === 'ServiceAccount' && namespace ? `${namespace}/${name}` : name,
    )
    .join(', ');
}

function versions(kind: string): ResourceVersionDefinition[] {
  return [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.17',
      removedIn: '1.22',
      replacement: `rbac.authorization.{api}/v1 ${kind}`,
    },
    {
      version: 'v1alpha1',
      removedIn: '1.23',
      applyDefaults: applySubjectDefaults,
      toStorage: subjectsToStorage,
      fromStorage: subjectsFromStorage,
    },
  ];
}

const common: Omit<ResourceParts<Binding>, 'kind' | 'plural' | 'namespaced' | 'versions' | 'strategy'> = {
  validateName: nameIsPathSegment,
  columns: [
    nameColumn,
    column<Binding>('Role', ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`, {
      description: 'Role that is given.',
    }),
    ageColumn,
    wideColumn<Binding>('Users', (binding) => namesOf(binding, 'User'), 'Users that have it.'),
    wideColumn<Binding>('Groups', (binding) => namesOf(binding, 'Group'), 'Groups that have it.'),
    wideColumn<Binding>(
      'ServiceAccounts',
      (binding) => namesOf(binding, 'ServiceAccount'),
      'Service accounts that have it.',
    ),
  ],
};

export const roleBindings = defineResource<Binding>({
  ...common,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  versions: versions('RoleBinding'),
  strategy: {
    createOnUpdate: true,
    validate: (binding, { naming }) => validate(binding, naming, true),
    validateUpdate,
  },
});

export const clusterRoleBindings = defineResource<Binding>({
  ...common,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  versions: versions('ClusterRoleBinding'),
  strategy: {
    createOnUpdate: true,
    validate: (binding, { naming }) => validate(binding, naming, false),
    validateUpdate,
  },
});
