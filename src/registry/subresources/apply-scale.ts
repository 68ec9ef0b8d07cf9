/**
 * Server-side apply of a Scale (KEP-555). Ownership is tracked only for the type of the resource, so no manager owns
 * a field of a Scale: existing values count as owned by others, and changing them needs force. Afterwards the field
 * is owned as after any write through the subresource.
 */
import type { JsonObject } from '../../base/json.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { applyConfiguration } from '../../patch/apply/apply-configuration.ts';
import { Configuration } from '../../patch/apply/applied-configuration.ts';
import { runInOneVersion } from '../../patch/apply/converting.ts';
import type { Versions } from '../../patch/apply/versions.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { StructSchema } from '../../schema/types.ts';
import { fillZeroValues } from '../../schema/zero-values.ts';
import type { SentConfiguration } from '../write/sent-configuration.ts';
import { appliedForm, assertMayApply, withApplyErrors } from '../write/sent-configuration.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { apiContext } from '../registry-context.ts';
import { formatSeconds } from '../../meta/time.ts';
import type { ApplyOptions, RequestScope, Transform } from '../types.ts';

export interface ScaleApplication extends SentConfiguration, ApplyOptions {
  readonly gvk: GroupVersionKind;
  readonly schema: StructSchema;
}

/**
 * Applies the configuration to the Scale of an object.
 * @throws StatusError 400, 409, 415, 422
 */
export function scaleApplier(
  deps: RegistryDeps,
  scope: RequestScope,
  application: ScaleApplication,
): Transform {
  assertMayApply(deps);
  const { gvk, schema, force } = application;
  const kind = { gvk, structure: (body: JsonObject) => checkStructure(schema, body) };
  const form = appliedForm(scope, kind, application);
  const versions: Versions = { apiVersion: apiVersionOf(gvk), schema, schemaOf: () => undefined };
  const configuration = new Configuration(form, schema);
  withApplyErrors(() => configuration.fields);
  const empty: JsonObject = { kind: gvk.kind, apiVersion: apiVersionOf(gvk), metadata: {} };
  fillZeroValues(schema, empty);
  const write = {
    configuration,
    isFilled: false,
    managed: [],
    isNew: false,
    empty,
    manager: scope.fieldManager,
    subresource: '',
    force,
  };
  const time = formatSeconds(apiContext(deps, scope).now());
  return (live) =>
    withApplyErrors(() => runInOneVersion(applyConfiguration({ ...write, live, time }, versions)).object);
}
