/** The write strategy of a version: lifecycle and validation. */
import { dropStatus, keepField, keepMetadata, keepStatus } from '../../api/define.ts';
import type { Strategy, SubresourceDefinition } from '../../api/types.ts';
import { deepEqual } from '../../base/json.ts';
import { forbidden } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import type { CustomVersion } from './custom-version.ts';

/** @param isTerminating the definition is being deleted: creations are rejected */
export function customStrategy(version: CustomVersion, isTerminating: boolean): Strategy<ApiObject> {
  const { hasStatus } = version;
  return {
    createOnUpdate: false,
    unconditionalUpdate: false,
    deleteReturns: 'status',
    defaultPropagation: 'Background',
    allowsBareFinalizers: true,
    bumpsGeneration: (next, current) => !deepEqual(counted(next, hasStatus), counted(current, hasStatus)),
    ...(hasStatus && { prepareForCreate: dropStatus, prepareForUpdate: keepStatus }),
    validate: (object, context) => [
      ...(isTerminating
        ? [forbidden('metadata', 'create not allowed while custom resource definition is terminating')]
        : []),
      ...version.validate(object, { context }),
    ],
    validateUpdate: (next, before, context) => version.validate(next, { before, context }),
    judge: (object, judged) => version.ruleErrors(object, judged),
  };
}

/** The part of an object whose changes increment its generation. */
function counted(object: ApiObject, hasStatus: boolean): ReturnType<typeof asJson> {
  const { apiVersion: _version, metadata: _metadata, ...rest } = asJson(object);
  if (hasStatus) delete rest['status'];
  return rest;
}

/** Writes of the status change nothing else. */
export function customStatus(version: CustomVersion): SubresourceDefinition {
  return {
    name: 'status',
    verbs: ['get', 'patch', 'update'],
    type: 'object',
    prepareForUpdate: (next, current) => {
      keepMetadata(next, current);
      for (const field of new Set([...Object.keys(next), ...Object.keys(current)])) {
        if (!['apiVersion', 'kind', 'metadata', 'status'].includes(field)) keepField(next, current, field);
      }
    },
    validateUpdate: (next, before, context) => version.validate(next, { before, context }),
    judge: (object, judged) => version.ruleErrors(object, judged),
  };
}
