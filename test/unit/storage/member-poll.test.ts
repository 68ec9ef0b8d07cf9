/** What the storage tells of the etcd members: sizes as often as asked for, releases when they change. */
import { systemClock } from '../../../src/base/clock.ts';
import { memberPoll } from '../../../src/storage/member-poll.ts';
import type { MemberStatus } from '../../../src/storage/etcd/client.ts';
import type { MemberRelease } from '../../../src/storage/options.ts';
import { noMetrics } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Told {
  readonly warnings: { version?: string; endpoints?: readonly string[]; fixedIn?: string }[];
  readonly releases: (MemberRelease & { readonly endpoint: string })[];
  readonly sizes: [string, number][];
}

/** Runs a poll over these answers, the last of which is repeated, until the last has been given twice. */
async function pollOver(
  answers: readonly (readonly [string, MemberStatus][])[],
  intervalMs: number,
): Promise<Told> {
  const told: Told = { warnings: [], releases: [], sizes: [] };
  let asked = 0;
  const none = (): void => undefined;
  const poll = memberPoll({
    clock: systemClock,
    intervalMs,
    releaseIntervalMs: 1,
    client: { memberStatuses: () => Promise.resolve(new Map(answers[asked++] ?? answers.at(-1))) },
    logger: { debug: none, info: none, error: none, warn: (fields) => told.warnings.push(fields) },
    metrics: {
      ...noMetrics,
      observeDatabaseSize: (endpoint, bytes) => told.sizes.push([endpoint, bytes]),
      observeRelease: (endpoint, release) => told.releases.push({ endpoint, ...release }),
    },
  });
  poll.start();
  await waitFor('the last answer', () => asked > answers.length);
  await poll.stop();
  return told;
}

const member = (name: string, version: string): [string, MemberStatus] => [name, { version, dbSize: 4096 }];

test('one warning for all members with the same defects, again when a member changes its release', async () => {
  const { warnings, releases } = await pollOver(
    [
      [member('a', '3.4.23'), member('b', '3.4.23')],
      [member('a', '3.4.23'), member('b', '3.6.16'), member('c', '3.6.16')],
      [member('a', '3.5.2'), member('b', '3.6.16'), member('c', '3.6.16')],
    ],
    1,
  );
  expect(warnings).toMatchObject([
    { version: '3.4.23', endpoints: ['a', 'b'], fixedIn: '3.4.42' },
    { version: '3.5.2', endpoints: ['a'], fixedIn: '3.5.28' },
  ]);
  expect(releases).toMatchObject([
    { endpoint: 'a', version: '3.4.23', knownDefects: 9 },
    { endpoint: 'b', version: '3.4.23', knownDefects: 9 },
    { endpoint: 'b', version: '3.6.16', knownDefects: 0, former: '3.4.23' },
    { endpoint: 'c', version: '3.6.16', knownDefects: 0 },
    { endpoint: 'a', version: '3.5.2', knownDefects: 13, former: '3.4.23' },
  ]);
});

test('a member that is away for a while is not new when it comes back', async () => {
  const { warnings } = await pollOver([[member('a', '3.4.23')], [], [member('a', '3.4.23')]], 1);
  expect(warnings).toHaveLength(1);
});

test('without an interval no sizes are reported, and releases are all the same', async () => {
  const { sizes, releases, warnings } = await pollOver([[member('a', '3.5.16')]], 0);
  expect(sizes).toEqual([]);
  expect(releases).toHaveLength(1);
  expect(warnings).toHaveLength(1);
});
