/**
 * What the levels do at this moment, as tables of text for people: a row for each level, for each queue, or for each
 * request that waits. Columns and their names are those of the reference (release 1.21), misspelling included.
 */
import type { PassiveClock } from '../base/clock.ts';
import type { FairQueue } from './fair-queues.ts';
import type { LevelSnapshot } from './priority-level.ts';
import type { Seat } from './seat.ts';

/** A level, and whether its object is deleted while requests still hold its seats. */
export interface DumpedLevel extends LevelSnapshot {
  readonly isGone: boolean;
}

/** Builds the tables at each call. */
export interface FlowDumps {
  readonly levels: () => string;
  readonly queues: () => string;
  /** @param withDetails also user and request */
  readonly requests: (withDetails: boolean) => string;
}

type Row = readonly string[];

const none = '<none>';
/** Of levels with more queues than these, only those are listed that hold something: there may be millions. */
const mostListed = 1_000;

const levelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
];
const queueColumns = ['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'VirtualStart'];
const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
];
const detailColumns = [
  'UserName',
  'Verb',
  'APIPath',
  'Namespace',
  'Name',
  'APIVersion',
  'Resource',
  'SubResource',
];

/** @param levels as they are when it is called */
export function createFlowDumps(levels: () => readonly DumpedLevel[], clock: PassiveClock): FlowDumps {
  const rows = (columns: readonly string[], of: (level: DumpedLevel) => readonly Row[]): string => {
    const body = levels().flatMap((level) =>
      level.isExempt ? [[level.name, ...columns.slice(1).map(() => none)]] : of(level),
    );
    return tableOf([columns, ...body]);
  };
  return {
    levels: () => rows(levelColumns, (level) => [levelRow(level)]),
    queues: () => rows(queueColumns, queueRows),
    requests: (withDetails) =>
      rows(withDetails ? [...requestColumns, ...detailColumns] : requestColumns, (level) =>
        requestRows(level, clock, withDetails),
      ),
  };
}

function levelRow({ name, queues, isIdle, isGone, waiting, executing }: DumpedLevel): Row {
  const active = queues.filter((queue) => queue.waiting.size > 0).length;
  return [name, active, isIdle, isGone, waiting, executing].map(String);
}

function queueRows({ name, queueCount, queues }: DumpedLevel): Row[] {
  const busy = new Map(queues.map((queue) => [queue.index, queue]));
  const all = queueCount > mostListed ? [] : Array.from({ length: queueCount }, (_none, index) => index);
  const listed = [...new Set([...all, ...busy.keys()])].sort((a, b) => a - b);
  return listed.map((index) => {
    const { waiting, executing = 0, tag = 0 }: Partial<FairQueue<Seat>> = busy.get(index) ?? {};
    return [name, String(index), String(waiting?.size ?? 0), String(executing), (tag / 1_000).toFixed(4)];
  });
}

function requestRows({ name, queues }: DumpedLevel, clock: PassiveClock, withDetails: boolean): Row[] {
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  return queues.flatMap(({ index, waiting }) =>
    [...waiting].map((seat, place) => {
      const arrived = new Date(now - seat.waitedMs(monotonic)).toISOString();
      const { schema = '', distinguisher = '' } = seat.claim ?? {};
      const row = [name, schema, String(index), String(place), distinguisher, arrived];
      return withDetails ? [...row, ...detailsOf(seat)] : row;
    }),
  );
}

function detailsOf({ claim }: Seat): Row {
  if (!claim) return detailColumns.map(() => '');
  const { user, info } = claim;
  const { verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = info;
  const version = apiGroup === '' ? apiVersion : `${apiGroup}/${apiVersion}`;
  return [user.name, verb, path, namespace, name, version, resource, subresource];
}

const narrowest = 8;

/** Each cell ends with a comma and is as wide as its column. */
function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => row.map((text) => `${onOneLine(text)},`));
  const widths = (cells[0] ?? []).map((_head, i) =>
    cells.reduce((width, row) => Math.max(width, (row[i]?.length ?? 0) + 1), narrowest),
  );
  const line = (row: Row): string => row.map((text, i) => text.padEnd(widths[i] ?? 0)).join('');
  return cells.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** Users choose names and paths: none of them may look like a row of its own. */
function onOneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
