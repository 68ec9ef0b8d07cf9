/** Server-side apply: the configuration is checked, merged into the current object or created (specification). */
import type { JsonObject } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { apiVersionOf } from '../meta/gvk.ts';
import { asApiObject } from '../meta/object.ts';
import { badRequest, conflict, notFound, StatusError, unsupportedMediaType } from '../meta/status.ts';
import type { Configuration } from '../patch/apply/apply-configuration.ts';
import { applyConfiguration, readConfiguration } from '../patch/apply/apply-configuration.ts';
import { ApplyConflictError } from '../patch/apply/conflict.ts';
import type { ManagedFields } from '../patch/apply/managed-fields.ts';
import { storedManagedFields } from '../patch/apply/managed-fields.ts';
import { PatchError } from '../patch/patch-error.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext, withConversions } from './context.ts';
import { createObject } from './create.ts';
import { emptyObject, isOwnershipTracked, setManagedFields, versionsOf } from './field-ownership.ts';
import { agreeName, agreeNamespace, metaTime } from './object-meta.ts';
import type { ApplyOptions, RequestScope, WriteResult } from './types.ts';
import { updateObject } from './update.ts';

/** How often an object may come and go between the look for it and the write. */
const maxAttempts = 5;

const otherPatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

export interface Application extends ApplyOptions {
  readonly name: string;
  /** The body as sent. */
  readonly configuration: JsonObject;
}

/**
 * Applies a configuration to an object, which it creates where there is none.
 * @throws StatusError 400, 403, 404 (subresources), 409 with a cause per manager and field, 415 (gate off), 422
 */
export async function applyObject(
  deps: RegistryDeps,
  scope: RequestScope,
  application: Application,
): Promise<WriteResult> {
  if (!isOwnershipTracked(deps)) throw unsupportedMediaType(otherPatchTypes);
  const checked = checkedConfiguration(scope, application);
  const configuration = translated(() => readConfiguration(checked, versionsOf(deps, scope.resource)));
  const apply = applier(deps, scope, { configuration, force: application.force });
  for (let attempt = 1; ; attempt++) {
    const written =
      (await unless('NotFound', update(deps, scope, application.name, apply))) ??
      (await unless('AlreadyExists', create(deps, scope, application.name, apply)));
    if (written) return written;
    if (attempt >= maxAttempts) {
      throw conflict(scope.resource.gvr, application.name, 'the object is created and deleted all the time');
    }
  }
}

/** The body with the form of its schema, without what an apply through this path does not reach. */
function checkedConfiguration(scope: RequestScope, { name, configuration }: Application): JsonObject {
  const { resource } = scope;
  assertTypeMeta(scope, configuration);
  const { value, errors, unknown } = resource.structure(configuration);
  const faults = [...errors, ...unknown.map((path) => `${path}: field not declared in schema`)];
  if (faults.length > 0) {
    throw badRequest(`${resource.gvk.kind} cannot be applied: ${faults.join('; ')}`);
  }
  const object = { ...value, metadata: isObject(value['metadata']) ? value['metadata'] : {} };
  const { metadata } = asApiObject(object);
  if (metadata.managedFields) throw badRequest('metadata.managedFields must be nil');
  agreeName(name, metadata);
  agreeNamespace(scope, metadata);
  return reachable(scope, object);
}

function assertTypeMeta({ resource }: RequestScope, { kind, apiVersion }: JsonObject): void {
  if (kind !== resource.gvk.kind) {
    throw badRequest(`an applied configuration must name its kind, which is ${resource.gvk.kind} here`);
  }
  const expected = apiVersionOf(resource.gvk);
  if (apiVersion !== expected) {
    const specified = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${specified}, expected: ${expected}`,
    );
  }
}

/** Status is written through its subresource alone, and nothing else through that: it would be claimed in vain. */
function reachable(scope: RequestScope, object: JsonObject): JsonObject {
  if (!scope.resource.subresource('status')) return object;
  const { status, ...rest } = object;
  if (scope.subresource !== 'status') return rest;
  const { kind, apiVersion, metadata } = object;
  return {
    ...(kind !== undefined && { kind }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(metadata !== undefined && { metadata }),
    ...(status !== undefined && { status }),
  };
}

/** Applies the configuration to an object of the request's version; undefined: to a new one. */
type Apply = (live: JsonObject | undefined) => { object: JsonObject; managed: ManagedFields };

function applier(
  deps: RegistryDeps,
  scope: RequestScope,
  { configuration, force }: { configuration: Configuration; force: boolean },
): Apply {
  const versions = versionsOf(deps, scope.resource);
  return (live) =>
    translated(() =>
      applyConfiguration(
        {
          live: live ?? emptyObject(scope.resource),
          configuration,
          managed: live ? storedManagedFields(live) : [],
          isNew: live === undefined,
          empty: emptyObject(scope.resource),
          manager: scope.fieldManager,
          subresource: scope.subresource,
          force,
          time: metaTime(apiContext(deps, scope).now()),
        },
        versions,
      ),
    );
}

function update(deps: RegistryDeps, scope: RequestScope, name: string, apply: Apply): Promise<WriteResult> {
  let managed: ManagedFields = [];
  return updateObject(deps, scope, name, {
    isReplace: false,
    transform: (live) => {
      const applied = apply(live);
      ({ managed } = applied);
      return applied.object;
    },
    own: (next) => {
      setManagedFields(next, managed);
    },
  });
}

async function create(
  deps: RegistryDeps,
  scope: RequestScope,
  name: string,
  apply: Apply,
): Promise<WriteResult> {
  if (scope.subresource !== '') throw notFound(scope.resource.gvr, name);
  await scope.assertMayCreate?.();
  const { object, managed } = await withConversions(deps, () => apply(undefined));
  const { uid = '' } = asApiObject(object).metadata;
  if (uid !== '') {
    const problem = `the applied configuration names the uid ${uid}, and there is no such object`;
    throw conflict(scope.resource.gvr, name, problem);
  }
  const own = (next: Parameters<typeof setManagedFields>[0]): void => {
    setManagedFields(next, managed);
  };
  return createObject(deps, scope, { name, body: object, own });
}

/** Undefined when the call is refused for one reason. */
async function unless(reason: string, call: Promise<WriteResult>): Promise<WriteResult | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof StatusError && error.reason === reason) return undefined;
    throw error;
  }
}

/** Faults of an apply as the Status that the client gets. */
function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApplyConflictError) {
      const causes = error.conflicts.map((c) => ({ reason: 'FieldManagerConflict', ...c }));
      throw new StatusError(409, 'Conflict', error.message, { details: { causes } });
    }
    if (!(error instanceof PatchError)) throw error;
    throw new StatusError(422, 'Invalid', `the configuration cannot be applied: ${error.message}`);
  }
}
