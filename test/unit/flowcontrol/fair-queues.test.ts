import fc from 'fast-check';
import { FairQueues, type FairQueue, type QueueShape } from '../../../src/flowcontrol/fair-queues.ts';

class Work {
  queue: FairQueue<Work> | undefined = undefined;
  charge = 0;
  readonly flow: number;
  readonly ms: number;
  readonly width: number;

  constructor(flow: number, ms: number, width = 1) {
    this.flow = flow;
    this.ms = ms;
    this.width = width;
  }

  workOf(tookMs: number): number {
    return tookMs * this.width;
  }
}

/** A flow whose hand is one queue of its own. */
const ownQueue = (queues: number): QueueShape => ({ queues, handSize: 1, lengthLimit: Infinity });

/** Serves work on some seats in simulated time; who waits at the beginning is given by `fill`. */
class Simulation {
  readonly queues = new FairQueues<Work>();
  readonly served = new Map<number, number>();
  readonly order: number[] = [];
  now = 0;
  private readonly seats: number;
  private running: { work: Work; endsAt: number }[] = [];

  constructor(seats: number) {
    this.seats = seats;
  }

  add(work: Work, shape: QueueShape): number | undefined {
    return this.queues.enqueue(work, BigInt(work.flow), shape);
  }

  fill(): void {
    while (this.running.length < this.seats) {
      const work = this.queues.next();
      if (!work) return;
      this.order.push(work.flow);
      this.running.push({ work, endsAt: this.now + work.ms });
    }
  }

  /** Goes on to the end of the next piece of work; gives it. */
  step(): Work | undefined {
    this.fill();
    this.running.sort((a, b) => a.endsAt - b.endsAt);
    const next = this.running.shift();
    if (!next) return undefined;
    const { work, endsAt } = next;
    this.now = endsAt;
    this.queues.finish(work, work.ms);
    this.served.set(work.flow, (this.served.get(work.flow) ?? 0) + work.ms);
    return work;
  }
}

test('flows that always want more get the same time, however long their work takes', () => {
  const times = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 8 }), (msOf, seats) => {
      const simulation = new Simulation(seats);
      const shape = ownQueue(msOf.length);
      const again = (flow: number): void => {
        simulation.add(new Work(flow, msOf[flow]!), shape);
      };
      // So deep that no queue runs dry while others are served.
      for (const flow of msOf.keys()) for (let i = 0; i <= seats; i++) again(flow);
      const longest = Math.max(...msOf);
      // What is under way is not counted yet, and was charged a guess.
      const bound = 2 * (seats + 1) * (longest + 5);
      for (let i = 0; i < 400; i++) {
        again(simulation.step()!.flow);
        const served = [...msOf.keys()].map((flow) => simulation.served.get(flow) ?? 0);
        expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(bound);
      }
    }),
    { numRuns: 60 },
  );
});

test('a flow that shares a full queue is served after as many turns as there are queues', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 0, max: 200 }),
      (noisyQueues, seats, head) => {
        const simulation = new Simulation(seats);
        const shape = ownQueue(noisyQueues + 1);
        for (let i = 0; i < 400 + head; i++) simulation.add(new Work(i % noisyQueues, 10), shape);
        for (let i = 0; i < head; i++) simulation.step();
        simulation.fill();
        const before = simulation.order.length;
        simulation.add(new Work(noisyQueues, 10), shape);
        while (!simulation.order.includes(noisyQueues)) simulation.step();
        // Those that were charged too little or too much while they run make up for the seats.
        expect(simulation.order.length - before).toBeLessThanOrEqual(noisyQueues + seats + 1);
      },
    ),
    { numRuns: 100 },
  );
});

test('idle time is not credited: a returning flow does not block the others', () => {
  const simulation = new Simulation(1);
  const shape = ownQueue(2);
  for (let i = 0; i < 500; i++) simulation.add(new Work(0, 10), shape);
  for (let i = 0; i < 300; i++) simulation.step();
  for (let i = 0; i < 100; i++) simulation.add(new Work(1, 10), shape);
  const before = simulation.order.length;
  for (let i = 0; i < 60; i++) simulation.step();
  const ofFirst = simulation.order.slice(before).filter((flow) => flow === 0).length;
  expect(ofFirst).toBeGreaterThanOrEqual(28);
  expect(ofFirst).toBeLessThanOrEqual(32);
});

test('work waits in the shortest queue of its hand, and not at all when that is full', () => {
  const queues = new FairQueues<Work>();
  const shape = { queues: 3, handSize: 3, lengthLimit: 2 };
  const lengths = Array.from({ length: 7 }, () => queues.enqueue(new Work(1, 1), 1n, shape));
  expect(lengths).toEqual([1, 1, 1, 2, 2, 2, undefined]);
  expect(queues.size).toBe(6);
});

test('work of one queue keeps its order; what is taken back is not served', () => {
  const queues = new FairQueues<Work>();
  const all = [1, 2, 3, 4].map((ms) => new Work(0, ms));
  for (const work of all) queues.enqueue(work, 0n, ownQueue(1));
  queues.remove(all[1]!);
  queues.remove(all[1]!);
  expect(queues.size).toBe(3);
  expect([queues.next(), queues.next(), queues.next(), queues.next()]).toEqual([
    all[0],
    all[2],
    all[3],
    undefined,
  ]);
  for (const work of [all[0]!, all[2]!, all[3]!]) queues.finish(work, 1);
  expect(queues.size).toBe(0);
});

test('millions of queues cost nothing while they are empty', () => {
  const queues = new FairQueues<Work>();
  const shape = { queues: 10_000_000, handSize: 2, lengthLimit: 1 };
  expect(queues.enqueue(new Work(1, 1), 12_345n, shape)).toBe(1);
  expect(queues.next()?.flow).toBe(1);
});
