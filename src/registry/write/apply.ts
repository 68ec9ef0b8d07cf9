/**
 * Server-side apply: validates the configuration and merges it into the current object, or creates the object
 * (KEP-555).
 */
import type { JsonObject } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import { asApiObject } from '../../meta/object.ts';
import { ObjectNotFound } from '../../meta/object-errors.ts';
import { conflict } from '../../meta/status.ts';
import { applyConfiguration, type Applied } from '../../patch/apply/apply-configuration.ts';
import { Configuration } from '../../patch/apply/applied-configuration.ts';
import { runConverting } from '../../patch/apply/converting.ts';
import { storedManagedFields } from '../../patch/apply/managed-fields.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { apiContext } from '../registry-context.ts';
import { addressOf } from '../scope-keys.ts';
import type { ApplyOptions, RequestScope, WriteResult } from '../types.ts';
import { appliedForm, assertMayApply, withApplyErrors } from './sent-configuration.ts';
import { converter, emptyObject, readVersions, versionsOf } from './field-ownership.ts';
import { fieldsOfLastApplied, isCommandLineClient, withLastApplied } from './last-applied.ts';
import { formatSeconds } from '../../meta/time.ts';
import { writeObject } from './pipeline.ts';
import { entrySubresource, reachable, unreachableFields } from './reach.ts';

export interface Application extends ApplyOptions {
  readonly name: string;
  /** The body as sent. */
  readonly configuration: JsonObject;
}

/**
 * Applies a configuration to an object, or creates it.
 * @throws StatusError 400, 403, 404 (subresources), 409 with a cause per manager and field, 415 (feature gate
 * disabled), 422
 */
export async function applyObject(
  deps: RegistryDeps,
  scope: RequestScope,
  application: Application,
): Promise<WriteResult> {
  assertMayApply(deps);
  const { name, force } = application;
  const checked = reachable(scope, appliedForm(scope, scope.resource, application));
  const configuration = new Configuration(checked, scope.resource.schema);
  const apply = applier(deps, scope, { configuration, sent: application.configuration, force });
  try {
    return await writeObject(deps, scope, name, {
      update: apply,
      create: () => newObject(scope, name, apply),
    });
  } catch (error) {
    // Errors of the configuration itself take precedence.
    withApplyErrors(() => configuration.fields);
    throw error;
  }
}

interface Applying {
  readonly configuration: Configuration;
  /** The body as sent. */
  readonly sent: JsonObject;
  readonly force: boolean;
}

/** Applies the configuration to an object of the requested version; undefined for a new one. */
type Apply = (live: JsonObject | undefined, isFilled?: boolean) => MaybePromise<Applied>;

function applier(deps: RegistryDeps, scope: RequestScope, { configuration, sent, force }: Applying): Apply {
  const { resource, fieldManager: manager } = scope;
  const subresource = entrySubresource(deps, scope);
  const unreachable = (fieldsV1: JsonObject): JsonObject => unreachableFields(scope, fieldsV1);
  const versions = versionsOf(deps, resource);
  const convert = converter(deps, scope);
  const isCommandLine = isCommandLineClient(scope);
  return (before, isFilled = false) => {
    const live = before ?? emptyObject(resource);
    const write = {
      ...{ configuration, manager, subresource, unreachable, force, live, isFilled },
      ...(isCommandLine && { allowed: () => fieldsOfLastApplied(resource, live) }),
      managed: before ? storedManagedFields(before) : [],
      isNew: before === undefined,
      get empty() {
        return emptyObject(resource);
      },
      time: formatSeconds(apiContext(deps, scope).now()),
    };
    const applied = whenReady(readVersions(deps, resource, write.managed), () =>
      withApplyErrors(() => runConverting(applyConfiguration(write, versions), convert)),
    );
    return isCommandLine ? whenReady(applied, (done) => withLastApplied(resource, done, sent)) : applied;
  };
}

/** @throws ObjectMissing for a subresource, StatusError 403, 409 for a configuration with a uid */
async function newObject(scope: RequestScope, name: string, apply: Apply): Promise<Applied> {
  if (scope.subresource !== '') throw new ObjectNotFound(addressOf(scope, name));
  await scope.assertMayCreate();
  const applied = await apply(undefined);
  const { uid = '' } = asApiObject(applied.object).metadata;
  if (uid === '') return applied;
  const problem = `the applied configuration names the uid ${uid}, and there is no such object`;
  throw conflict(scope.resource.gvr, name, problem);
}
