/** Namespace: Active until deleted, then Terminating until every one of its `spec.finalizers` is gone. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource, keepStatus, statusSubresource } from '../define.ts';
import type { ApiContext, StandardVerb, SubresourceDefinition } from '../types.ts';
import { nameIsDns1123Label, qualifiedName } from '../validation/name-rules.ts';
import { each, invalidEach } from '../validation/rules.ts';
import type { Namespace as NamespaceFields } from './v1.types.ts';

type Namespace = Stored<NamespaceFields>;

const verbs: readonly StandardVerb[] = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** Every namespace carries its own name as a label, so that selectors can name it. */
function labelWithName({ metadata }: Namespace, context: ApiContext): void {
  if (!metadata.name || !context.isFeatureEnabled('NamespaceDefaultLabelName')) return;
  metadata.labels = { ...metadata.labels, [`${context.naming.labelDomain}/metadata.name`]: metadata.name };
}

function prepareForCreate(namespace: Namespace, context: ApiContext): void {
  const finalizers = namespace.spec?.finalizers ?? [];
  const own = context.naming.namespaceFinalizer;
  namespace.spec = { finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own] };
  namespace.status = { phase: 'Active' };
  labelWithName(namespace, context);
}

/** Only the `finalize` subresource may change the finalizers. */
function prepareForUpdate(next: Namespace, current: Namespace, context: ApiContext): void {
  next.spec = { ...next.spec };
  if (current.spec?.finalizers === undefined) delete next.spec.finalizers;
  else next.spec.finalizers = current.spec.finalizers;
  keepStatus(next, current);
  labelWithName(next, context);
}

function validateFinalizers(namespace: Namespace, naming: NamingProfile): FieldError[] {
  const path = FieldPath.of('spec').child('finalizers');
  return each(namespace.spec?.finalizers, path, (name, at) => [
    ...invalidEach(name, at, qualifiedName(name)),
    ...(name.includes('/') ||
    name === naming.namespaceFinalizer ||
    naming.formerNamespaceFinalizers.includes(name)
      ? []
      : [invalid(at, name, 'name is neither a standard finalizer name nor is it fully qualified')]),
  ]);
}

function validateStatus(next: Namespace): FieldError[] {
  const isTerminating = next.metadata.deletionTimestamp != null;
  const phase = next.status?.phase ?? '';
  const expected = isTerminating ? 'Terminating' : 'Active';
  const state = isTerminating ? 'not empty' : 'empty';
  return phase === expected
    ? []
    : [
        invalid(
          FieldPath.of('status').child('phase'),
          phase,
          `may only be '${expected}' if \`deletionTimestamp\` is ${state}`,
        ),
      ];
}

const finalize: SubresourceDefinition<Namespace> = {
  name: 'finalize',
  verbs: ['update'],
  type: 'object',
  prepareForUpdate: keepStatus,
  validateUpdate: (next, _current, context) => validateFinalizers(next, context.naming),
};

export const namespaces = defineResource<Namespace>({
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  verbs,
  versions: [
    {
      version: 'v1',
      applyDefaults: (object, context) => {
        labelWithName(object, context);
      },
    },
  ],
  validateName: nameIsDns1123Label,
  strategy: {
    prepareForCreate,
    prepareForUpdate,
    validate: (namespace, context) => validateFinalizers(namespace, context.naming),
  },
  subresources: [statusSubresource<Namespace>({ validateUpdate: validateStatus }), finalize],
  columns: [
    nameColumn,
    column<Namespace>('Status', (namespace) => namespace.status?.phase, {
      description: 'Phase of the life cycle.',
    }),
    ageColumn,
  ],
  selectableFields: { 'status.phase': (namespace) => namespace.status?.phase ?? '' },
});
