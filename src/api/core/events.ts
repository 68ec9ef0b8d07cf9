/** Event: something happened to an object. */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { systemNamespace } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { column, nameColumn, wideColumn } from '../columns/columns.ts';
import { ageOf } from '../columns/human-duration.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { dns1123Subdomain, nameIsPathSegment, qualifiedName } from '../validation/name-rules.ts';
import { invalidEach, need, obeys } from '../validation/rules.ts';
import type { Rule } from '../validation/rules.ts';
import type { CellValue } from '../types.ts';
import type { Event as EventFields } from './v1.types.ts';

type Event = Stored<EventFields>;
export type StoredEvent = Event;

const maxWords = 128;
const maxNoteBytes = 1024;

function atMost(max: number): Rule<string> {
  return (value, path) =>
    Buffer.byteLength(value) > max
      ? [invalid(path, value, `can have at most ${String(max)} characters`)]
      : [];
}

/** Rules of events as the core group has them. */
export function validateEvent(event: Event, naming: NamingProfile): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  return [
    ...namespaceErrors(event, naming),
    ...(event.eventTime ? reporterErrors(event) : []),
    ...invalidEach(namespace, FieldPath.of('metadata').child('namespace'), dns1123Subdomain(namespace)),
  ];
}

/** An event lives beside its object; one about a cluster-wide object in the default namespace. */
export function namespaceErrors(event: Event, naming: NamingProfile): FieldError[] {
  const own = event.metadata.namespace ?? '';
  const object = event.involvedObject?.namespace ?? '';
  const homes = event.eventTime ? ['default', systemNamespace(naming)] : ['', 'default'];
  const agrees = object === '' ? homes.includes(own) : own === object || Boolean(event.eventTime);
  return agrees
    ? []
    : [invalid(FieldPath.of('involvedObject').child('namespace'), object, 'does not match event.namespace')];
}

/** Events with a time of their own say who reports what. */
function reporterErrors(event: Event): FieldError[] {
  const short = atMost(maxWords);
  return [
    ...need(event.reportingComponent, FieldPath.of('reportingController'), obeys(qualifiedName)),
    ...need(event.reportingInstance, FieldPath.of('reportingInstance'), short),
    ...need(event.action, FieldPath.of('action'), short),
    ...need(event.reason, FieldPath.of('reason'), short),
    ...atMost(maxNoteBytes)(event.message ?? '', FieldPath.of('message')),
  ];
}

function firstSeen(event: Event): CellValue {
  return ageOf(event.firstTimestamp ?? event.eventTime);
}

function lastSeen(event: Event): CellValue {
  const last = event.series?.lastObservedTime ?? event.lastTimestamp;
  return last ? ageOf(last) : firstSeen(event);
}

function objectText({ involvedObject }: Event): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase();
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
}

function sourceText(event: Event): string {
  const component = event.source?.component || (event.reportingComponent ?? '');
  const host = event.source?.host || (event.reportingInstance ?? '');
  return host === '' ? component : `${component}, ${host}`;
}

function timesSeen({ series, count }: Event): number {
  return series ? (series.count ?? 0) + 1 : count || 1;
}

export const objectFields = [
  'apiVersion',
  'fieldPath',
  'kind',
  'name',
  'namespace',
  'resourceVersion',
  'uid',
] as const;

function objectSelectors(): Record<string, (event: Event) => string> {
  return Object.fromEntries(
    objectFields.map((field) => [
      `involvedObject.${field}`,
      (event: Event) => event.involvedObject?.[field] ?? '',
    ]),
  );
}

export const events = defineResource<Event>({
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  namespaced: true,
  expires: true,
  versions: [{ version: 'v1' }],
  validateName: nameIsPathSegment,
  strategy: { createOnUpdate: true, validate: (event, context) => validateEvent(event, context.naming) },
  columns: [
    column<Event>('Last Seen', lastSeen, { description: 'Time since it was last seen.' }),
    column<Event>('Type', ({ type }) => type, { description: 'Normal or Warning.' }),
    column<Event>('Reason', ({ reason }) => reason, { description: 'Why, in one word.' }),
    column<Event>('Object', objectText, { description: 'What it happened to.' }),
    wideColumn<Event>('Subobject', ({ involvedObject }) => involvedObject?.fieldPath, 'Part of the object.'),
    wideColumn<Event>('Source', sourceText, 'Who reports it.'),
    column<Event>('Message', ({ message }) => (message ?? '').trim(), { description: 'What happened.' }),
    wideColumn<Event>('First Seen', firstSeen, 'Time since it was first seen.'),
    wideColumn<Event>('Count', timesSeen, 'How often it was seen.'),
    { ...nameColumn, priority: 1 },
  ],
  selectableFields: {
    ...objectSelectors(),
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
    source: ({ source, reportingComponent }) => source?.component || (reportingComponent ?? ''),
    type: ({ type }) => type ?? '',
  },
});
