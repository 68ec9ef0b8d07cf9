/** Reads a range in pages at one revision, the next page being fetched while one is worked on. */
import { Slice } from '../../base/cooperate.ts';
import { keyAfter, type KeyRange } from '../keys.ts';
import type { Revision } from '../types.ts';
import type { EtcdClient } from './client.ts';
import { EtcdFault } from './faults.ts';
import { numberOf, type KeyValue, type RangeResponse } from './messages.ts';

const firstPage = 200;
const mostPerPage = 1_000;
/** Aim for one page; sizes of objects are guessed from the page before. */
const pageBytes = 4 * 1024 * 1024;

export interface PagedRangeOptions {
  readonly range: KeyRange;
  /** 0: the newest; all pages are then read at the revision of the first. */
  readonly revision: Revision;
  readonly signal: AbortSignal;
  /** Told once, before the first entry. */
  readonly onStart?: (revision: Revision) => void;
  readonly onEntry: (kv: KeyValue) => void;
}

/** Gives the revision read. @throws EtcdFault, `compacted` when the revision is gone */
export async function readPaged(client: EtcdClient, options: PagedRangeOptions): Promise<Revision> {
  const { range, signal } = options;
  const slice = new Slice();
  let page = await client.range({ ...range, limit: firstPage, revision: options.revision });
  const revision = options.revision === 0 ? numberOf(page.header.revision) : options.revision;
  options.onStart?.(revision);
  for (;;) {
    const next = nextPage(client, page, range, revision);
    for (const kv of page.kvs) {
      options.onEntry(kv);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    if (signal.aborted) throw new EtcdFault('notSent', 'stopped while reading');
    if (next === undefined) return revision;
    page = await next;
  }
}

function nextPage(
  client: EtcdClient,
  page: RangeResponse,
  range: KeyRange,
  revision: Revision,
): Promise<RangeResponse> | undefined {
  const last = page.kvs.at(-1);
  if (!page.more || last === undefined) return undefined;
  const next = client.range({
    key: keyAfter(last.key),
    range_end: range.range_end,
    limit: limitAfter(page),
    revision,
  });
  // Awaited later; until then a fault must not count as unhandled.
  next.catch(() => undefined);
  return next;
}

function limitAfter(page: RangeResponse): number {
  const bytes = page.kvs.reduce((sum, kv) => sum + kv.key.length + kv.value.length, 0);
  const average = Math.max(1, bytes / page.kvs.length);
  return Math.max(10, Math.min(mostPerPage, Math.floor(pageBytes / average)));
}
