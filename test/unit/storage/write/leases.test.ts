/** Which writes share a lease of etcd, and when another one is granted. */
import { EtcdError } from '../../../../src/storage/etcd/etcd-error.ts';
import { Leases } from '../../../../src/storage/write/leases.ts';

let ms: number;
let granted: number[];
let full: number[];
let answer: () => Promise<void>;

beforeEach(() => {
  ms = 0;
  granted = [];
  full = [];
  answer = () => Promise.resolve();
});

function leases(ttlSeconds: number, reuseSeconds = 60): Leases {
  const grantLease = async (seconds: number): Promise<{ ID: number; TTL: number }> => {
    await answer();
    return { ID: granted.push(seconds), TTL: seconds };
  };
  const clock = { now: () => 0, monotonic: () => ms };
  const metrics = { observeLeaseObjects: (objects: number) => void full.push(objects) };
  return new Leases({ client: { grantLease }, clock, metrics, reuseSeconds }, ttlSeconds);
}

test('writes within the window share a lease, which lasts longer than each of them by the window', async () => {
  const hour = leases(3_600);
  expect(await hour.take()).toBe(1);
  ms = 59_999;
  expect(await hour.take()).toBe(1);
  ms = 60_000;
  expect(await hour.take()).toBe(2);
  expect(granted).toEqual([3_660, 3_660]);
  expect(full).toEqual([2]);
});

test('the window is at most a twentieth of the time to live', async () => {
  const minute = leases(60);
  await minute.take();
  ms = 2_999;
  await minute.take();
  ms = 3_000;
  await minute.take();
  expect(granted).toEqual([63, 63]);
});

test('without a window those who wait for the same grant share it, later ones do not', async () => {
  const short = leases(3_600, 0);
  expect(await Promise.all([short.take(), short.take()])).toEqual([1, 1]);
  expect(await short.take()).toBe(2);
  expect(granted).toEqual([3_600, 3_600]);
});

test('a write that asks while a slow grant is pending takes it only within the window', async () => {
  const minute = leases(60);
  let arrive = (): void => undefined;
  answer = () => new Promise((resolve) => (arrive = resolve));
  const first = minute.take();
  ms = 2_999;
  const joined = minute.take();
  ms = 3_001;
  const late = minute.take();
  arrive();
  answer = () => Promise.resolve();
  expect(await Promise.all([first, joined, late])).toEqual([1, 1, 2]);
});

test('a lease takes a thousand objects, also if more wait for it', async () => {
  const hour = leases(3_600);
  const taken = await Promise.all(Array.from({ length: 2_500 }, () => hour.take()));
  expect([1, 2, 3].map((id) => taken.filter((lease) => lease === id).length)).toEqual([1_000, 1_000, 500]);
  expect(full).toEqual([1_000, 1_000]);
});

test('a grant that fails fails all that wait for it; the next write asks again', async () => {
  const hour = leases(3_600);
  answer = () => Promise.reject(new EtcdError('noSpace', 'full'));
  const outcomes = await Promise.allSettled([hour.take(), hour.take()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  answer = () => Promise.resolve();
  expect(await hour.take()).toBe(1);
});

test('a lease that etcd no longer has is used no more; another one stays', async () => {
  const hour = leases(3_600);
  const lost = await hour.take();
  hour.forget(lost);
  expect(await hour.take()).toBe(2);
  hour.forget(lost);
  expect(await hour.take()).toBe(2);
});
