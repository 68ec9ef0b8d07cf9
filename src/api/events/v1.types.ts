/** Types of events/v1; generated from v1.proto by `npm run generate`. */
import type { EventSource, ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Something that happened to an object. */
export interface Event {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Name, labels and the rest that every object carries. */
  metadata?: ObjectMeta | undefined;
  /** When it was first seen. */
  eventTime?: string | null | undefined;
  /** How often it was seen since; none when once. */
  series?: EventSeries | undefined;
  /** Which controller reported it. */
  reportingController?: string | undefined;
  /** Which instance of the controller reported it. */
  reportingInstance?: string | undefined;
  /** What was done. */
  action?: string | undefined;
  /** One CamelCase word that says why, for machines. */
  reason?: string | undefined;
  /** What the event is about. */
  regarding?: ObjectReference | undefined;
  /** Another object that has to do with it. */
  related?: ObjectReference | undefined;
  /** Text for people. */
  note?: string | undefined;
  /** Which kind of thing this is. */
  type?: string | undefined;
  /** Old source. */
  deprecatedSource?: EventSource | undefined;
  /** Old first time. */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** Old last time. */
  deprecatedLastTimestamp?: string | null | undefined;
  /** Old counter. */
  deprecatedCount?: number | undefined;
}

/** A list of Event objects. */
export interface EventList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Version of the list and where to go on. */
  metadata?: ListMeta | undefined;
  /** The objects. */
  items?: Event[] | null | undefined;
}

/** How often something happened since the first time. */
export interface EventSeries {
  /** How often. */
  count?: number | undefined;
  /** When it was last seen. */
  lastObservedTime?: string | null | undefined;
}
