/**
 * Status, the body of every error, and the one builder of it: reasons, codes and messages that clients of this API know.
 * Whatever a Status repeats of what was sent, it stays short.
 */
import { shortText } from '../base/short-text.ts';
import { maxFieldErrors, type FieldError } from './field-error.ts';
import type { GroupResource } from './gvk.ts';
import { kindName, resourceName } from './gvk.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly resourceVersion?: string;
  };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** Most characters of a message, and of all causes together. */
const maxMessage = 32_768;
/** What a StatusError may carry beside code, reason and message. */
export interface StatusExtras {
  readonly details?: StatusDetails;
  /** For the log only; never answered. */
  readonly cause?: unknown;
  readonly metadata?: Status['metadata'];
}

/** An error that is answered to the client as it is. */
export class StatusError extends Error {
  readonly status: Status;

  /** @param code of HTTP; 500 stands for one that is no error's, as other servers may name any */
  constructor(code: number, reason: string, message: string, extras: StatusExtras = {}) {
    const reported = shortText(message, maxMessage);
    super(reported, extras.cause === undefined ? {} : { cause: extras.cause });
    this.name = 'StatusError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: extras.metadata ?? {},
      status: 'Failure',
      message: reported,
      reason: shortText(reason),
      ...(extras.details && { details: shortDetails(extras.details) }),
      code: isErrorCode(code) ? code : 500,
    };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** RFC 9110, section 15: those below make clients believe in success, those above are none; not all can be sent. */
function isErrorCode(code: number): boolean {
  return Number.isInteger(code) && code >= 300 && code <= 599;
}

function shortDetails({ causes, ...rest }: StatusDetails): StatusDetails {
  const texts = Object.entries(rest).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string' ? shortText(value) : value,
  ]);
  const reported = causes && shortCauses(causes);
  return { ...(Object.fromEntries(texts) as StatusDetails), ...(reported && { causes: reported }) };
}

function shortCauses(causes: readonly StatusCause[]): StatusCause[] {
  const reported: StatusCause[] = [];
  let length = 0;
  for (const { reason, message, field } of causes.slice(0, maxFieldErrors)) {
    const cause = {
      ...(reason !== undefined && { reason: shortText(reason) }),
      ...(message !== undefined && { message: shortText(message, maxMessage) }),
      ...(field !== undefined && { field: shortText(field, maxMessage) }),
    };
    length += (message?.length ?? 0) + (field?.length ?? 0);
    if (reported.length > 0 && length > maxMessage) break;
    reported.push(cause);
  }
  return reported;
}

/** Details that name one object of a resource. */
function about(resource: GroupResource, name: string): StatusDetails {
  return {
    ...(name !== '' && { name }),
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.resource,
  };
}

/** Status of a deletion that removed the object. */
export function deletedStatus(resource: GroupResource, name: string, uid: string): Status {
  const details = { ...about(resource, name), ...(uid !== '' && { uid }) };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details, code: 200 };
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${resourceName(resource)} "${shortText(name)}" not found`, {
    details: about(resource, name),
  });
}

/** 404 of a path that names no resource. */
export function unknownResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {
    details: {},
  });
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  const message = `${resourceName(resource)} "${shortText(name)}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, { details: about(resource, name) });
}

export function conflict(resource: GroupResource, name: string, problem: string): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceName(resource)} "${shortText(name)}": ${problem}`;
  return new StatusError(409, 'Conflict', message, { details: about(resource, name) });
}

/** The conflict of a write whose resourceVersion is not the current one. */
export function staleConflict(resource: GroupResource, name: string): StatusError {
  return conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** How many characters of errors are reported; names, punctuation and the number of the rest come on top. */
const maxErrorText = 30_000;

/** 422 with one cause per error. Errors beyond what anybody reads are only counted, as far as they were collected. */
export function invalidObject(
  gk: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const reported = readable(errors);
  const texts = reported.map((e) => `${e.field}: ${e.message}`);
  const rest = ofTheRest(errors.length, errors.length - reported.length);
  if (rest !== '') texts.push(rest);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${kindName(gk)} "${shortText(name)}" is invalid: ${list ?? ''}`, {
    details: {
      ...(name !== '' && { name }),
      ...(gk.group !== '' && { group: gk.group }),
      kind: gk.kind,
      causes: reported.map((e) => ({ reason: e.reason, message: e.message, field: e.field })),
    },
  });
}

/** What is said of the errors that are not listed: where as many were collected as are wanted there may be more. */
function ofTheRest(collected: number, unlisted: number): string {
  if (collected < maxFieldErrors) return unlisted > 0 ? `and ${String(unlisted)} more errors` : '';
  return unlisted > 0 ? `and at least ${String(unlisted)} more errors` : 'and possibly more errors';
}

/** The errors that are reported; always the first one. */
function readable(errors: readonly FieldError[]): readonly FieldError[] {
  let length = 0;
  const end = errors.findIndex(({ field, message }, i) => {
    length += field.length + message.length + ': , '.length;
    return i >= maxFieldErrors || (i > 0 && length > maxErrorText);
  });
  return end < 0 ? errors : errors.slice(0, end);
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(
  resource: GroupResource,
  name: string,
  problem: string,
  cause?: StatusCause,
): StatusError {
  const what = name === '' ? resourceName(resource) : `${resourceName(resource)} "${shortText(name)}"`;
  const details = { ...about(resource, name), ...(cause && { causes: [cause] }) };
  return new StatusError(403, 'Forbidden', `${what} is forbidden: ${problem}`, { details });
}

export function methodNotSupported(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    { details: {} },
  );
}

export function notAcceptable(supported: readonly string[]): StatusError {
  const message = `only the following media types are accepted: ${supported.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message);
}

/** The representation (`as=…`) that a client accepts does not exist for this request. */
export function notAcceptableAs(as: string, given: string): StatusError {
  const message = `you requested ${as}, but the requested object is ${given}`;
  return new StatusError(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(supported: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

export function requestEntityTooLarge(limitBytes: number): StatusError {
  return new StatusError(
    413,
    'RequestEntityTooLarge',
    `the request is too large: limit is ${String(limitBytes)} bytes`,
  );
}

/** 410: history is gone, the client lists again. */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

/** 410 of a continue token, with a fresh token for clients that accept an inconsistent continuation. */
export function expiredContinue(message: string, freshToken: string): StatusError {
  return new StatusError(410, 'Expired', message, { metadata: { continue: freshToken } });
}

/** 504 for a resource version that this cluster has not reached; `Retry-After: 1`. */
export function tooLargeResourceVersion(requested: string, current: string): StatusError {
  return new StatusError(504, 'Timeout', `Too large resource version: ${requested}, current: ${current}`, {
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function timedOut(message: string, retryAfterSeconds = 0): StatusError {
  return new StatusError(504, 'Timeout', message, {
    details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
  });
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError(429, 'TooManyRequests', message, { details: { retryAfterSeconds } });
}

export function serviceUnavailable(message: string, retryAfterSeconds = 1): StatusError {
  return new StatusError(503, 'ServiceUnavailable', message, {
    details: retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
  });
}

/** 500 for a problem that the client may know, such as a range without a free address. */
export function internalServerError(problem: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${problem}`, {
    details: { causes: [{ message: problem }] },
  });
}

/** 500 that gives the client only the audit ID; the cause goes to the log. */
export function internalError(auditId: string, cause: unknown): StatusError {
  const message = `Internal error occurred: see the server's log, audit id ${auditId}`;
  return new StatusError(500, 'InternalError', message, {
    details: { causes: [{ message: `audit id ${auditId}` }] },
    cause,
  });
}
