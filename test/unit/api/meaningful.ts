/**
 * What of random objects could not be written by anybody: both of two alternatives, annotations that only conversions
 * write. Kinds whose versions have the same shape need nothing.
 */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isObject } from '../../../src/base/json.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { StructSchema } from '../../../src/schema/types.ts';

type Shaper = (object: JsonObject, schema: StructSchema) => JsonObject;

/** By group, version and kind of the version that is tested; the object may be of it or of the stored one. */
const shapers: Readonly<Record<string, Shaper>> = {
  'apiextensions.{api}/v1beta1 CustomResourceDefinition': saidOnce,
  'networking.{api}/v1beta1 Ingress': oneBackendPort,
  'extensions/v1beta1 Ingress': oneBackendPort,
  'extensions/v1beta1 DaemonSet': countedTemplates,
  'autoscaling/v2beta1 HorizontalPodAutoscaler': cpuLast,
  'autoscaling/v2 HorizontalPodAutoscaler': (object) => cpuLast(targetsOfSources(object)),
  'autoscaling/v2beta2 HorizontalPodAutoscaler': (object) => cpuLast(targetsOfSources(object)),
  'resource.{api}/v1beta1 ResourceSlice': describedDevices,
  'resource.{api}/v1alpha3 ResourceSlice': describedDevices,
  'resource.{api}/v1alpha1 ResourceClaim': oneHandle,
  'discovery.{api}/v1beta1 EndpointSlice': hostnamesOfNodes,
  'rbac.authorization.{api}/v1alpha1 ClusterRoleBinding': knownSubjects,
  'rbac.authorization.{api}/v1alpha1 RoleBinding': knownSubjects,
};

/** What holds for all versions of a definition is said once; the first version is named, and what is kept is told. */
function saidOnce(object: JsonObject, schema: StructSchema): JsonObject {
  if (!schema.name.startsWith('apiextensions/v1beta1')) return object;
  const spec = (object['spec'] ??= {}) as JsonObject;
  const versions = ((spec['versions'] ?? []) as JsonObject[]).slice();
  if (versions.length === 0) versions.push({ name: 'v7', served: true, storage: true });
  const tops = { schema: 'validation', subresources: 'subresources' };
  for (const [field, top] of Object.entries({
    ...tops,
    additionalPrinterColumns: 'additionalPrinterColumns',
    selectableFields: 'selectableFields',
  })) {
    const alone = spec[top] === undefined && versions.length > 1 ? versions.slice(1) : [];
    for (const version of versions) if (!alone.includes(version)) Reflect.deleteProperty(version, field);
  }
  const preserveUnknownFields = spec['preserveUnknownFields'] ?? true;
  object['spec'] = { ...spec, versions, version: versions[0]?.['name'] ?? '', preserveUnknownFields };
  return object;
}

/** The CPU may only stand last, for the stored form says it in a field; here there is none. */
function cpuLast(object: JsonObject): JsonObject {
  const spec = isObject(object['spec']) ? object['spec'] : {};
  for (const metric of (spec['metrics'] ?? []) as JsonObject[]) {
    if (isObject(metric['resource'])) metric['resource']['name'] = 'memory';
  }
  return object;
}

/** A device of v1beta1 is described, if only by nothing. */
function describedDevices(object: JsonObject, schema: StructSchema): JsonObject {
  if (!/^resource\/(v1beta1|v1alpha3)/.test(schema.name) || !isObject(object['spec'])) return object;
  const devices = (object['spec']['devices'] ?? []) as JsonObject[];
  for (const device of devices) device['basic'] ??= {};
  return object;
}

/** The first version has the data of one driver. */
function oneHandle(object: JsonObject, schema: StructSchema): JsonObject {
  const status = isObject(object['status']) ? object['status'] : {};
  const allocation = isObject(status['allocation']) ? status['allocation'] : {};
  const handles = allocation['resourceHandles'];
  if (schema.name.startsWith('resource/v1alpha1') || handles === undefined) return object;
  if (Array.isArray(handles) && handles.length > 0) allocation['resourceHandles'] = [{ data: 'x' }];
  else Reflect.deleteProperty(allocation, 'resourceHandles');
  return object;
}

/** Targets and observations as each source has them. */
function targetsOfSources(object: JsonObject): JsonObject {
  return everyObject(object, (part) => {
    for (const source of ['resource', 'containerResource'])
      keepOf(part[source], ['averageUtilization', 'averageValue'], 'Utilization');
    keepOf(part['pods'], ['averageValue'], 'AverageValue');
    keepOf(part['object'], ['value'], 'Value');
    keepOf(part['external'], ['value'], 'Value');
  });
}

function keepOf(source: JsonValue | undefined, amounts: readonly string[], type: string): void {
  if (!isObject(source)) return;
  const isSpec = isObject(source['target']);
  const held = source[isSpec ? 'target' : 'current'];
  if (!isObject(held)) return;
  for (const name of ['value', 'averageValue', 'averageUtilization']) {
    if (!amounts.includes(name)) Reflect.deleteProperty(held, name);
  }
  if (!isSpec) return;
  const isShare = type !== 'Utilization' || held['averageUtilization'] !== undefined;
  held['type'] = isShare ? type : 'AverageValue';
  if (type === 'Value') held['value'] ??= '5';
}

/** The map of v1beta1 repeats the name of the node. */
function hostnamesOfNodes(object: JsonObject, schema: StructSchema): JsonObject {
  if (!schema.name.startsWith('discovery/v1beta1')) return object;
  for (const endpoint of (object['endpoints'] ?? []) as JsonObject[]) {
    if (typeof endpoint['nodeName'] !== 'string') continue;
    const topology = isObject(endpoint['topology']) ? endpoint['topology'] : {};
    endpoint['topology'] = { ...topology, 'orch.io/hostname': endpoint['nodeName'] };
  }
  return object;
}

/** Subjects are of three kinds, each of one group. A user named by a star was everybody, whom later versions name by a group. */
function knownSubjects(object: JsonObject, schema: StructSchema): JsonObject {
  const isAlpha = schema.name.startsWith('rbac/v1alpha1');
  const subjects = (object['subjects'] ?? []) as JsonObject[];
  subjects.forEach((subject, i) => {
    const isAccount = i % 2 === 1;
    subject['kind'] = isAccount ? 'ServiceAccount' : i % 4 === 0 ? 'User' : 'Group';
    if (subject['name'] === '*') subject['name'] = 'star';
    if (isAlpha) subject['apiVersion'] = isAccount ? 'v1' : 'rbac.authorization.orch.io/v1alpha1';
    else subject['apiGroup'] = isAccount ? '' : 'rbac.authorization.orch.io';
  });
  return object;
}

/** Who goes through the extensions version gets its count of templates, so stored objects have one here. */
function countedTemplates(object: JsonObject, schema: StructSchema): JsonObject {
  if (!schema.name.startsWith('apps/')) return object;
  const metadata = object['metadata'] as JsonObject;
  const annotations = isObject(metadata['annotations']) ? metadata['annotations'] : {};
  metadata['annotations'] = { 'deprecated.daemonset.template.generation': '7', ...annotations };
  return object;
}

/** A port has a number or a name; a service that is written has a name. */
function oneBackendPort(object: JsonObject): JsonObject {
  return everyObject(object, (part) => {
    if (part['servicePort'] === '' || part['servicePort'] === 0) delete part['servicePort'];
    const { service } = part;
    if (!isObject(service)) return;
    service['name'] = service['name'] === '' || service['name'] === undefined ? 'a' : service['name'];
    const { port } = service;
    if (isObject(port) && typeof port['name'] === 'string' && port['name'] !== '') delete port['number'];
  });
}

/** Changes every object inside, the outermost first. */
function everyObject(value: JsonObject, change: (part: JsonObject) => void): JsonObject {
  change(value);
  const visit = (member: JsonValue | undefined): void => {
    if (Array.isArray(member)) member.forEach(visit);
    else if (isObject(member)) everyObject(member, change);
  };
  Object.values(value).forEach(visit);
  return value;
}

export function meaningful({ gvk }: ServedResource, schema: StructSchema, object: JsonObject): JsonObject {
  return shapers[`${gvk.group}/${gvk.version} ${gvk.kind}`]?.(object, schema) ?? object;
}
