/**
 * Performs a write: decodes its body and calls the registry. Runs in the serving thread for small writes, in a write
 * thread for large ones.
 */
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { jsonMediaType } from '../../codec/decode-body.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import type { TypeMeta } from '../../codec/protobuf/codec.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { GrownWrite } from '../../meta/grown-write.ts';
import type { RequestScope, ResourceVerbs, Transform, WriteResult } from '../../registry/types.ts';
import { decodeObjectBody } from '../object-body.ts';
import type { SentFields } from '../options/write-options.ts';
import type { WireTypes } from '../wire-types.ts';
import { weighsMore } from './decoded-weight.ts';
import { decodeConfiguration, decodePatch, isCborApplyType } from './patch-body.ts';
import type { WriteAnswer, WriteRequest } from './write-request.ts';

export interface WriteDeps {
  readonly verbs: ResourceVerbs;
  /** Types of Protobuf bodies; absent if Protobuf is disabled. */
  readonly types?: WireTypes | undefined;
}

/** The scope of a write; the decoder adds invalid fields to `fieldValidation`. */
export type WriteScope = RequestScope & { readonly fieldValidation?: SentFields };

/**
 * Performs the write.
 * @throws StatusError of the decoder (400, 415) and of the verb; GrownWrite where it may move
 */
export async function performWrite(
  write: WriteRequest,
  scope: WriteScope,
  { verbs, types }: WriteDeps,
): Promise<WriteAnswer> {
  const { name } = write;
  switch (write.operation) {
    case 'create':
      return entryAnswer(await verbs.create(scope, name, await decodedObject(write, scope, types)));
    case 'replace':
      return entryAnswer(await verbs.replace(scope, name, await decodedObject(write, scope, types)));
    case 'patch':
      return entryAnswer(await verbs.patch(scope, name, await decodedPatch(write, scope)));
    case 'apply': {
      const configuration = await decodedConfiguration(write, scope);
      return entryAnswer(await verbs.apply(scope, name, configuration, { force: write.force === true }));
    }
    case 'delete': {
      const { entry, removed } = await verbs.delete(scope, name, write.deletion ?? noDeleteOptions);
      return { kind: 'deleted', entry, removed };
    }
    case 'act': {
      const body = write.verb === 'patch' ? decodedPatch(write, scope) : decodedObject(write, scope, types);
      return { kind: 'value', value: await verbs.act(scope, name, write.verb, await body) };
    }
    case 'applyScale': {
      const configuration = await decodedConfiguration(write, scope);
      const options = { force: write.force === true };
      return { kind: 'value', value: await verbs.applyScale(scope, name, configuration, options) };
    }
  }
}

const noDeleteOptions = {
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: undefined,
};

function entryAnswer({ entry, created }: WriteResult): WriteAnswer {
  return { kind: 'entry', entry, created };
}

function decodedObject(
  { body, contentType }: WriteRequest,
  scope: WriteScope,
  types: WireTypes | undefined,
): Promise<JsonObject> {
  const { resource, fieldValidation, growth } = scope;
  const expected = typeOfPath(scope);
  const { naming } = resource;
  return sliced(() =>
    notGrown(decodeObjectBody(body, { contentType, naming, resource, types, expected, fieldValidation }), {
      contentType,
      growth,
    }),
  );
}

interface Grown extends Pick<WriteRequest, 'contentType'> {
  readonly growth: WriteScope['growth'] | undefined;
}

/**
 * What JSON makes was counted before it was decoded.
 * @throws GrownWrite for an object that weighs more than its body, where it may move
 */
function notGrown(object: JsonObject, { contentType = jsonMediaType, growth }: Grown): JsonObject {
  const mayGrow = growth === 'moves' && contentType !== jsonMediaType;
  const most = isCborApplyType(contentType) ? smallConfigurationBytes : smallBodyBytes;
  if (mayGrow && weighsMore(object, most)) throw new GrownWrite();
  return object;
}

/** The fields of a configuration are owned one by one. Those of YAML are counted before (`costOfBody`). */
const smallConfigurationBytes = smallBodyBytes / 2;

/** What bodies of an endpoint are. */
function typeOfPath({ resource, subresource }: WriteScope): TypeMeta {
  const gvk = resource.subresource(subresource)?.kind ?? resource.gvk;
  return { apiVersion: apiVersionOf(gvk), kind: gvk.kind };
}

function decodedPatch({ body, contentType = '' }: WriteRequest, scope: WriteScope): Promise<Transform> {
  const { resource, subresource, fieldValidation: sent, growth } = scope;
  const schema = resource.subresourceSchema(subresource) ?? resource.schema;
  return sliced(() => decodePatch(body, contentType, { schema, sent, growth }));
}

function decodedConfiguration(
  { body, contentType = '', ignoresDuplicates = false }: WriteRequest,
  { fieldValidation: sent, growth }: WriteScope,
): Promise<JsonObject> {
  return sliced(() =>
    notGrown(decodeConfiguration(body, contentType, { sent, ignoresDuplicates }), { contentType, growth }),
  );
}

/** Decoding a body takes time, so a new slice begins after it. */
async function sliced<T>(decode: () => T): Promise<T> {
  const slice = new Slice();
  const decoded = decode();
  await slice.breathe();
  return decoded;
}
