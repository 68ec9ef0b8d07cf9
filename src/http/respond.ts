/** Writes responses: heads with the common headers, bodies in one write, errors as Status objects. */
import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../base/json.ts';
import type { Status } from '../meta/status.ts';
import { internalError, StatusError } from '../meta/status.ts';
import type { RequestContext } from './request-context.ts';
import { wantsPretty } from './pretty.ts';
import { outcomeForm } from './representation/value-form.ts';
import { dropRest, hasBody, isTooLongToDrop, leaveRest, mayDropRest } from './unread-body.ts';
import { warningValues } from './warnings.ts';

export const jsonType = 'application/json';
export const textType = 'text/plain; charset=utf-8';

type HeaderList = (string | number)[];

/** Browsers must not sniff the type of a response, which may contain text of any user. */
export const typeIsFinal = ['X-Content-Type-Options', 'nosniff'] as const;
/** Responses must not be cached. */
export const noCache = 'no-cache, private';

export interface Head {
  readonly code: number;
  readonly contentType: string;
  /** undefined for chunked encoding. */
  readonly length: number | undefined;
  /** Absent if the response must not be cached. */
  readonly cacheControl?: string;
  /** Additional headers, names and values alternating. */
  readonly extra?: readonly (string | number)[];
}

/** Writes status line and headers. */
export function writeHead(
  context: RequestContext,
  { code, contentType, length, cacheControl = noCache, extra = [] }: Head,
): ServerResponse {
  const headers: HeaderList = ['Audit-Id', context.auditId, 'Cache-Control', cacheControl];
  headers.push('Content-Type', contentType, ...typeIsFinal);
  if (length !== undefined) headers.push('Content-Length', length);
  if (context.warnings) for (const value of warningValues(context.warnings)) headers.push('Warning', value);
  if (context.flowHeaders) headers.push(...context.flowHeaders);
  headers.push(...extra);
  if (hasBody(context.req) && !isStreaming(context, code)) endBody(context);
  if (context.closesConnection || context.phase.isDraining) headers.push('Connection', 'close');
  context.answeredType = contentType;
  if (isStreaming(context, code)) void context.audit?.record('ResponseStarted');
  // Node accepts a flat list of raw headers; its types allow only records and string lists.
  return context.res.writeHead(code, headers as string[]);
}

/** What the client still sends of the body is dropped, or ends the connection, as the head then says. */
function endBody(context: RequestContext): void {
  const { req } = context;
  const isDropped = mayDropRest(req);
  if (!isDropped || isTooLongToDrop(req)) context.closeBehindBody();
  if (isDropped) dropRest(req);
  else leaveRest(req);
}

/** The response lasts; its audit event is not only that of its end. */
function isStreaming({ longRunning }: RequestContext, code: number): boolean {
  return longRunning && code === 200;
}

/** Sends bytes that must not be cached. */
export function sendBytes(context: RequestContext, code: number, contentType: string, body: Buffer): void {
  sendBody(context, { code, contentType }, body);
}

/** Sends a head and bytes. */
export function sendBody(context: RequestContext, head: Omit<Head, 'length'>, body: Buffer): void {
  if (context.isClosed()) return;
  writeHead(context, { ...head, length: body.length });
  context.audit?.noteAnswered(body);
  context.answeredBytes += body.length;
  context.res.end(body);
}

export function sendText(context: RequestContext, code: number, text: string): void {
  sendBytes(context, code, textType, Buffer.from(text));
}

/** 404 for an unknown path. */
export function sendNotFoundPage(context: RequestContext): void {
  sendText(context, 404, '404 page not found\n');
}

/** Sends a JSON value. */
export function sendJson(context: RequestContext, code: number, value: unknown): void {
  sendBytes(context, code, jsonType, jsonBytes(context, value));
}

/** Sends an error Status with the headers of its reason. */
export function sendStatus(context: RequestContext, status: Status): void {
  if (context.isClosed()) return;
  context.outcome = status;
  const form = outcomeForm(context);
  const body = form.bytes(status as unknown as JsonValue);
  writeHead(context, {
    code: status.code,
    contentType: form.mediaType,
    length: body.length,
    extra: statusHeaders(context, status),
  });
  context.audit?.noteAnswered(body);
  context.res.end(body);
}

/**
 * Ends a request with an error: with a Status if the head is not written yet, otherwise by closing the connection, so
 * that the client detects the incomplete response.
 * @param report receives errors that are not a Status, with the audit id that the client sees
 */
export function sendError(context: RequestContext, error: unknown, report: (error: unknown) => void): void {
  if (!(error instanceof StatusError) && !context.isCancelled()) report(error);
  if (context.upgrade?.isTaken === true) {
    context.upgrade.abandon();
    return;
  }
  if (context.res.headersSent) {
    if (!context.res.writableEnded) context.res.destroy();
    return;
  }
  sendStatus(context, toStatus(error, context.auditId));
}

export function toStatus(error: unknown, auditId: string): Status {
  return error instanceof StatusError ? error.status : internalError(auditId, error).status;
}

function jsonBytes(context: RequestContext, value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, wantsPretty(context) ? 2 : 0)}\n`);
}

function statusHeaders(context: RequestContext, status: Status): HeaderList {
  const headers: HeaderList = [];
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  if (retryAfter > 0) headers.push('Retry-After', retryAfter);
  if (status.code === 401) headers.push('WWW-Authenticate', context.phase.challenge);
  // A body that was not requested or is incomplete would be parsed as the next request.
  if (context.expectsContinue || status.code === 408) context.closeConnection();
  return headers;
}
