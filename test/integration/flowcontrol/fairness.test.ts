/**
 * What clients meet when there is too much to do, at one process and at two workers. A request is made to last by the
 * authorization webhook, which is asked when the request has its seat.
 */
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { waitFor } from '../../support/wait-for.ts';
import { startServices, type Services } from '../../support/authorized-server.ts';
import { makeServicePki, type ServicePki } from '../../support/replica.ts';
import { WebhookServer, type WebhookAnswer, type WebhookCall } from '../../support/webhook-server.ts';
import { api, flowSchema, priorityLevel, type LevelSize } from './support.ts';

const path = '/api/v1/namespaces/web/configmaps';

interface Held {
  /** Status of the answer and the time until it came. */
  readonly answer: Promise<{ status: number; retryAfter: string | undefined; ms: number }>;
  /** Resolves when the request has its seat. */
  readonly seat: Promise<unknown>;
  isServed: boolean;
  isOver: boolean;
  /** Lets the request end. */
  finish(): void;
  /** Goes away. */
  leave(): void;
}

/** Of a request that lasts. */
interface Review {
  /** The webhook was asked. */
  readonly asked: PromiseWithResolvers<undefined>;
  /** It answers. */
  readonly answered: PromiseWithResolvers<undefined>;
}

/** By the name of the object that is asked for. */
const reviews = new Map<string, Review>();

/** Allows everything: requests that last when they are to end, others at once. */
async function authorize({ body }: WebhookCall): Promise<WebhookAnswer> {
  const spec = body['spec'] as { resourceAttributes?: { name?: string } };
  const review = reviews.get(spec.resourceAttributes?.name ?? '');
  review?.asked.resolve(undefined);
  await review?.answered.promise;
  return { body: { ...body, status: { allowed: true } } };
}

/** A kubeconfig file of the webhook. */
function configOf(hook: WebhookServer, { folder, authority }: ServicePki): string {
  const file = join(folder, 'webhook.kubeconfig');
  const cluster = { server: hook.url, 'certificate-authority': authority.caFile };
  const config = {
    clusters: [{ name: 'hook', cluster }],
    users: [{ name: 'api', user: {} }],
    contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
    'current-context': 'it',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

describe.each([1, 2])('with --workers=%i', (workers) => {
  const owned = new AsyncDisposableStack();
  let services: Services;

  beforeAll(async () => {
    const pki = owned.use(await makeServicePki());
    const hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
    hook.answer = authorize;
    services = owned.use(
      await startServices(1, [
        ...['--max-requests-inflight=8', '--max-mutating-requests-inflight=8', '--request-timeout=20s'],
        ...['--authorization-mode=Webhook', `--authorization-webhook-config-file=${configOf(hook, pki)}`],
        ...['--authorization-webhook-version=v1', `--workers=${String(workers)}`],
      ]),
    );
    const oneQueue = { queues: 1, handSize: 1 };
    await make('narrow', { shares: 1 }, 'carl');
    await make('short', { shares: 1, queuing: { ...oneQueue, queueLengthLimit: 1 } }, 'eve');
    await make('brief', { shares: 1, queuing: { ...oneQueue, queueLengthLimit: 2 } }, 'dora');
    // As many shares as all others have together: half of the 16 seats.
    const queuing = { queues: 64, handSize: 6, queueLengthLimit: 50 };
    await make('shared', { shares: 208, queuing }, 'ann', 'bob');
    const seats = { shared: 8, narrow: 1, short: 1, brief: 1 };
    for (const [level, count] of Object.entries(seats)) {
      const limit = (): Promise<number> => figure('request_concurrency_limit', level);
      await waitFor(`the seats of ${level}`, async () => (await limit()) === count * workers);
    }
  }, 90_000);
  afterAll(() => owned.disposeAsync());

  /** A level of these users. */
  async function make(name: string, size: LevelSize, ...users: string[]): Promise<void> {
    const subjects = users.map((user) => ({ kind: 'User', user: { name: user } }));
    await services.admin.ok('POST', `${api}/prioritylevelconfigurations`, priorityLevel(name, size));
    await services.admin.ok('POST', `${api}/flowschemas`, flowSchema(name, name, ...subjects));
  }

  /** The sum of the samples of a metric of a level that have this text. */
  async function figure(metric: string, level: string, more = ''): Promise<number> {
    const { text } = await services.admin.get('/metrics');
    return text
      .split('\n')
      .filter((line) => line.startsWith(`apiserver_flowcontrol_${metric}{`))
      .filter((line) => line.includes(`priority_level="${level}"`) && line.includes(more))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  function agent(): Agent {
    const [replica] = services.replicas;
    const made = new Agent({ ca: replica!.pki.authority.ca, keepAlive: true });
    owned.defer(() => {
      made.destroy();
    });
    return made;
  }

  let names = 0;

  /** A write that the webhook is asked about. */
  function hold(user: string, by: Agent): Held {
    const began = performance.now();
    const headers = {
      authorization: `Bearer ${user}-token`,
      'content-type': 'application/merge-patch+json',
    };
    const name = `missing-${String(workers)}-${String(++names)}`;
    const review = {
      asked: Promise.withResolvers<undefined>(),
      answered: Promise.withResolvers<undefined>(),
    };
    reviews.set(name, review);
    const req = request(`${services.replicas[0]!.url}${path}/${name}`, {
      method: 'PATCH',
      agent: by,
      headers,
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const seat = review.asked.promise.then(() => (held.isServed = true));
    req.on('response', resolve).on('error', reject);
    req.end('{"data":{"a":"b"}}');
    const answer = promise.then((res) => {
      res.resume();
      held.isOver = true;
      const retryAfter = res.headers['retry-after'];
      return { status: res.statusCode ?? 0, retryAfter, ms: performance.now() - began };
    });
    answer.catch(() => undefined);
    const held: Held = {
      answer,
      seat,
      isServed: false,
      isOver: false,
      finish: () => {
        review.answered.resolve(undefined);
      },
      leave: () => req.destroy(),
    };
    return held;
  }

  /** Seats that lasting writes have had. How many are given while one waits says how long that was on any machine. */
  let given = 0;

  /** A write that lasts so long once it has its seat; `before` are the seats that others got while it waited. */
  async function last(user: string, lastsMs: number, by: Agent): Promise<{ status: number; before: number }> {
    const asked = given;
    const held = hold(user, by);
    await Promise.race([held.seat, held.answer]);
    const before = given - asked;
    given += 1;
    await delay(lastsMs);
    held.finish();
    return { status: (await held.answer).status, before };
  }

  test('one user with many connections does not keep another from being served', async () => {
    const [noisy, quiet] = [agent(), agent()];
    const connections = 100 * workers;
    const noisyWaits: number[] = [];
    let isOver = false;
    const busy = Array.from({ length: connections }, async () => {
      while (!isOver) noisyWaits.push((await last('ann', 40, noisy)).before);
    });
    await waitFor(
      'queues',
      async () => (await figure('current_inqueue_requests', 'shared')) > connections / 2,
    );
    const waits: number[] = [];
    for (let i = 0; i < 20; i++) {
      const { status, before } = await last('bob', 0, quiet);
      expect(status).toBe(404);
      waits.push(before);
    }
    isOver = true;
    await Promise.all(busy);
    expect(noisyWaits.length).toBeGreaterThan(connections);
    expect(median(waits)).toBeLessThan(median(noisyWaits) / 3);
    expect(Math.max(...waits)).toBeLessThan(median(noisyWaits));
  }, 60_000);

  /** Holds requests until every seat of the level is taken and so many wait, whichever worker takes a connection. */
  async function fill(user: string, level: string, waiting: number): Promise<readonly Held[]> {
    const all: Held[] = [];
    const by = agent();
    const before = await figure('rejected_requests_total', level);
    for (;;) {
      all.push(hold(user, by));
      const [taken, inQueue] = await waitFor('the request to be counted', async () => {
        const [seats, queued] = [await seatsTaken(level), await figure('current_inqueue_requests', level)];
        const refused = (await figure('rejected_requests_total', level)) - before;
        return seats + queued + refused === all.length && ([seats, queued] as const);
      });
      if (taken === workers && inQueue >= waiting) return all;
    }
  }

  function seatsTaken(level: string): Promise<number> {
    return figure('current_executing_requests', level);
  }

  /** Ends those that have a seat. */
  async function finish(all: readonly Held[], level: string): Promise<void> {
    const served = all.filter(({ isServed }) => isServed);
    for (const one of served) one.finish();
    for (const { answer } of served) expect((await answer).status).toBe(404);
    await waitFor('all seats to be free', async () => (await seatsTaken(level)) === 0);
  }

  test('who finds no seat and no queue is 429, and told when to come again', async () => {
    const refusals = (): Promise<number> =>
      figure('rejected_requests_total', 'narrow', 'reason="concurrency-limit"');
    const held = await fill('carl', 'narrow', 0);
    expect(await hold('carl', agent()).answer).toMatchObject({ status: 429, retryAfter: '1' });
    expect(await refusals()).toBeGreaterThan(0);
    expect((await services.admin.get(path)).status).toBe(200);
    expect((await services.as('carl').get('/readyz')).status).toBe(200);
    await finish(held, 'narrow');
  });

  test('a wait ends after a quarter of the longest time; a full queue refuses at once', async () => {
    const refusals = (reason: string): Promise<number> =>
      figure('rejected_requests_total', 'short', `reason="${reason}"`);
    const all = await fill('eve', 'short', workers);
    expect((await hold('eve', agent()).answer).status).toBe(429);
    expect(await refusals('queue-full')).toBeGreaterThan(0);
    const answers = await Promise.all(all.filter(({ isServed }) => !isServed).map(({ answer }) => answer));
    expect(answers.filter(({ status }) => status !== 429)).toEqual([]);
    const late = answers.filter(({ ms }) => ms > 4_900);
    expect(late).toHaveLength(workers);
    expect(await refusals('time-out')).toBe(workers);
    expect(await figure('request_wait_duration_seconds_count', 'short', 'execute="false"')).toBe(workers);
    await finish(all, 'short');
  }, 30_000);

  test('who goes away waits no longer; whose turn it is gets the seat', async () => {
    const inQueue = (count: number): Promise<unknown> =>
      waitFor('the queue', async () => (await figure('current_inqueue_requests', 'brief')) === count);
    const all = await fill('dora', 'brief', workers);
    const waiting = all.filter(({ isServed, isOver }) => !isServed && !isOver);
    await inQueue(waiting.length);
    waiting[0]!.leave();
    await inQueue(waiting.length - 1);
    expect(await figure('rejected_requests_total', 'brief', 'reason="cancelled"')).toBe(1);
    for (const one of all) if (one.isServed) one.finish();
    for (const one of waiting.slice(1)) {
      await one.seat;
      one.finish();
      expect((await one.answer).status).toBe(404);
    }
    await inQueue(0);
  });

  test('watches take no seat', async () => {
    const client = services.as('carl');
    const streams = await Promise.all(Array.from({ length: 5 }, () => client.watch(path)));
    expect(await seatsTaken('narrow')).toBe(0);
    expect((await client.get(path)).status).toBe(200);
    for (const stream of streams) stream.close();
  });
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
