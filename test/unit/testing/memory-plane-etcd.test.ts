/** The engine in memory brings keys back in time for what has changed since the last time. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import { MemoryPlaneEtcd } from '../../../src/testing/host/memory-plane-etcd.ts';
import type { EtcdState, IncludesKey, PlaneEtcd } from '../../../src/testing/host/plane-etcd.ts';

const keys = 200;

/** Puts keys beside those that are there. */
async function put(etcd: PlaneEtcd, names: readonly string[]): Promise<void> {
  const added = names.map((name) => ({ key: Buffer.from(name), value: Buffer.from('1') }));
  await etcd.replace(added, (key) => names.includes(key));
}

async function namesOf(etcd: PlaneEtcd): Promise<readonly string[]> {
  return (await etcd.keysOf(await etcd.snapshot())).map(({ key }) => key.toString());
}

/** @returns the keys that were looked at */
async function rewind(etcd: PlaneEtcd, state: EtcdState, includes: IncludesKey, looked: Set<string>) {
  looked.clear();
  await etcd.rewind(state, includes);
  return [...looked];
}

test('what an earlier return to the same state has taken back is not looked at again', async () => {
  const etcd = new MemoryPlaneEtcd(systemEnvironment);
  await put(etcd, ['kept']);
  const state = await etcd.snapshot();
  const looked = new Set<string>();
  const all: IncludesKey = (key) => looked.add(key).size > 0;
  await put(
    etcd,
    Array.from({ length: keys }, (_, i) => `a${String(i)}`),
  );
  expect((await rewind(etcd, state, all, looked)).length).toBe(keys);
  await put(etcd, ['b']);
  expect(await rewind(etcd, state, all, looked)).toEqual(['b']);
  expect(await namesOf(etcd)).toEqual(['kept']);
  await etcd.close();
});

test('a return of other keys looks at all that has changed', async () => {
  const etcd = new MemoryPlaneEtcd(systemEnvironment);
  const state = await etcd.snapshot();
  await put(etcd, ['a', 'b']);
  await etcd.rewind(state, (key) => key === 'a');
  await etcd.rewind(state, () => true);
  expect(await namesOf(etcd)).toEqual([]);
  await etcd.close();
});
