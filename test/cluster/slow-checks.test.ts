/** Overloaded replicas pass their checks late: the balancer then takes a late one for slow and not for lost. */
import { connect, type Socket } from 'node:net';

import { Balancer, haproxy } from '../support/balancer.ts';
import { makeServicePki } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';
import { SilentReplica } from './support/silent-replica.ts';

if (haproxy === undefined) console.log('haproxy is not installed: its checks are not tested');
const withBalancer = haproxy === undefined ? test.skip : test;

/** Of the 200 ms that a check may take. */
const slowMs = 90;

withBalancer(
  'a late replica keeps its connections while checks are slow, and loses them when it stays away',
  async () => {
    await using pki = await makeServicePki();
    await using late = await SilentReplica.start(pki.server);
    await using other = await SilentReplica.start(pki.server);
    await using balancer = await Balancer.start(pki, [late, other]);
    const clients: Socket[] = [];
    await waitFor('a connection to the one that is late', () => {
      clients.push(connect(balancer.port, '127.0.0.1').on('error', () => undefined));
      return late.connections.size > 0;
    });
    const [held] = late.connections;
    const isHeld = (): boolean => held !== undefined && late.connections.has(held);
    const isDown = (): boolean => balancer.lastAbout(late).includes(' is DOWN');
    const answersOfBoth = async (count: number): Promise<void> => {
      const goals = [late, other].map((replica) => [replica, replica.answered + count] as const);
      await waitFor('checks', () => goals.every(([replica, goal]) => replica.answered >= goal), {
        timeout: 30_000,
      });
    };

    late.checkMs = other.checkMs = slowMs;
    // For longer than the balancer's average looks back.
    await answersOfBoth(12);
    late.checkMs = Infinity;
    await waitFor('the balancer to notice', isDown);
    // Each takes longer than sessions of a lost replica have.
    const goal = other.answered + 4;
    await waitFor('more checks of the other', () => other.answered >= goal);
    expect(isHeld()).toBe(true);

    late.checkMs = slowMs;
    await waitFor('the balancer to use it again', () => !isDown());
    late.checkMs = Infinity;
    await waitFor('its connections to be shut', () => !isHeld(), { timeout: 30_000 });
    for (const client of clients) client.destroy();
  },
  60_000,
);

withBalancer(
  'what a replica was like that has gone for good does not make the balancer wait for others',
  async () => {
    await using pki = await makeServicePki();
    await using gone = await SilentReplica.start(pki.server);
    await using next = await SilentReplica.start(pki.server);
    await using other = await SilentReplica.start(pki.server);
    await using balancer = await Balancer.start(pki, [gone, next, other]);
    const clients: Socket[] = [];
    await waitFor('connections to both that go', () => {
      clients.push(connect(balancer.port, '127.0.0.1').on('error', () => undefined));
      return gone.connections.size > 0 && next.connections.size > 0;
    });
    const checksOf = async (replica: SilentReplica, count: number): Promise<void> => {
      const goal = replica.answered + count;
      await waitFor('checks', () => replica.answered >= goal, { timeout: 30_000 });
    };
    gone.checkMs = slowMs;
    await checksOf(gone, 12);
    gone.checkMs = Infinity;
    await waitFor('its connections to be shut', () => gone.connections.size === 0, { timeout: 30_000 });

    next.checkMs = Infinity;
    await waitFor('the balancer to notice', () => balancer.lastAbout(next).includes(' is DOWN'));
    const before = other.answered;
    await waitFor('its connections to be shut', () => next.connections.size === 0, { timeout: 30_000 });
    // Three seconds of checks; while checks are slow, a replica that is down has five.
    expect(other.answered - before).toBeLessThan(15);
    for (const client of clients) client.destroy();
  },
  60_000,
);
