/** Events in the versions of the group that readers may still know; they are made in the newest. */
import { isObject, textOf, type JsonObject } from '../base/json.ts';
import { dividedEvent, joinedEvent } from './divided-event.ts';
import type { AuditLine } from './types.ts';

export const auditVersions = ['v1', 'v1beta1', 'v1alpha1'] as const;
export type AuditVersion = (typeof auditVersions)[number];

/** @param group the API group of events */
export function inVersion(line: AuditLine, group: string, version: AuditVersion): AuditLine {
  if (version === 'v1') return line;
  const { event, bodies } = dividedEvent(line);
  const received = secondsOf(textOf(event['requestReceivedTimestamp']));
  const { objectRef } = event;
  const older = {
    ...event,
    apiVersion: `${group}/${version}`,
    // What the time of the event was before there were two of them.
    metadata: { creationTimestamp: received },
    timestamp: received,
    ...(version === 'v1alpha1' && isObject(objectRef) && { objectRef: olderReference(objectRef) }),
  };
  return joinedEvent({ event: older, bodies });
}

/** `2026-01-02T03:04:05.678901Z` without its fraction. */
function secondsOf(microTime: string): string {
  return microTime.replace(/\.\d+Z$/, 'Z');
}

/** Group and version were one text. */
function olderReference({ apiGroup, ...reference }: JsonObject): JsonObject {
  const group = textOf(apiGroup);
  return group === ''
    ? reference
    : { ...reference, apiVersion: `${group}/${textOf(reference['apiVersion'])}` };
}
