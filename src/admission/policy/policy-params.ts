/** Parameters of a policy: the objects that a binding names, in the version of the policy's `paramKind`. */
import type { ParamKind, ParamRef } from '../../api/admissionregistration/v1.types.ts';
import { selectorText } from '../../api/selector-text.ts';
import { deepCopy, type JsonObject } from '../../base/json.ts';
import { SharedSlice } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { readLabels, textWithLabels } from '../../codec/stored.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import type { AdmissionAttributes, ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import { find, type ObjectReader } from '../object-reader.ts';
import type { Binding, Policy } from './policy.ts';

export interface ParamParts {
  readonly catalogue: Pick<ResourceCatalogue, 'kind'>;
  readonly reader: ObjectReader;
  readonly storage: Pick<Storage, 'view'>;
}

/** What a binding asks for cannot be had; what that means is up to the policy's failure policy. */
export class ConfigurationProblem extends Error {
  constructor(problem: string) {
    super(`failed to configure binding: ${problem}`);
    this.name = 'ConfigurationProblem';
  }
}

/** Parameters about one write. */
export class PolicyParams {
  readonly #parts: ParamParts;
  readonly #attributes: AdmissionAttributes;
  /** Hundreds of policies may have the same ones: those of the binding before are not read again. */
  #last: { readonly what: string; readonly found: readonly JsonObject[] } | undefined;

  constructor(parts: ParamParts, attributes: AdmissionAttributes) {
    this.#parts = parts;
    this.#attributes = attributes;
  }

  /**
   * One evaluation for each: null for a policy without parameters; none where the binding allows what finds no parameter.
   * @throws ConfigurationProblem
   */
  async of({ paramKind }: Policy, binding: Binding): Promise<readonly (JsonObject | null)[]> {
    const { paramRef } = binding;
    if (!paramKind || !paramRef) return [null];
    const attributes = this.#attributes;
    const resource = resourceOf(this.#parts, paramKind);
    const namespace = namespaceFor(resource, paramRef.namespace ?? '', attributes);
    const found = await this.#found({ resource, namespace, signal: attributes.scope.signal }, paramRef);
    if (found.length === 0 && paramRef.parameterNotFoundAction !== 'Allow')
      throw new ConfigurationProblem(
        'no params found for policy binding with `Deny` parameterNotFoundAction',
      );
    return found;
  }

  async #found(place: Place, { name = '', selector }: ParamRef): Promise<readonly JsonObject[]> {
    const { gvr } = place.resource;
    const text = name === '' ? selectorText(selector) : '';
    const what = JSON.stringify([gvr.group, gvr.version, gvr.resource, place.namespace, name, text]);
    if (this.#last?.what !== what)
      this.#last = { what, found: await objects(this.#parts, place, { name, selector: text }) };
    return this.#last.found;
  }
}

function resourceOf({ catalogue }: ParamParts, { apiVersion = '', kind = '' }: ParamKind): ServedResource {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const resource = catalogue.kind(group, version, kind);
  if (!resource)
    throw new ConfigurationProblem(
      `failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`,
    );
  return resource;
}

function namespaceFor({ namespaced }: ServedResource, named: string, { scope }: AdmissionAttributes): string {
  if (!namespaced) {
    if (named === '') return '';
    throw new ConfigurationProblem(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  if (named !== '' || scope.namespace !== '') return named === '' ? scope.namespace : named;
  throw new ConfigurationProblem(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

/** All writes read their parameters in one slice of a turn: with a slice each, eight would have eight in one turn. */
const reading = new SharedSlice();

/** To await before a step that another one of the same write came before. */
function turn(): MaybePromise<void> {
  return reading.shouldYield() ? reading.yieldNow() : undefined;
}

interface Place {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

async function objects(
  parts: ParamParts,
  place: Place,
  { name, selector }: { readonly name: string; readonly selector: string },
): Promise<readonly JsonObject[]> {
  const prefix = place.namespace === '' ? '' : `${place.namespace}/`;
  const keys = name === '' ? await selected(parts, place, { prefix, selector }) : [prefix + name];
  const found: JsonObject[] = [];
  for (const [i, key] of keys.entries()) {
    if (i > 0) await turn();
    const object = await find(parts.reader, place.resource.storage.collection, key, place.signal);
    if (object) found.push(await asParam(object, place));
  }
  return found;
}

/** Objects whose labels are read at once. */
const looksAtOnce = 16;

/** Keys of the objects with such labels. Labels are read alone: parameters may be large. */
async function selected(
  { storage }: ParamParts,
  { resource }: Place,
  { prefix, selector }: { readonly prefix: string; readonly selector: string },
): Promise<readonly string[]> {
  const wanted = parseLabelSelector(selector);
  const keys: string[] = [];
  let looks = 0;
  for (const entry of storage.view(resource.storage.collection).entries(prefix, '')) {
    if (wanted.matches(readLabels(textWithLabels(entry)))) keys.push(entry.key);
    looks += 1;
    if (looks % looksAtOnce === 0) await turn();
  }
  return keys;
}

/** Converted once for each object that is in memory: every request reads the same few. */
const converted = new WeakMap<ApiObject, { readonly resource: ServedResource; readonly param: JsonObject }>();

async function asParam(object: ApiObject, { resource, signal }: Place): Promise<JsonObject> {
  const known = converted.get(object);
  if (known?.resource === resource) return known.param;
  await turn();
  const internal = await resource.conversion.internalFrom(deepCopy(asJson(object)), signal);
  const param = resource.conversion.fromInternal(internal);
  converted.set(object, { resource, param });
  return param;
}
