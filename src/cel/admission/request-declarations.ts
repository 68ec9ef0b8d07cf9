/** What admission expressions know beside the objects themselves: the request, and the namespace of the object. */
import {
  boolType,
  dynType,
  intType,
  listOf,
  mapOf,
  stringType,
  timestampType,
  type CelType,
} from '../language/types.ts';
import type {
  Declaration,
  ListDeclaration,
  MapDeclaration,
  ObjectDeclaration,
} from '../schema/declaration.ts';

const sizes = { most: 0, leastBytes: 0 };
const text: Declaration = { kind: 'string', type: stringType, ...sizes };
const flag: Declaration = { kind: 'bool', type: boolType, ...sizes };
const whole: Declaration = { kind: 'int', type: intType, ...sizes };
const time: Declaration = { kind: 'timestamp', type: timestampType, ...sizes };
const anything: Declaration = { kind: 'dyn', type: dynType, ...sizes };

function list(item: Declaration): ListDeclaration {
  return { kind: 'list', type: listOf(item.type), item, listType: 'atomic', keys: [], ...sizes };
}

function map(value: Declaration): MapDeclaration {
  return { kind: 'map', type: mapOf(stringType, value.type), value, ...sizes };
}

/** Fields are named as JSON spells them, as the reference declares them. */
function object(name: string, members: Readonly<Record<string, Declaration>>): ObjectDeclaration {
  const fields = new Map(
    Object.entries(members).map(([field, declaration]) => [field, { name: field, declaration }]),
  );
  const type: CelType = {
    kind: 'object',
    name,
    fields: { fieldType: (field) => fields.get(field)?.declaration.type },
  };
  return { kind: 'object', type, fields, ...sizes };
}

const versionKind = object('kubernetes.GroupVersionKind', { group: text, version: text, kind: text });
const versionResource = object('kubernetes.GroupVersionResource', {
  ...{ group: text, version: text, resource: text },
});

/** `request`, as reviews have it, without the objects. */
export const requestDeclaration = object('kubernetes.AdmissionRequest', {
  ...{ kind: versionKind, resource: versionResource, subResource: text },
  ...{ requestKind: versionKind, requestResource: versionResource, requestSubResource: text },
  ...{ name: text, namespace: text, operation: text, dryRun: flag, options: anything },
  userInfo: object('kubernetes.UserInfo', {
    ...{ username: text, uid: text, groups: list(text), extra: map(list(text)) },
  }),
});

/** `namespaceObject`: what a namespace has in every release. */
export const namespaceDeclaration = object('kubernetes.Namespace', {
  metadata: object('kubernetes.NamespaceMetadata', {
    ...{ name: text, generateName: text, namespace: text, UID: text, uid: text, resourceVersion: text },
    ...{ labels: map(text), annotations: map(text), finalizers: list(text) },
    ...{ creationTimestamp: time, deletionTimestamp: time },
    ...{ deletionGracePeriodSeconds: whole, generation: whole },
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: list(text) }),
  status: object('kubernetes.NamespaceStatus', { phase: text }),
});
