/** Create: decode → default → mutating admission → prepare → validate → validating admission → ownership → transaction. */
import type { ApiContext, Strategy } from '../api/types.ts';
import { Slice } from '../base/cooperate.ts';
import type { JsonObject } from '../base/json.ts';
import { fillZeroValues } from '../schema/zero-values.ts';
import { encodeStored } from '../codec/stored.ts';
import type { FieldError } from '../meta/field-error.ts';
import type { ApiObject } from '../meta/object.ts';
import { asJson } from '../meta/object.ts';
import type { GroupResource } from '../meta/gvk.ts';
import { ObjectExists } from '../meta/object-errors.ts';
import { badRequest, StatusError } from '../meta/status.ts';
import { StorageError } from '../storage/types.ts';
import type { RegistryDeps } from './context.ts';
import { apiContext, withConversions } from './context.ts';
import { decodeObject, nameOf, toStorageForm } from './decode-object.ts';
import { writtenEntry } from './entry.ts';
import { toStatusError } from './errors.ts';
import { Ground } from './ground.ts';
import type { SettleOwnership } from './field-ownership.ts';
import { ownersAfter, receiveManagedFields, setManagedFields } from './field-ownership.ts';
import { freshObject } from './current.ts';
import { agreeNamespace, agreeWithPath, fillNewMeta } from './object-meta.ts';
import { addressOf, objectKey } from './scope-keys.ts';
import type { AdmissionAttributes, Footing, RequestScope, WriteResult } from './types.ts';
import { assertValidCreate } from './validate.ts';
import { sentFaults } from './version-rules.ts';

/** How often a generated name may collide before the client is told. */
const maxNameAttempts = 8;

/** What is made: the body, and who owns its fields when that is not simply the writer. */
export interface Creation {
  /** Name in the path; '' for a POST to the collection. */
  readonly name: string;
  readonly body: JsonObject;
  readonly own?: SettleOwnership;
}

/** Makes a new object from a body. @throws ObjectExists, StatusError 400, 403, 409, 422 */
export async function createObject(
  deps: RegistryDeps,
  scope: RequestScope,
  { name, body, own }: Creation,
): Promise<WriteResult> {
  const context = apiContext(deps, scope);
  // Steps of a write of many thousand fields take long; others have their turn between them.
  const slice = new Slice();
  const sent = decodeObject(scope, body, context);
  if (name === '') agreeNamespace(scope, sent.metadata);
  else agreeWithPath(scope, name, sent.metadata);
  if (!['', '0'].includes(sent.metadata.resourceVersion ?? ''))
    throw badRequest('resourceVersion should not be set on objects to be created');
  const faults = sentFaults(scope, sent, context);
  const object = toStorageForm(scope.resource, sent);
  receiveManagedFields(object, undefined);
  await slice.breathe();
  return insertObject({ deps, scope, context, own, slice, faults }, object);
}

interface Insertion {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  readonly context: ApiContext;
  readonly own: SettleOwnership | undefined;
  readonly slice: Slice;
  /** What the rules of the request's version found. */
  readonly faults: readonly FieldError[];
}

/** The part of a create after decoding; `object` is of the storage version. */
async function insertObject(
  { deps, scope, context, own, slice, faults }: Insertion,
  object: ApiObject,
): Promise<WriteResult> {
  const ground = new Ground();
  await deps.admission.admit(createAttributes(scope, object, ground));
  for (let attempt = 1; ; attempt++) {
    const candidate = structuredCopy(object);
    prepare(deps, scope, candidate, context);
    await slice.breathe();
    assertValidCreate(scope, candidate, context, faults);
    await deps.admission.validate(createAttributes(scope, candidate, ground));
    await slice.breathe();
    const now = context.now();
    if (own) own(candidate);
    else {
      const owners = await withConversions(deps, () =>
        ownersAfter(candidate, { deps, scope, before: undefined, now }),
      );
      await slice.breathe();
      setManagedFields(candidate, owners);
    }
    await slice.breathe();
    const written = await tryInsert({ deps, scope, ground }, candidate);
    if (written) return written;
    if (object.metadata.name) throw new ObjectExists(addressOf(scope, object.metadata.name));
    if (attempt >= maxNameAttempts) throw noNameFound(scope.resource.gvr, nameOf(candidate.metadata));
  }
}

/** A copy that may be prepared; an attempt with another generated name starts from the same object. */
function structuredCopy(object: ApiObject): ApiObject {
  return object.metadata.name ? object : { ...object, metadata: { ...object.metadata } };
}

function createAttributes(scope: RequestScope, object: ApiObject, ground: Ground): AdmissionAttributes {
  const restOn = (footing: Footing): void => {
    ground.footing = footing;
  };
  return { operation: 'CREATE', scope, name: nameOf(object.metadata), object, oldObject: undefined, restOn };
}

function noNameFound({ group, resource }: GroupResource, name: string): StatusError {
  const text = `${resource} ${JSON.stringify(name)} already exists: no free name was found for generateName; try again`;
  const details = { name, ...(group !== '' && { group }), kind: resource, retryAfterSeconds: 1 };
  return new StatusError(409, 'AlreadyExists', text, { details });
}

function prepare(deps: RegistryDeps, scope: RequestScope, object: ApiObject, context: ApiContext): void {
  const strategy: Strategy<ApiObject> = scope.resource.definition.strategy;
  fillNewMeta(object, context.now(), deps.generateName);
  strategy.prepareForCreate?.(object, context);
  if (strategy.bumpsGeneration) object.metadata.generation = 1;
  fillZeroValues(scope.resource.storage.schema, asJson(object));
}

/** Undefined when the key is taken. */
async function tryInsert(
  { deps, scope, ground }: Pick<Insertion, 'deps' | 'scope'> & { readonly ground: Ground },
  object: ApiObject,
): Promise<WriteResult | undefined> {
  const { collection } = scope.resource.storage;
  const name = nameOf(object.metadata);
  const key = objectKey(scope, name);
  const bytes = encodeStored(asJson(object));
  try {
    const receipt = scope.dryRun
      ? { revision: await dryInsert(deps, scope, name) }
      : await ground.under((condition) => deps.storage.create(collection, key, bytes, condition));
    return { entry: writtenEntry({ collection, key }, bytes, receipt), created: true };
  } catch (error) {
    if (error instanceof StorageError && error.code === 'exists') return undefined;
    throw toStatusError(error, addressOf(scope, name));
  }
}

/** What a dry run does instead of the transaction: it finds out whether the name is free. */
async function dryInsert(deps: RegistryDeps, scope: RequestScope, name: string): Promise<number> {
  if (await freshObject(deps, scope, name)) throw new StorageError('exists', 'the object exists');
  return 0;
}
