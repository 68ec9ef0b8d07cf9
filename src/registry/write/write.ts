/** The data of a write in the pipeline (`pipeline.ts`). */
import type { ApiContext } from '../../api/types.ts';
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ManagedFields } from '../../patch/apply/managed-fields.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { apiContext } from '../registry-context.ts';
import type { RequestScope } from '../types.ts';
import type { AdmittedForm } from './admitted-form.ts';
import type { CreatePrecondition } from './create-precondition.ts';
import type { Current } from '../written-entry.ts';

/** The proposed object in the requested version. */
export interface Proposal {
  readonly object: JsonObject;
  /** Field ownership; absent if the writer owns what it changes. */
  readonly managed?: ManagedFields;
}

/** The change of a verb. Called for each attempt; must not mutate its arguments. */
export interface Change {
  /**
   * Proposes the next object. `isFilled` is set if the current one has the zero values of the stored form. Absent if
   * the object must not exist; it is then not read before the transaction.
   */
  readonly update?: (current: JsonObject, isFilled: boolean) => MaybePromise<Proposal>;
  /**
   * Proposes a new object; absent if a missing object is an error.
   * @throws ObjectMissing, StatusError if it may not be created
   */
  readonly create?: () => MaybePromise<Proposal>;
  /** A replace, which requires a resourceVersion unless the kind allows unconditional updates. */
  readonly isReplace?: boolean;
  /** The admission form; absent for the object itself. */
  readonly form?: AdmittedForm;
}

export interface Write {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  /** Name in the path; '' for a create in the collection. */
  readonly name: string;
  readonly change: Change;
  readonly context: ApiContext;
  /** The steps of a large write yield to the event loop. */
  readonly slice: Slice;
}

export function newWrite(deps: RegistryDeps, scope: RequestScope, name: string, change: Change): Write {
  return { deps, scope, name, change, context: apiContext(deps, scope), slice: new Slice() };
}

/** The object that an update starts from. */
export interface Base {
  readonly current: Current;
  /** Shared if cached; must not be mutated. */
  readonly object: ApiObject;
  /** What the emulated release knows of it; the object itself if that is all. */
  readonly known: JsonObject;
  /** It is from the cache of written objects. */
  readonly isRemembered: boolean;
}

/** The object to store, in the internal version; steps mutate it in place. */
interface DraftedObject {
  readonly object: ApiObject;
  readonly managed?: ManagedFields | undefined;
  /** Errors of the sent object by the rules of the requested version. */
  readonly sentErrors: readonly FieldError[];
}

export interface CreateDraft extends DraftedObject {
  readonly base?: undefined;
  /** The precondition that admission added. */
  readonly precondition: CreatePrecondition;
}

export interface UpdateDraft extends DraftedObject {
  readonly base: Base;
}

export type Draft = CreateDraft | UpdateDraft;
