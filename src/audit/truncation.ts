/**
 * Truncation (`--audit-log-truncate-enabled`): events that are too large lose their bodies and get an annotation that
 * says so.
 */
import { isObject } from '../base/json.ts';
import { dividedEvent } from './divided-event.ts';
import type { AuditLine } from './types.ts';

/**
 * The event within so many bytes; undefined when it is larger even without bodies.
 * @param group the API group of events, before the name of the annotation
 */
export function truncated(line: AuditLine, group: string, maxBytes: number): AuditLine | undefined {
  if (Buffer.byteLength(line) <= maxBytes) return line;
  const { event, bodies } = dividedEvent(line);
  if (bodies === '') return undefined;
  const { annotations } = event;
  const annotated = { ...(isObject(annotations) && annotations), [`${group}/truncated`]: 'true' };
  const shorter = JSON.stringify({ ...event, annotations: annotated });
  return Buffer.byteLength(shorter) <= maxBytes ? shorter : undefined;
}
