import { setTimeout as delay } from 'node:timers/promises';
import { LanePlaces, Place, type Load } from '../../../src/write-threads/lane-places.ts';

const limits = { total: 1, heldBytes: 8, maxWaiting: 100, maxWaitMs: 5_000, maxResumeMs: 60_000 };
const stays = { onClose: () => undefined };

function load(flow: string, bytes = 2): Load {
  return { flow, weight: 1, bytes };
}

/** Who has begun, in order. */
class Lane {
  readonly places: LanePlaces;
  readonly begun: string[] = [];

  constructor(more: Partial<typeof limits> = {}) {
    this.places = new LanePlaces({ ...limits, ...more });
  }

  async begin(one: Load, name = one.flow): Promise<Place> {
    const place = await this.places.take(one, stays);
    if (typeof place === 'string') throw new Error(place);
    this.begun.push(name);
    return place;
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
}

test('a paused write admits the next one, and resumes before new ones', async () => {
  const lane = new Lane();
  const ann = await lane.begin(load('ann'));
  const bob = lane.begin(load('bob'));
  const carl = lane.begin(load('carl'));
  await settle();
  expect(lane.begun).toEqual(['ann']);
  ann.pause();
  await settle();
  expect(lane.begun).toEqual(['ann', 'bob']);
  ann.resume(() => lane.begun.push('ann again'));
  (await bob).end();
  await settle();
  expect(lane.begun).toEqual(['ann', 'bob', 'ann again']);
  ann.end();
  (await carl).end();
});

test('a user at its limit of paused writes waits without blocking others', async () => {
  const lane = new Lane();
  const first = await lane.begin(load('ann'));
  first.pause();
  const second = lane.begin(load('ann'), 'ann again');
  const bob = await lane.begin(load('bob'));
  expect(lane.begun).toEqual(['ann', 'bob']);
  bob.end();
  first.end();
  (await second).end();
});

test('one for which too much is held is passed over, and begins when it is not', async () => {
  const lane = new Lane();
  const held = await Promise.all(
    ['ann', 'bob', 'carl'].map(async (flow) => {
      const place = await lane.begin(load(flow));
      place.pause();
      return place;
    }),
  );
  const large = lane.begin(load('dora', 3));
  const small = await lane.begin(load('eve'));
  small.end();
  expect(lane.begun).toEqual(['ann', 'bob', 'carl', 'eve']);
  held[0]?.end();
  (await large).end();
});

test('with all bytes held, one is refused when its time is over', async () => {
  const { places } = new Lane({ heldBytes: 4, maxWaitMs: 5 });
  for (const flow of ['ann', 'bob']) {
    const place = await places.take(load(flow), stays);
    if (typeof place !== 'string') place.pause();
  }
  expect(await places.take(load('carl'), stays)).toBe('timeout');
});

test('one that ends while it is paused, or while it comes back, leaves nothing behind', async () => {
  const lane = new Lane({ heldBytes: 2 });
  const paused = await lane.begin(load('ann'));
  paused.pause();
  paused.end();
  paused.end();
  const back = await lane.begin(load('bob', 1));
  back.pause();
  const carl = await lane.begin(load('carl', 1));
  back.resume(() => lane.begun.push('bob again'));
  back.end();
  back.pause();
  carl.end();
  (await lane.begin(load('dora', 50))).end();
  expect(lane.begun).toEqual(['ann', 'bob', 'carl', 'dora']);
});

test('a write that resumes and pauses again releases its place once', async () => {
  const lane = new Lane();
  const ann = await lane.begin(load('ann'));
  ann.pause();
  const bob = await lane.begin(load('bob'));
  ann.resume(() => lane.begun.push('ann again'));
  ann.pause();
  bob.end();
  expect(lane.begun).toEqual(['ann', 'bob']);
  ann.resume(() => lane.begun.push('ann again'));
  expect(lane.begun).toEqual(['ann', 'bob', 'ann again']);
  const carl = lane.begin(load('carl'));
  await settle();
  expect(lane.begun).toHaveLength(3);
  ann.end();
  (await carl).end();
});

test('one that comes back goes on after a while: who has the place may wait for it', async () => {
  const lane = new Lane({ maxResumeMs: 5 });
  const ann = await lane.begin(load('ann'));
  ann.pause();
  const bob = await lane.begin(load('bob'));
  await new Promise<void>((resolve) => {
    ann.resume(resolve);
  });
  const carl = lane.begin(load('carl'));
  bob.end();
  await delay(1);
  expect(lane.begun).toEqual(['ann', 'bob']);
  ann.end();
  (await carl).end();
});
