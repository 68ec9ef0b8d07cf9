/** A write on its way through the pipeline (`pipeline.ts`): what every step gets, and what the steps hand on. */
import type { ApiContext } from '../../api/types.ts';
import { Slice } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { FieldError } from '../../meta/field-error.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ManagedFields } from '../../patch/apply/managed-fields.ts';
import type { RegistryDeps } from '../context.ts';
import { apiContext } from '../context.ts';
import type { RequestScope } from '../types.ts';
import type { AdmittedForm } from './admitted-form.ts';
import type { CreatePrecondition } from './create-precondition.ts';
import type { Current } from '../entry.ts';

/** An object as a verb wants it, in the version of the request. */
export interface Proposal {
  readonly object: JsonObject;
  /** Who owns its fields. Absent: the writer owns what it changes. */
  readonly managed?: ManagedFields;
}

/** What a verb wants. Called again for each attempt: nothing may change what it is given. */
export interface Change {
  /**
   * From the current object. `isFilled`: it has the zero values of the stored form already.
   * Absent: the object must not exist, and nothing looks for it before the transaction.
   */
  readonly update?: (current: JsonObject, isFilled: boolean) => MaybePromise<Proposal>;
  /** Where there is no object. Absent: that is an error. @throws ObjectMissing, StatusError where it may not be created */
  readonly create?: () => MaybePromise<Proposal>;
  /** A body that replaces the object: it needs a resourceVersion unless the kind allows unconditional updates. */
  readonly isReplace?: boolean;
  /** What admission sees instead of the object. Absent: the object. */
  readonly form?: AdmittedForm;
}

export interface Write {
  readonly deps: RegistryDeps;
  readonly scope: RequestScope;
  /** Name in the path; '' for a create in the collection. */
  readonly name: string;
  readonly change: Change;
  readonly context: ApiContext;
  /** The steps of a large write yield the thread between each other. */
  readonly slice: Slice;
}

export function newWrite(deps: RegistryDeps, scope: RequestScope, name: string, change: Change): Write {
  return { deps, scope, name, change, context: apiContext(deps, scope), slice: new Slice() };
}

/** The object that an update starts from. */
export interface Base {
  readonly current: Current;
  /** Shared with others where it is remembered: it must not change. */
  readonly object: ApiObject;
  /** It came from the objects that earlier writes left. */
  readonly isRemembered: boolean;
}

/** The object that is about to be stored, in the internal version; the steps of the pipeline change it in place. */
interface DraftedObject {
  readonly object: ApiObject;
  readonly managed?: ManagedFields | undefined;
  /** What the rules of the request's version found in the object as it was sent. */
  readonly sentErrors: readonly FieldError[];
}

export interface CreateDraft extends DraftedObject {
  readonly base?: undefined;
  /** What admission makes the create depend on. */
  readonly precondition: CreatePrecondition;
}

export interface UpdateDraft extends DraftedObject {
  readonly base: Base;
}

export type Draft = CreateDraft | UpdateDraft;
