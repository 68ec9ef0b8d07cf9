/** `pods/binding` and `bindings`: sets a pod's node, once (core/v1 Binding). */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject, setOwn, textOf } from '../../base/json.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { notSupported, required } from '../../meta/field-error.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import { badRequest, conflict, invalidObject, methodNotSupported } from '../../meta/status.ts';
import type { ActionRequest } from './action.ts';
import { admittedAlready } from '../write/admit.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { derivedScope } from '../derived-scope.ts';
import { formatSeconds } from '../../meta/time.ts';
import { sizeOf } from '../../storage/size.ts';
import { objectKey } from '../scope-keys.ts';
import type { RequestScope } from '../types.ts';
import { updateObject } from '../write/update.ts';

/**
 * Binds a pod to the node that the body's target names.
 * @throws StatusError 400, 404, 409, 422; GrownWrite for a large pod, where the write may move
 */
export async function createBinding(
  deps: RegistryDeps,
  scope: RequestScope,
  request: ActionRequest,
): Promise<JsonValue> {
  if (request.verb !== 'create') throw methodNotSupported();
  const binding = request.body ?? {};
  const name = podName(request, binding);
  const target = isObject(binding['target']) ? binding['target'] : {};
  assertTarget(name, target);
  const pods = podScope(deps, scope);
  assertServed(deps, pods, name, scope.growth);
  const bind = (pod: JsonObject): JsonObject =>
    bound(deps, pods, { pod, binding, node: textOf(target['name']) });
  const admitted = { ...deps, admission: admittedAlready };
  await updateObject(admitted, pods, name, bind);
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

/** A `bindings` body names its pod in its metadata; under a pod's path both must agree. */
function podName(request: ActionRequest, binding: JsonObject): string {
  const metadata = isObject(binding['metadata']) ? binding['metadata'] : {};
  const named = textOf(metadata['name']);
  if (request.name !== '' && named !== '' && named !== request.name) {
    throw badRequest(`name in URL (${request.name}) does not match name in Binding object (${named})`);
  }
  const name = request.name === '' ? named : request.name;
  if (name === '') throw badRequest('metadata.name of a Binding must name the pod');
  return name;
}

function assertTarget(name: string, target: JsonObject): void {
  const errors: FieldError[] = [];
  const kind = target['kind'] ?? '';
  if (kind !== '' && kind !== 'Node') errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  if (typeof target['name'] !== 'string' || target['name'] === '') errors.push(required('target.name'));
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Binding' }, name, errors);
}

/** Under the path of a pod its length is known before; under that of bindings the body names it. @throws GrownWrite */
function assertServed(
  { storage }: RegistryDeps,
  pods: RequestScope,
  name: string,
  growth: RequestScope['growth'],
): void {
  if (growth !== 'moves') return;
  const stored = storage.peek(pods.resource.storage.collection, objectKey(pods, name));
  if (stored && sizeOf(stored) > smallBodyBytes) throw new GrownWrite();
}

/** The write goes to the pod as the scheduler's view of it: neither a status nor a spec update. */
function podScope(deps: RegistryDeps, scope: RequestScope): RequestScope {
  const pods = deps.catalogue.resource('', scope.resource.gvr.version, 'pods');
  if (!pods) throw new Error('the catalogue has no pods');
  return derivedScope(scope, { resource: pods, subresource: 'binding' });
}

interface Bind {
  readonly pod: JsonObject;
  readonly binding: JsonObject;
  readonly node: string;
}

function bound(deps: RegistryDeps, scope: RequestScope, { pod, binding, node }: Bind): JsonObject {
  const metadata = pod['metadata'] as JsonObject;
  const spec = pod['spec'] as JsonObject;
  const name = textOf(metadata['name']);
  if (metadata['deletionTimestamp'] != null) {
    throw conflict(scope.resource.gvr, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (spec['nodeName'] !== undefined && spec['nodeName'] !== '') {
    throw conflict(
      scope.resource.gvr,
      name,
      `pod ${name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`,
    );
  }
  const status = isObject(pod['status']) ? pod['status'] : {};
  return {
    ...pod,
    metadata: {
      ...metadata,
      annotations: merged('annotations', metadata, binding),
      ...(deps.isFeatureEnabled('PodTopologyLabelsAdmission') && {
        labels: merged('labels', metadata, binding),
      }),
    },
    spec: { ...spec, nodeName: node },
    status: {
      ...status,
      conditions: scheduled(status['conditions'], formatSeconds(new Date(deps.clock.now()))),
    },
  };
}

function merged(field: 'annotations' | 'labels', metadata: JsonObject, binding: JsonObject): JsonObject {
  const result: JsonObject = {};
  const sent = isObject(binding['metadata']) ? binding['metadata'][field] : undefined;
  for (const source of [metadata[field], sent]) {
    if (!isObject(source)) continue;
    for (const [key, value] of Object.entries(source)) setOwn(result, key, value ?? '');
  }
  return result;
}

/** The condition PodScheduled, true from now on. */
function scheduled(conditions: JsonValue | undefined, now: string): JsonValue[] {
  const others = Array.isArray(conditions)
    ? conditions.filter((c) => !isObject(c) || c['type'] !== 'PodScheduled')
    : [];
  return [...others, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }];
}
