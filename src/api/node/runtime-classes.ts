/** RuntimeClass: a way to run containers that pods can choose. */
import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import { validateOverhead } from '../core/pod/resources.ts';
import { repeatedTolerations, validateTolerations } from '../core/pod/tolerations.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { validateLabels } from '../validation/labels.ts';
import { dns1123Label, nameIsDns1123Subdomain } from '../validation/name-rules.ts';
import { given, need, obeys, unchanged } from '../validation/rules.ts';
import type { RuntimeClass as RuntimeClassFields, Scheduling } from './v1.types.ts';

type RuntimeClass = Stored<RuntimeClassFields>;

const handler = FieldPath.of('handler');

function validate(runtimeClass: RuntimeClass): FieldError[] {
  return [
    ...need(runtimeClass.handler, handler, obeys(dns1123Label)),
    ...given(runtimeClass.overhead, FieldPath.of('overhead'), ({ podFixed }, at) =>
      validateOverhead(podFixed ?? {}, at.child('podFixed')),
    ),
    ...given(runtimeClass.scheduling, FieldPath.of('scheduling'), validateScheduling),
  ];
}

function validateScheduling({ nodeSelector, tolerations }: Scheduling, at: FieldPath): FieldError[] {
  const path = at.child('tolerations');
  return [
    ...validateLabels(nodeSelector, at.child('nodeSelector')),
    ...validateTolerations(tolerations, path),
    ...repeatedTolerations(tolerations, path),
  ];
}

/** In v1alpha1 all of it stands in a spec. */
function specToStorage(object: JsonObject): JsonObject {
  const { spec, ...rest } = object;
  const { runtimeHandler, ...other } = isObject(spec) ? spec : {};
  return { ...rest, handler: runtimeHandler ?? '', ...other };
}

function specFromStorage({ handler: runtimeHandler, overhead, scheduling, ...rest }: JsonObject): JsonObject {
  const spec: JsonObject = { runtimeHandler: runtimeHandler ?? '' };
  if (overhead !== undefined) spec['overhead'] = overhead;
  if (scheduling !== undefined) spec['scheduling'] = scheduling;
  return { ...rest, spec };
}

export const runtimeClasses = defineResource<RuntimeClass>({
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.22',
      removedIn: '1.25',
      replacement: 'node.{api}/v1 RuntimeClass',
    },
    { version: 'v1alpha1', removedIn: '1.23', toStorage: specToStorage, fromStorage: specFromStorage },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    createOnUpdate: true,
    unconditionalUpdate: false,
    validate,
    validateUpdate: (next, current) => unchanged(next.handler, current.handler, handler),
  },
  columns: [
    nameColumn,
    column<RuntimeClass>('Handler', (object) => object.handler, { description: 'What nodes call it.' }),
    ageColumn,
  ],
});
