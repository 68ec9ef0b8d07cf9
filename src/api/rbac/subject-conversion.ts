/** Subjects of bindings in v1alpha1: a group and version where later versions have a group. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ApiContext } from '../types.ts';

const group = 'rbac.authorization.{api}';
const everyone = 'system:authenticated';

function changeSubjects(object: JsonObject, change: (subject: JsonObject) => JsonObject): JsonObject {
  const { subjects } = object;
  if (Array.isArray(subjects))
    object['subjects'] = subjects.map((subject: JsonValue) =>
      isObject(subject) ? change(subject) : subject,
    );
  return object;
}

function isUserSubject(kind: JsonValue | undefined): boolean {
  return kind === 'User' || kind === 'Group';
}

/** The star meant every user; later versions say that with a group. */
export function subjectsToStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  return changeSubjects(object, ({ apiVersion, ...subject }) => {
    const { kind, name } = subject;
    if (kind === 'ServiceAccount') return subject;
    const apiGroup = isUserSubject(kind) ? expandNames(group, naming) : groupOf(apiVersion);
    const named = { ...subject, ...(apiGroup !== '' && { apiGroup }) };
    return kind === 'User' && name === '*' ? { ...named, kind: 'Group', name: everyone } : named;
  });
}

function groupOf(apiVersion: JsonValue | undefined): string {
  const text = typeof apiVersion === 'string' ? apiVersion : '';
  return text.includes('/') ? (text.split('/')[0] ?? '') : '';
}

export function subjectsFromStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  return changeSubjects(object, ({ apiGroup, ...subject }) => {
    const apiVersion = alphaVersion(subject['kind'], typeof apiGroup === 'string' ? apiGroup : '', naming);
    return { ...subject, ...(apiVersion !== '' && { apiVersion }) };
  });
}

function alphaVersion(kind: JsonValue | undefined, apiGroup: string, naming: NamingProfile): string {
  if (kind === 'ServiceAccount') return 'v1';
  if (isUserSubject(kind)) return `${expandNames(group, naming)}/v1alpha1`;
  return apiGroup === '' ? '' : `${apiGroup}/`;
}

/** Users and groups belong to this group, service accounts to the core. */
export function applySubjectDefaults(object: ApiObject, context: ApiContext): void {
  const { subjects } = object as ApiObject & { subjects?: { kind?: string; apiVersion?: string }[] | null };
  for (const subject of subjects ?? []) {
    if (!subject.apiVersion) subject.apiVersion = alphaVersion(subject.kind, '', context.naming);
  }
}
