/** JSON frames of a watch: one line per event, made once per object revision and shared by all watchers. */
import type { StructSchema } from '../schema/types.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { splicedLength, writeSpliced, type StoredText } from './stored.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const openings: Readonly<Record<WatchEventType, string>> = {
  ADDED: '{"type":"ADDED","object":',
  MODIFIED: '{"type":"MODIFIED","object":',
  DELETED: '{"type":"DELETED","object":',
};

/**
 * The frame of one event, from stored text: one allocation, nothing parsed. Its revision is what the object's
 * resourceVersion says; for DELETED that of the delete.
 */
export function watchFrame(type: WatchEventType, text: StoredText): Buffer {
  const opening = openings[type];
  const target = Buffer.allocUnsafe(opening.length + splicedLength(text) + 2);
  target.write(opening, 0, 'latin1');
  const end = writeSpliced(target, opening.length, text);
  target.write('}\n', end, 'latin1');
  return target;
}

/** The frame of an event whose object is already JSON text (another version, Table, metadata only). */
export function watchFrameOfText(type: WatchEventType, objectText: string | Buffer): Buffer {
  if (typeof objectText === 'string') return Buffer.from(`${openings[type]}${objectText}}\n`);
  const opening = openings[type];
  const target = Buffer.allocUnsafe(opening.length + objectText.length + 2);
  target.write(opening, 0, 'latin1');
  objectText.copy(target, opening.length);
  target.write('}\n', opening.length + objectText.length, 'latin1');
  return target;
}

/** What ends the initial events. */
export interface InitialEventsEnd {
  /** An empty list of the objects, encoded as they are: of it clients make the list that they have got. */
  readonly emptyList: Buffer | string;
}

export interface Bookmark {
  readonly kind: string;
  readonly apiVersion: string;
  readonly revision: number;
  /** The state asked for with `sendInitialEvents` is complete: what of it is sent. Absent for other bookmarks. */
  readonly initialEventsEnd?: InitialEventsEnd | undefined;
  readonly naming: NamingProfile;
  /** The time that it lacks is written as null, as it is in the metadata of the schema's objects. */
  readonly writesZeroTime: boolean;
}

/** A type of objects. `metadata` where `schema` has to be parsed first. */
interface ObjectType {
  readonly schema: StructSchema;
  readonly metadata?: StructSchema | undefined;
}

/** Whether metadata without a time of creation say so (`creationTimestamp: null`): releases before 1.34 do. */
export function writesZeroTime(type: ObjectType): boolean {
  const metadata = type.metadata ?? type.schema.fields.get('metadata')?.schema;
  return metadata?.type === 'struct' && metadata.fields.get('creationTimestamp')?.pointer === false;
}

/** The object of a bookmark: a kind and a resource version, and the mark that ends the initial events. */
export function bookmarkObject(bookmark: Bookmark): {
  kind: string;
  apiVersion: string;
  metadata: { resourceVersion: string; creationTimestamp?: null; annotations?: Record<string, string> };
} {
  const { naming, initialEventsEnd, writesZeroTime } = bookmark;
  return {
    kind: bookmark.kind,
    apiVersion: bookmark.apiVersion,
    metadata: {
      resourceVersion: String(bookmark.revision),
      ...(writesZeroTime && { creationTimestamp: null }),
      ...(initialEventsEnd && { annotations: endAnnotations(naming, initialEventsEnd) }),
    },
  };
}

/** The marks that clients look for (KEP-3157). */
function endAnnotations(naming: NamingProfile, { emptyList }: InitialEventsEnd): Record<string, string> {
  return {
    [`${naming.apiDomain}/initial-events-end`]: 'true',
    [`${naming.labelDomain}/initial-events-list-blueprint`]: Buffer.from(emptyList).toString('base64'),
  };
}

export function bookmarkFrame(bookmark: Bookmark): Buffer {
  return Buffer.from(`{"type":"BOOKMARK","object":${JSON.stringify(bookmarkObject(bookmark))}}\n`);
}

/** The last frame of a watch that failed; `status` is a Status. The stream is closed behind it. */
export function errorFrame(status: unknown): Buffer {
  return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
}
