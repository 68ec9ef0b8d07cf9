/** Ages as users of this API know them: `45s`, `5m3s`, `3h`, `2d4h`, `3d`, `1y20d`. */
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Two units where the smaller one still matters, one where it does not. */
export function humanDuration(ms: number): string {
  if (ms < -second) return '<invalid>';
  if (ms < 0) return '0s';
  if (ms < 2 * minute) return `${whole(ms, second)}s`;
  if (ms < 10 * minute) return pair(ms, [minute, 'm'], [second, 's']);
  if (ms < 3 * hour) return `${whole(ms, minute)}m`;
  if (ms < 8 * hour) return pair(ms, [hour, 'h'], [minute, 'm']);
  if (ms < 2 * day) return `${whole(ms, hour)}h`;
  if (ms < 8 * day) return pair(ms, [day, 'd'], [hour, 'h']);
  if (ms < 2 * year) return `${whole(ms, day)}d`;
  if (ms < 8 * year) return pair(ms, [year, 'y'], [day, 'd']);
  return `${whole(ms, year)}y`;
}

type Unit = readonly [ms: number, sign: string];

function whole(ms: number, unit: number): string {
  return String(Math.floor(ms / unit));
}

function pair(ms: number, [big, bigSign]: Unit, [small, smallSign]: Unit): string {
  const rest = Math.floor((ms % big) / small);
  return `${whole(ms, big)}${bigSign}${rest > 0 ? `${String(rest)}${smallSign}` : ''}`;
}

/** A table cell with the time since a moment: the only ones that change while their object does not. */
export class TimeSince {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** What the cell has beside the time; ASCII. */
  readonly around: { readonly before: string; readonly after: string };

  constructor(since: number, around = { before: '', after: '' }) {
    this.since = since;
    this.around = around;
  }

  /** The time alone, ASCII. @param now in milliseconds since 1970 */
  duration(now: number): string {
    return humanDuration(now - this.since);
  }

  /** The whole cell. @param now in milliseconds since 1970 */
  text(now: number): string {
    return `${this.around.before}${this.duration(now)}${this.around.after}`;
  }
}

/** Time since a timestamp; `<unknown>` when there is none. */
export function ageOf(timestamp: string | null | undefined): TimeSince | '<unknown>' {
  const then = timestamp ? Date.parse(timestamp) : NaN;
  return Number.isNaN(then) ? '<unknown>' : new TimeSince(then);
}
