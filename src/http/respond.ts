/** Answers: heads with the headers that every answer carries, bodies in one write, errors as Status objects. */
import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../base/json.ts';
import type { Status } from '../meta/status.ts';
import { internalError, StatusError } from '../meta/status.ts';
import type { RequestContext } from './context.ts';
import { wantsPretty } from './pretty.ts';
import { outcomeForm } from './representation/value-form.ts';
import { warningValues } from './warnings.ts';

export const jsonType = 'application/json';
export const textType = 'text/plain; charset=utf-8';

type HeaderList = (string | number)[];

/** Browsers must not take an answer, which may hold text of anybody, for another type than it says. */
export const typeIsFinal = ['X-Content-Type-Options', 'nosniff'] as const;
/** What nobody may keep for others. */
export const notKept = 'no-cache, private';

export interface Head {
  readonly code: number;
  readonly contentType: string;
  /** undefined: chunked. */
  readonly length: number | undefined;
  /** Absent: nothing is kept. */
  readonly cacheControl?: string;
  /** Further headers, names and values in turn. */
  readonly extra?: readonly (string | number)[];
}

/** Writes status line and headers. */
export function writeHead(
  context: RequestContext,
  { code, contentType, length, cacheControl = notKept, extra = [] }: Head,
): ServerResponse {
  const headers: HeaderList = ['Audit-Id', context.auditId, 'Cache-Control', cacheControl];
  headers.push('Content-Type', contentType, ...typeIsFinal);
  if (length !== undefined) headers.push('Content-Length', length);
  if (context.warnings) for (const value of warningValues(context.warnings)) headers.push('Warning', value);
  if (context.flowHeaders) headers.push(...context.flowHeaders);
  headers.push(...extra);
  if (context.closesConnection || context.phase.isDraining) headers.push('Connection', 'close');
  context.answeredType = contentType;
  if (context.longRunning && code === 200) void context.audit?.record('ResponseStarted');
  // Node takes the flat list of a raw head; its types know only records and string lists.
  return context.res.writeHead(code, headers as string[]);
}

/** Answers with ready bytes, which nobody keeps. */
export function sendBytes(context: RequestContext, code: number, contentType: string, body: Buffer): void {
  sendBody(context, { code, contentType }, body);
}

/** Answers with ready bytes below a head. */
export function sendBody(context: RequestContext, head: Omit<Head, 'length'>, body: Buffer): void {
  if (context.isClosed()) return;
  writeHead(context, { ...head, length: body.length });
  context.audit?.noteAnswered(body);
  context.res.end(body);
}

export function sendText(context: RequestContext, code: number, text: string): void {
  sendBytes(context, code, textType, Buffer.from(text));
}

/** 404 of a path that nobody serves. */
export function sendNotFoundPage(context: RequestContext): void {
  sendText(context, 404, '404 page not found\n');
}

/** Answers with any JSON value: discovery, Status, actions. */
export function sendJson(context: RequestContext, code: number, value: unknown): void {
  sendBytes(context, code, jsonType, jsonBytes(context, value));
}

/** Answers with an error Status, and with the headers that its kind carries. */
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
 * Ends a request with an error wherever it is: as a Status before the head is written, by cutting the connection
 * after it (the client must not take a torso for the whole).
 * @param report told of errors that are no Status, with the audit id that the client sees
 */
export function sendError(context: RequestContext, error: unknown, report: (error: unknown) => void): void {
  if (!(error instanceof StatusError) && !context.isCancelled()) report(error);
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
  // A body that was not asked for, or stopped coming, would be taken for the next request.
  if (context.expectsContinue || status.code === 408) context.closesConnection = true;
  return headers;
}
