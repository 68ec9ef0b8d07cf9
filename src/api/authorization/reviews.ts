/** Access reviews: operations, not stored objects. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { invalid, type FieldError } from '../../meta/field-error.ts';
import { createdAtColumn, nameColumn } from '../columns/columns.ts';
import { defineResource, type Stored } from '../define.ts';
import type { ResourceDefinition, ResourceVersionDefinition } from '../types.ts';
import { selectorErrors } from './selector-errors.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from './v1.types.ts';

const spec = FieldPath.of('spec');

/** The resource or non-resource URL of the review. */
function questionErrors({
  spec: { resourceAttributes, nonResourceAttributes } = {},
}: Stored<SelfSubjectAccessReview>): FieldError[] {
  const [resource, path] = [spec.child('resourceAttributes'), spec.child('nonResourceAttributes')];
  if (resourceAttributes != null && nonResourceAttributes != null)
    return [
      invalid(
        path,
        asValue(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  if (resourceAttributes == null && nonResourceAttributes == null)
    return [
      invalid(resource, null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified'),
    ];
  return resourceAttributes == null ? [] : selectorErrors(resourceAttributes, resource);
}

function subjectErrors({ spec: { user, groups } = {} }: Stored<SubjectAccessReview>): FieldError[] {
  if ((user ?? '') !== '' || (groups ?? []).length > 0) return [];
  return [invalid(spec.child('user'), user ?? '', 'at least one of user or group must be specified')];
}

/** Nothing is kept of a review of access, so that it has no metadata but, for some, its namespace. */
function metadataErrors({ metadata }: Stored<object>, mayHave?: 'namespace'): FieldError[] {
  const { managedFields: _managed, namespace, ...others } = metadata;
  const given = mayHave === 'namespace' ? others : { ...others, namespace };
  if (Object.values(given).every((value) => value == null || value === '')) return [];
  const detail = mayHave ? `must be empty except for ${mayHave}` : 'must be empty';
  return [invalid(FieldPath.of('metadata'), asValue(metadata), detail)];
}

function localErrors(review: Stored<LocalSubjectAccessReview>): FieldError[] {
  const { resourceAttributes: asked, nonResourceAttributes: path } = review.spec ?? {};
  const namespace = review.metadata.namespace ?? '';
  return [
    ...(asked != null && (asked.namespace ?? '') !== namespace
      ? [
          invalid(
            spec.child('resourceAttributes').child('namespace'),
            asked.namespace ?? '',
            'must match metadata.namespace',
          ),
        ]
      : []),
    ...(path != null
      ? [invalid(spec.child('nonResourceAttributes'), asValue(path), 'disallowed on this kind of request')]
      : []),
  ];
}

function asValue(value: object): JsonObject {
  return value as JsonObject;
}

/** In v1beta1 the groups of a subject are called `group`. */
const groupsRenamed = {
  toStorage: (object: JsonObject): JsonObject => renamed(object, 'group', 'groups'),
  fromStorage: (object: JsonObject): JsonObject => renamed(object, 'groups', 'group'),
};

function renamed(object: JsonObject, from: string, to: string): JsonObject {
  const { spec: asked } = object;
  if (!isObject(asked) || asked[from] === undefined) return object;
  const { [from]: groups, ...rest } = asked;
  object['spec'] = { ...rest, [to]: groups };
  return object;
}

type Parts = Pick<ResourceDefinition, 'kind' | 'namespaced'> & {
  readonly validate?: (review: never) => FieldError[];
  readonly conversion?: Pick<ResourceVersionDefinition, 'toStorage' | 'fromStorage'>;
};

function review({ kind, namespaced, validate, conversion }: Parts): ResourceDefinition {
  return defineResource({
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    verbs: ['create'],
    versions: [
      { version: 'v1' },
      {
        version: 'v1beta1',
        deprecatedIn: '1.19',
        removedIn: '1.22',
        replacement: `authorization.{api}/v1 ${kind}`,
        ...conversion,
      },
    ],
    validateName: nameIsPathSegment,
    ...(validate && { strategy: { validate: (object) => validate(object as never) } }),
    columns: [nameColumn, createdAtColumn],
    virtual: true,
  });
}

export const subjectAccessReviews = review({
  kind: 'SubjectAccessReview',
  namespaced: false,
  validate: (object: Stored<SubjectAccessReview>) => [
    ...questionErrors(object),
    ...subjectErrors(object),
    ...metadataErrors(object),
  ],
  conversion: groupsRenamed,
});

export const selfSubjectAccessReviews = review({
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  validate: (object: Stored<SelfSubjectAccessReview>) => [
    ...questionErrors(object),
    ...metadataErrors(object),
  ],
});

export const localSubjectAccessReviews = review({
  kind: 'LocalSubjectAccessReview',
  namespaced: true,
  validate: (object: Stored<LocalSubjectAccessReview>) => [
    ...questionErrors(object),
    ...subjectErrors(object),
    ...metadataErrors(object, 'namespace'),
    ...localErrors(object),
  ],
  conversion: groupsRenamed,
});

/** As for token reviews, metadata must be empty. */
export const selfSubjectRulesReviews = review({ kind: 'SelfSubjectRulesReview', namespaced: false });
