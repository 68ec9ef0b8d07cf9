/** The pod that a write makes: itself, or what a workload makes of its template. */
import type { EphemeralContainer, Pod as PodFields, PodTemplateSpec } from '../../api/core/v1.types.ts';
import type { Stored } from '../../api/define.ts';
import { isObject, type JsonValue } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { AdmissionAttributes } from '../../registry/types.ts';
import { isAbout } from '../attributes.ts';
import { find, type ObjectReader } from '../object-reader.ts';

type Pod = Pick<Stored<PodFields>, 'metadata' | 'spec'>;

export interface FoundPod {
  readonly pod: Pod;
  /** The pod before an update. */
  readonly before?: Pod;
  /** It is a pod, not a template: violations are refused. */
  readonly isEnforced: boolean;
}

/** Where the template of a workload is, by group and resource. */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ['/podtemplates', ['template']],
  ...[
    '/replicationcontrollers',
    'apps/replicasets',
    'apps/deployments',
    'apps/statefulsets',
    'apps/daemonsets',
    'batch/jobs',
  ].map((key): [string, readonly string[]] => [key, ['spec', 'template']]),
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]);

/** undefined where the write makes no pods. */
export async function podOf(
  attributes: AdmissionAttributes,
  reader: ObjectReader,
): Promise<FoundPod | undefined> {
  const { object, oldObject, scope } = attributes;
  if (!object) return undefined;
  const isEphemeral = isAbout(attributes, 'pods', 'ephemeralcontainers');
  // Until release 1.21 its body is a kind of its own.
  if (isEphemeral && attributes.kind) return withEphemeral(attributes, reader);
  if (isEphemeral || isAbout(attributes, 'pods'))
    return { pod: object, ...(oldObject && { before: oldObject }), isEnforced: true };
  const { group, resource } = scope.resource.gvr;
  const path = scope.subresource === '' ? templates.get(`${group}/${resource}`) : undefined;
  if (!path) return undefined;
  let value: JsonValue | undefined = asJson(object);
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  if (!isObject(value)) return undefined;
  const { metadata, spec } = value as PodTemplateSpec;
  return { pod: { metadata: metadata ?? {}, spec }, isEnforced: false };
}

/** The body has only the containers that are added; the rest is that of the pod. */
async function withEphemeral(
  { object, oldObject, scope, name }: AdmissionAttributes,
  reader: ObjectReader,
): Promise<FoundPod | undefined> {
  const pod: Pod | undefined = await find(reader, 'core/pods', `${scope.namespace}/${name}`, scope.signal);
  if (!pod) return undefined;
  const withContainers = (body: ApiObject | undefined): Pod => ({
    metadata: pod.metadata,
    spec: { ...pod.spec, ephemeralContainers: body?.['ephemeralContainers'] as EphemeralContainer[] },
  });
  return { pod: withContainers(object), before: withContainers(oldObject), isEnforced: true };
}

/** True where an update changes what is checked: of a pod that runs, that is images, containers and seccomp annotations. */
export function isSignificantChange(next: Pod, before: Pod, { labelDomain }: NamingProfile): boolean {
  const prefix = `seccomp.security.alpha.${labelDomain}`;
  const changes = (key: string): boolean =>
    next.metadata.annotations?.[key] !== before.metadata.annotations?.[key];
  if (changes(`${prefix}/pod`)) return true;
  return (['containers', 'initContainers', 'ephemeralContainers'] as const).some((field) => {
    const known = new Map((before.spec?.[field] ?? []).map((one) => [one.name, one]));
    const list = next.spec?.[field] ?? [];
    if (field !== 'ephemeralContainers' && list.length !== known.size) return true;
    return list.some(
      ({ name = '', image }) =>
        !known.has(name) || known.get(name)?.image !== image || changes(`container.${prefix}/${name}`),
    );
  });
}
