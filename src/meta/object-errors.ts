/**
 * Whether an object is there, as errors that callers act upon. They are answered as any other NotFound or AlreadyExists,
 * but say by type, and of which object, what admission, a webhook or another object's absence may say in the same words.
 */
import type { GroupResource } from './gvk.ts';
import { alreadyExists, notFound, StatusError } from './status.ts';

/** One object, whatever its version. */
export interface ObjectAddress {
  readonly resource: GroupResource;
  /** '' for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
}

abstract class ObjectError extends StatusError {
  readonly object: ObjectAddress;

  constructor({ status: { code, reason = '', message = '', details } }: StatusError, object: ObjectAddress) {
    super(code, reason, message, details ? { details } : {});
    this.object = object;
  }

  isAbout({ resource, namespace, name }: ObjectAddress): boolean {
    const { object } = this;
    return (
      object.name === name &&
      object.namespace === namespace &&
      object.resource.resource === resource.resource &&
      object.resource.group === resource.group
    );
  }
}

/** 404: the object was looked for and is not there. */
export class ObjectNotFound extends ObjectError {
  constructor(object: ObjectAddress) {
    super(notFound(object.resource, object.name), object);
  }
}

/** 409: an object of this name is there already. */
export class ObjectAlreadyExists extends ObjectError {
  constructor(object: ObjectAddress) {
    super(alreadyExists(object.resource, object.name), object);
  }
}

/** Whether the error says that this very object is missing. */
export function isObjectNotFound(error: unknown, object: ObjectAddress): boolean {
  return error instanceof ObjectNotFound && error.isAbout(object);
}

/** Whether the error says that this very object exists. */
export function isObjectAlreadyExists(error: unknown, object: ObjectAddress): boolean {
  return error instanceof ObjectAlreadyExists && error.isAbout(object);
}

/** Settles as the operation does, but for an object that is missing, whose deletion or change has become needless. */
export async function ignoreNotFound(object: ObjectAddress, operation: Promise<unknown>): Promise<void> {
  try {
    await operation;
  } catch (error) {
    if (!isObjectNotFound(error, object)) throw error;
  }
}
