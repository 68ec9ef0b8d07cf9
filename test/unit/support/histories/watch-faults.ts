/** Faults of watches. */
import { oneOf, type Fault, type Mutable, type MutableHistory } from './fault.ts';
import type { State, Truth, WatchedEvent, WatchRecord } from '../../../support/histories/types.ts';

type MutableWatch = Mutable<WatchRecord>;

/** A place in a watch: the watch and the index of an event. */
interface Spot {
  readonly watch: MutableWatch;
  readonly at: number;
  readonly event: Mutable<WatchedEvent>;
}

function spots({ watches }: MutableHistory, suits: (spot: Spot) => boolean): Spot[] {
  return watches.flatMap((watch) => watch.events.map((event, at) => ({ watch, at, event }))).filter(suits);
}

const isChange = ({ event }: Spot): boolean => event.type !== 'BOOKMARK';

/** Puts a fault at one of the spots. */
function atSpot(
  suits: (spot: Spot, truth: Truth) => boolean,
  spoil: (spot: Spot, truth: Truth) => void,
): Fault['put'] {
  return (history, truth, pick) => {
    const spot = oneOf(
      spots(history, (one) => suits(one, truth)),
      pick,
    );
    if (spot) spoil(spot, truth);
    return spot !== undefined;
  };
}

const drop = ({ watch, at }: Spot): void => void watch.events.splice(at, 1);
const next = ({ watch, at }: Spot): Mutable<WatchedEvent> | undefined => watch.events[at + 1];
const last = ({ watch }: Spot): Mutable<WatchedEvent> | undefined => watch.events.at(-1);

export const watchFaults: readonly Fault[] = [
  {
    what: 'two events are swapped',
    foundBy: 'ordered',
    put: atSpot(
      (spot) =>
        isChange(spot) && (next(spot)?.version ?? 0) > spot.event.version && next(spot)?.type !== 'BOOKMARK',
      ({ watch, at }) => watch.events.splice(at, 2, watch.events[at + 1]!, watch.events[at]!),
    ),
  },
  {
    what: 'an event is told twice',
    foundBy: 'unique',
    put: atSpot(isChange, ({ watch, at, event }) => watch.events.splice(at, 0, { ...event })),
  },
  {
    what: 'a watch that goes on tells again what the one before told',
    foundBy: 'unique',
    put: (history, _truth, pick) => {
      const joints = history.watches.flatMap((watch) => {
        const before = history.watches.find(({ id }) => id === watch.continues)?.events.at(-1);
        return before === undefined || before.type === 'BOOKMARK' ? [] : [{ watch, before }];
      });
      const joint = oneOf(joints, pick);
      joint?.watch.events.unshift({ ...joint.before });
      return joint !== undefined;
    },
  },
  {
    what: 'a bookmark stands within a revision',
    foundBy: 'atomic',
    put: atSpot(
      (spot) =>
        isChange(spot) && next(spot)?.version === spot.event.version && next(spot)?.type !== 'BOOKMARK',
      ({ watch, at, event: { version, at: when } }) =>
        watch.events.splice(at + 1, 0, { at: when, type: 'BOOKMARK', version }),
    ),
  },
  {
    what: 'half of a revision is missing',
    foundBy: 'atomic',
    put: atSpot(
      (spot) =>
        isChange(spot) &&
        next(spot)?.version === spot.event.version &&
        next(spot)?.type !== 'BOOKMARK' &&
        last(spot)!.version > spot.event.version,
      drop,
    ),
  },
  {
    what: 'an event is dropped',
    foundBy: 'reliable',
    put: atSpot(
      (spot) =>
        isChange(spot) &&
        spot.watch.events.some(({ type, version }) => type !== 'BOOKMARK' && version > spot.event.version),
      drop,
    ),
  },
  {
    what: 'a watch that goes on leaves out its first event',
    foundBy: 'resumable',
    put: atSpot(
      (spot) =>
        spot.at === 0 &&
        isChange(spot) &&
        spot.watch.start.kind === 'after' &&
        (next(spot)?.version ?? 0) > spot.event.version,
      drop,
    ),
  },
  {
    what: 'a watch begins at its start instead of after it',
    foundBy: 'resumable',
    put: atSpot(
      ({ watch, at }) => at === 0 && watch.start.kind === 'after' && watch.start.version > 0,
      ({ watch, event }) => {
        const version = watch.start.kind === 'after' ? watch.start.version : 0;
        watch.events.unshift({ at: event.at, type: 'ADDED', key: 'a/x', value: 'told', version });
      },
    ),
  },
  {
    what: 'an event comes after the bookmark that covers it',
    foundBy: 'bookmarkable',
    put: atSpot(
      (spot) => isChange(spot) && next(spot)?.type === 'BOOKMARK',
      ({ watch, at }) => watch.events.splice(at, 2, watch.events[at + 1]!, watch.events[at]!),
    ),
  },
  {
    what: 'an event before a bookmark is dropped',
    foundBy: 'bookmarkable',
    put: atSpot((spot) => isChange(spot) && next(spot)?.type === 'BOOKMARK', drop),
  },
  {
    what: 'a bookmark goes back',
    foundBy: 'bookmarkable',
    put: atSpot(
      ({ event, at }) => event.type === 'BOOKMARK' && at > 0,
      ({ watch, at, event }) => {
        event.version = watch.events[at - 1]!.version - 1;
      },
    ),
  },
  {
    what: 'a bookmark promises too much',
    foundBy: 'bookmarkable',
    put: atSpot(
      (spot) => spot.event.type === 'BOOKMARK' && next(spot) !== undefined && next(spot)!.type !== 'BOOKMARK',
      (spot) => {
        spot.event.version = next(spot)!.version;
      },
    ),
  },
  {
    what: 'a value is invented',
    foundBy: 'filtered',
    put: atSpot(isChange, ({ event }) => {
      if (event.type !== 'BOOKMARK') event.value = 'invented';
    }),
  },
  {
    what: 'an object that leaves the filter is MODIFIED',
    foundBy: 'filtered',
    put: atSpot(
      ({ event }) => event.type === 'DELETED',
      ({ event }) => {
        if (event.type !== 'BOOKMARK') event.type = 'MODIFIED';
      },
    ),
  },
  {
    what: 'an object that comes is MODIFIED',
    foundBy: 'filtered',
    put: atSpot(
      ({ event }) => event.type === 'ADDED',
      ({ event }) => {
        if (event.type !== 'BOOKMARK') event.type = 'MODIFIED';
      },
    ),
  },
  {
    what: 'an object that the filter does not select is told',
    foundBy: 'filtered',
    put: atSpot(
      (spot, truth) =>
        isChange(spot) && spot.watch.filter.prefix === 'a/' && stranger(spot, truth) !== undefined,
      (spot, truth) => {
        const { key, version, value } = stranger(spot, truth)!;
        spot.watch.events.splice(spot.at, 0, { at: spot.event.at, type: 'ADDED', key, version, value });
      },
    ),
  },
  {
    what: 'an object of the first state is missing',
    foundBy: 'filtered',
    put: ({ watches }, _truth, pick) => {
      const watch = oneOf(
        watches.filter(({ initial }) => initial?.version !== undefined && initial.items.length > 0),
        pick,
      );
      watch?.initial?.items.pop();
      return watch !== undefined;
    },
  },
];

/** A change in another namespace, just before an event. */
function stranger({ event }: Spot, truth: Truth): State | undefined {
  const commit = truth.pasts[0]?.commits.findLast(({ revision }) => revision < event.version);
  const change = commit?.changes.find(({ key, put }) => key.startsWith('b/') && put);
  return change?.put && commit && { key: change.key, version: commit.revision, value: change.put.value };
}
