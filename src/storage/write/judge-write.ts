/** Determines from the history of an object whether a write whose response was lost took effect. */
import type { Entry, Revision, StorageError, StoredEvent } from '../types.ts';
import { UnreadableEntry } from '../view/entry-reader.ts';
import { StoredEntry } from '../view/stored-entry.ts';
import { refusal, type GuardedWrite } from './guarded-write.ts';

export type Verdict =
  | { readonly kind: 'done'; readonly revision: Revision }
  /** The object was deleted at that revision; its trace tells whether by this write. */
  | { readonly kind: 'removed'; readonly revision: Revision }
  | { readonly kind: 'notDone' }
  | { readonly kind: 'refused'; readonly error: StorageError }
  | { readonly kind: 'unknown' };

export interface RetainedHistory {
  /** Events up to this revision may be missing. */
  readonly floor: Revision;
  /** Events of the collection after the revision of the first attempt. */
  readonly events: readonly StoredEvent[];
}

/** The object in a view that is as new as the quorum; undefined if there is none. */
export type CurrentObject = Entry | UnreadableEntry | undefined;

/** @param current no attempt of a creation is still in flight */
export function judgeWrite(write: GuardedWrite, history: RetainedHistory, current: CurrentObject): Verdict {
  const own = history.events.find((event) => event.key === write.key && mayBeOwn(write, event));
  if (own !== undefined)
    return { kind: write.kind === 'delete' ? 'removed' : 'done', revision: own.revision };
  if (current instanceof UnreadableEntry) return judgeBehind(write, history, current);
  if (current !== undefined && write.kind !== 'delete' && markOfEntry(current) === write.mark) {
    return { kind: 'done', revision: current.modRevision };
  }
  if (write.kind !== 'create' && current?.modRevision === write.expected) return { kind: 'notDone' };
  // The object has changed; without its full history the writer is unknown.
  if (history.floor > write.since) return { kind: 'unknown' };
  if (write.kind === 'create' && current === undefined) return { kind: 'notDone' };
  return { kind: 'refused', error: refusal(write, current) };
}

/** The mark of an object that cannot be read is not known: this write may have left it, if it came since. */
function judgeBehind(write: GuardedWrite, history: RetainedHistory, current: UnreadableEntry): Verdict {
  const { kind, expected, since } = write;
  if (kind !== 'create' && current.modRevision === expected) return { kind: 'notDone' };
  if (current.modRevision > since || history.floor > since) return { kind: 'unknown' };
  return { kind: 'refused', error: refusedBehind(write, current) };
}

/** The error of a write that an object hinders which cannot be read. */
export function refusedBehind(write: GuardedWrite, current: UnreadableEntry): StorageError {
  return write.kind === 'create' ? refusal(write, undefined) : current.error;
}

function mayBeOwn(write: GuardedWrite, event: StoredEvent): boolean {
  if (write.kind === 'delete')
    return event.type === 'delete' && event.previous?.modRevision === write.expected;
  return event.type === 'put' && markOfEntry(event.entry) === write.mark;
}

function markOfEntry(entry: Entry): number {
  return entry instanceof StoredEntry ? entry.mark : 0;
}
