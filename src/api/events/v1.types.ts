/** Types of events/v1; generated from v1.proto by `npm run generate`. */
import type { EventSource, ObjectReference } from '../core/v1.types.ts';
import type { ListMeta, ObjectMeta } from '../meta/v1.types.ts';

/** Event. */
export interface Event {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ObjectMeta | undefined;
  /** Event time. */
  eventTime?: string | null | undefined;
  /** Series. */
  series?: EventSeries | undefined;
  /** Reporting controller. */
  reportingController?: string | undefined;
  /** Reporting instance. */
  reportingInstance?: string | undefined;
  /** Action. */
  action?: string | undefined;
  /** Reason. */
  reason?: string | undefined;
  /** Regarding. */
  regarding?: ObjectReference | undefined;
  /** Related. */
  related?: ObjectReference | undefined;
  /** Note. */
  note?: string | undefined;
  /** Type. */
  type?: string | undefined;
  /** Deprecated source. */
  deprecatedSource?: EventSource | undefined;
  /** Deprecated first timestamp. */
  deprecatedFirstTimestamp?: string | null | undefined;
  /** Deprecated last timestamp. */
  deprecatedLastTimestamp?: string | null | undefined;
  /** Deprecated count. */
  deprecatedCount?: number | undefined;
}

/** Event list. */
export interface EventList {
  /** What the object is, in CamelCase, such as Pod. Fixed for its life. */
  kind?: string | undefined;
  /** Group and version that the object is written in, such as apps/v1; core objects write v1 alone. */
  apiVersion?: string | undefined;
  /** Metadata. */
  metadata?: ListMeta | undefined;
  /** Items. */
  items?: Event[] | null | undefined;
}

/** Event series. */
export interface EventSeries {
  /** Count. */
  count?: number | undefined;
  /** Last observed time. */
  lastObservedTime?: string | null | undefined;
}
