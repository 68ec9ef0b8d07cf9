/**
 * Truncation (`--audit-log-truncate-enabled`): events that are too large lose their bodies and get an annotation that
 * says so.
 */
import { isObject, type JsonObject } from '../base/json.ts';
import type { AuditLine } from './types.ts';

/**
 * The event within so many bytes; undefined when it is larger even without bodies.
 * @param group the API group of events, before the name of the annotation
 */
export function truncated(line: AuditLine, group: string, maxBytes: number): AuditLine | undefined {
  if (Buffer.byteLength(line) <= maxBytes) return line;
  const { requestObject, responseObject, annotations, ...event } = JSON.parse(line) as JsonObject;
  if (requestObject === undefined && responseObject === undefined) return undefined;
  const annotated = { ...(isObject(annotations) && annotations), [`${group}/truncated`]: 'true' };
  const shorter = JSON.stringify({ ...event, annotations: annotated });
  return Buffer.byteLength(shorter) <= maxBytes ? shorter : undefined;
}
