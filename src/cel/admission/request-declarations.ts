/** What admission expressions know beside the objects themselves: the request, and the namespace of the object. */
import { anything, flag, list, map, object, text, time, userDeclaration, whole } from '../schema/declare.ts';

const versionKind = object('kubernetes.GroupVersionKind', { group: text, version: text, kind: text });
const versionResource = object('kubernetes.GroupVersionResource', {
  ...{ group: text, version: text, resource: text },
});

/** `request`, as reviews have it, without the objects. */
export const requestDeclaration = object('kubernetes.AdmissionRequest', {
  ...{ kind: versionKind, resource: versionResource, subResource: text },
  ...{ requestKind: versionKind, requestResource: versionResource, requestSubResource: text },
  ...{ name: text, namespace: text, operation: text, dryRun: flag, options: anything },
  userInfo: userDeclaration,
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
