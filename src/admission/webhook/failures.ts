/** Errors for clients when a webhook denies a request, fails, or returns an invalid response. */
import { isObject, type JsonObject } from '../../base/json.ts';
import { detailsOf } from '../../meta/status-details.ts';
import { badRequest, StatusError } from '../../meta/status.ts';

/** A call without a usable answer; what it means is up to the webhook's failure policy. */
export class CallFailure extends Error {
  constructor(hook: string, problem: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${problem}`, { cause });
    this.name = 'CallFailure';
  }
}

/** 500 with the message as its cause. */
export function failedInternally(message: string, cause?: unknown): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  });
}

export function dryRunUnsupported(hook: string): StatusError {
  return badRequest(`admission webhook ${JSON.stringify(hook)} does not support dry run`);
}

/** The webhook's own status, never one of success. */
export function denied(hook: string, status: unknown): StatusError {
  const fields: JsonObject = isObject(status) ? status : {};
  const { code, reason, message, details } = fields;
  const why = [message, reason].find((text) => typeof text === 'string' && text !== '');
  const by = `admission webhook ${JSON.stringify(hook)} denied the request`;
  return new StatusError(
    typeof code === 'number' && Number.isInteger(code) && code >= 400 && code <= 599 ? code : 400,
    typeof reason === 'string' ? reason : '',
    typeof why === 'string' ? `${by}: ${why}` : `${by} without explanation`,
    isObject(details) ? { details: detailsOf(details) } : {},
  );
}
