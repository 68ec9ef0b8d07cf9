/** Server-side apply: the configuration is checked, merged into the current object or created (specification). */
import type { JsonObject } from '../base/json.ts';
import { asApiObject } from '../meta/object.ts';
import { isExisting, isMissing, ObjectMissing, type ObjectAddress } from '../meta/object-errors.ts';
import { conflict } from '../meta/status.ts';
import { applyConfiguration } from '../patch/apply/apply-configuration.ts';
import { Configuration } from '../patch/apply/configuration.ts';
import type { ManagedFields } from '../patch/apply/managed-fields.ts';
import { storedManagedFields } from '../patch/apply/managed-fields.ts';
import { appliedForm, assertMayApply, withApplyFaults } from './applied-form.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext, withConversions } from './context.ts';
import { createObject } from './create.ts';
import { emptyObject, setManagedFields, versionsOf } from './field-ownership.ts';
import { metaTime } from './object-meta.ts';
import { addressOf } from './scope-keys.ts';
import type { ApplyOptions, RequestScope, WriteResult } from './types.ts';
import { updateObject } from './update.ts';

/** How often an object may come and go between the look for it and the write. */
const maxAttempts = 5;

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
  assertMayApply(deps);
  const checked = reachable(scope, appliedForm(scope, scope.resource, application));
  const configuration = new Configuration(checked, scope.resource.schema);
  try {
    return await written(deps, scope, application, configuration);
  } catch (error) {
    // What is wrong with the configuration itself comes before whatever else the write met.
    withApplyFaults(() => configuration.fields);
    throw error;
  }
}

/** Changes the object, or creates it where there is none. */
async function written(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, force }: Application,
  configuration: Configuration,
): Promise<WriteResult> {
  const apply = applier(deps, scope, { configuration, force });
  const object = addressOf(scope, name);
  for (let attempt = 1; ; attempt++) {
    const result =
      (await unless(isMissing, object, update(deps, scope, name, apply))) ??
      (await unless(isExisting, object, create(deps, scope, name, apply)));
    if (result) return result;
    if (attempt >= maxAttempts) {
      throw conflict(scope.resource.gvr, name, 'the object is created and deleted all the time');
    }
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
type Apply = (
  live: JsonObject | undefined,
  isFilled?: boolean,
) => { object: JsonObject; managed: ManagedFields };

function applier(
  deps: RegistryDeps,
  scope: RequestScope,
  { configuration, force }: { configuration: Configuration; force: boolean },
): Apply {
  const versions = versionsOf(deps, scope.resource);
  return (live, isFilled) =>
    withApplyFaults(() =>
      applyConfiguration(
        {
          live: live ?? emptyObject(scope.resource),
          isFilled: isFilled === true,
          configuration,
          managed: live ? storedManagedFields(live) : [],
          isNew: live === undefined,
          get empty() {
            return emptyObject(scope.resource);
          },
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
    transform: (live, isFilled) => {
      const applied = apply(live, isFilled);
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
  if (scope.subresource !== '') throw new ObjectMissing(addressOf(scope, name));
  await scope.assertMayCreate();
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

/** Undefined when the call is refused because the object is (not) there. */
async function unless(
  isOutcome: typeof isMissing,
  object: ObjectAddress,
  call: Promise<WriteResult>,
): Promise<WriteResult | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isOutcome(error, object)) return undefined;
    throw error;
  }
}
