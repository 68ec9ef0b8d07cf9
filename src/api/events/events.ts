/**
 * Event: something happened to an object. Writers of v1 must set the reporting controller and the time, and may change
 * only the series and the note.
 */
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, notSupported, required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { StoredEvent } from '../core/events.ts';
import { events as coreEvents, namespaceErrors, objectFields, validateEvent } from '../core/events.ts';
import { defineResource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { nameIsDns1123Subdomain, nameIsPathSegment, qualifiedName } from '../validation/name-rules.ts';
import { need, obeys, same, unchanged } from '../validation/rules.ts';
import type { Rule } from '../validation/rules.ts';
import { eventFromStorage, eventToStorage, renamed } from './event-conversion.ts';

const types = ['Normal', 'Warning'];
const maxWords = 128;
const maxNote = 1024;
const hereNames = new Map<string, string>(renamed);

/** The path of a field of the stored event in this group. */
function at(field: string): FieldPath {
  return FieldPath.of(hereNames.get(field) ?? field);
}

function atMost(max: number): Rule<string> {
  return (value, path) =>
    value.length > max ? [invalid(path, value, `can have at most ${String(max)} characters`)] : [];
}

function validateNew(event: StoredEvent, naming: NamingProfile): FieldError[] {
  const words = atMost(maxWords);
  const name = event.metadata.name ?? '';
  return [
    ...obeys((text) => nameIsDns1123Subdomain(text, false))(name, FieldPath.of('metadata').child('name')),
    ...namespaceErrors(event, naming),
    ...(event.eventTime == null ? [required(at('eventTime'))] : []),
    ...(types.includes(event.type ?? '') ? [] : [notSupported(at('type'), event.type ?? '', types)]),
    ...need(event.reportingComponent, at('reportingComponent'), obeys(qualifiedName)),
    ...need(event.reportingInstance, at('reportingInstance'), words),
    ...need(event.action, at('action'), words),
    ...need(event.reason, at('reason'), words),
    ...atMost(maxNote)(event.message ?? '', at('message')),
    ...seriesErrors(event),
    ...oldFieldErrors(event),
  ];
}

/** One event alone is no series. */
function seriesErrors({ series }: StoredEvent): FieldError[] {
  if (series == null) return [];
  const path = FieldPath.of('series');
  const count = series.count ?? 0;
  return [
    ...(count < 2 ? [invalid(path.child('count'), count, 'should be at least 2')] : []),
    ...(series.lastObservedTime == null ? [required(path.child('lastObservedTime'))] : []),
  ];
}

/** What the older fields said, the newer ones say. */
function oldFieldErrors(event: StoredEvent): FieldError[] {
  const isSet: readonly (readonly [string, boolean])[] = [
    ['firstTimestamp', event.firstTimestamp != null],
    ['lastTimestamp', event.lastTimestamp != null],
    ['count', (event.count ?? 0) !== 0],
    ['source', Boolean(event.source?.component) || Boolean(event.source?.host)],
  ];
  return isSet
    .filter(([, set]) => set)
    .map(([field]) => invalid(at(field), event[field] ?? null, 'needs to be unset'));
}

const fixed = [
  'action',
  'count',
  'eventTime',
  'firstTimestamp',
  'involvedObject',
  'lastTimestamp',
  'reason',
  'related',
  'reportingComponent',
  'reportingInstance',
  'source',
  'type',
] as const;

function validateUpdate(
  next: StoredEvent,
  current: StoredEvent,
  { version, naming }: ApiContext,
): FieldError[] {
  if (version !== 'v1') return validateEvent(next, naming);
  return [
    ...fixed.flatMap((field) => unchanged(next[field], current[field], at(field))),
    ...atMost(maxNote)(next.message ?? '', at('message')),
    ...(same(next.series, current.series) ? [] : seriesErrors(next)),
  ];
}

function regardingSelectors(): Record<string, (event: StoredEvent) => string> {
  return Object.fromEntries(
    objectFields.map((field) => [
      `regarding.${field}`,
      (event: StoredEvent) => event.involvedObject?.[field] ?? '',
    ]),
  );
}

const conversion = { toStorage: eventToStorage, fromStorage: eventFromStorage };

export const events = defineResource<StoredEvent>({
  kind: coreEvents.kind,
  plural: coreEvents.plural,
  shortNames: coreEvents.shortNames,
  namespaced: true,
  expires: true,
  storedIn: { group: '', folder: 'core' },
  storageVersion: 'v1',
  versions: [
    { version: 'v1', ...conversion },
    {
      version: 'v1beta1',
      deprecatedIn: '1.22',
      removedIn: '1.25',
      replacement: 'events.{api}/v1 Event',
      ...conversion,
    },
  ],
  validateName: nameIsPathSegment,
  strategy: {
    createOnUpdate: true,
    validateCreate: (event, { version, naming }) =>
      version === 'v1' ? validateNew(event, naming) : validateEvent(event, naming),
    validateUpdate,
  },
  columns: coreEvents.columns,
  selectableFields: {
    ...regardingSelectors(),
    reason: ({ reason }) => reason ?? '',
    reportingController: ({ reportingComponent }) => reportingComponent ?? '',
    type: ({ type }) => type ?? '',
  },
});
