/** Namespaces of very many LimitRanges: they are read once, in slices, and writes are compared with what they say together. */
import { createLimitRanger } from '../../../src/admission/limit-ranger.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';
import { GrownWrite } from '../../../src/meta/grown-write.ts';
import type { ObjectReader } from '../../../src/admission/object-reader.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import type { AdmissionAttributes } from '../../../src/registry/types.ts';
import { attributesOf, naming, outcomeOf, readerOf } from '../../support/admission.ts';
import { leastShare } from '../../support/cpu-time.ts';

const count = 3_000;

/** Bounds and defaults that differ from range to range. */
function range(i: number): ApiObject {
  const amounts = (n: number): object => ({ cpu: `${String(n)}m`, memory: `${String(n)}Mi` });
  const item = {
    ...{ type: 'Container', min: amounts(i + 1), max: amounts(1_000_000 - i) },
    ...{ default: amounts(10_000 + i), defaultRequest: amounts(10_000 + i) },
  };
  return {
    metadata: { name: `range-${String(i).padStart(5, '0')}` },
    spec: { limits: [item] },
  } as object as ApiObject;
}

const ranges = Array.from({ length: count }, (_, i) => range(i));

/** A replica's view of them that tells how often they were listed. */
class View {
  lists = 0;
  contents: object = {};
  ranges: readonly ApiObject[] = ranges;

  get reader(): ObjectReader {
    return {
      ...readerOf(),
      contentsOf: () => this.contents,
      bytesOf: () => 1_000_000,
      largestOf: () => 500,
      list: () => {
        throw new Error('they are not read in one step');
      },
      listInSlices: () => {
        this.lists += 1;
        return Promise.resolve(this.ranges);
      },
    };
  }
}

function podWith(resources: object = {}): AdmissionAttributes {
  const attributes = attributesOf({
    resource: 'pods',
    object: { spec: { containers: [{ name: 'c', resources }] } },
  });
  return { ...attributes, scope: { ...attributes.scope, growth: 'moves' } };
}

test('they are read once, until one of them changes', async () => {
  const view = new View();
  const ranger = createLimitRanger(view.reader, naming);
  const small = { cpu: '1', memory: '1Gi' };
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcomeOf(ranger, podWith({ limits: small, requests: small }))),
  );
  for (const outcome of outcomes)
    expect(outcome).toMatch(/^403 minimum cpu usage per Container is 1001m, but request is 1$/);
  expect(view.lists).toBe(1);
  view.ranges = ranges.slice(0, 10);
  view.contents = {};
  expect(await outcomeOf(ranger, podWith({ limits: small, requests: small }))).toBe('');
  expect(view.lists).toBe(2);
});

test('a list that fails is read again', async () => {
  const view = new View();
  let failures = 1;
  const { reader } = view;
  const ranger = createLimitRanger(
    {
      ...reader,
      listInSlices: () =>
        failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve(view.ranges),
    },
    naming,
  );
  await expect(outcomeOf(ranger, podWith())).rejects.toThrow('not now');
  expect(await outcomeOf(ranger, podWith())).toBe('');
});

test('a pod costs as much as with one range, once they are known', async () => {
  const ranger = createLimitRanger(new View().reader, naming);
  await outcomeOf(ranger, podWith());
  const share = await leastShare(20, async () => {
    for (let i = 0; i < 100; i += 1) expect(await outcomeOf(ranger, podWith())).toBe('');
  });
  expect(share).toBeLessThan(1);
});

test('what they say is put together in slices', async () => {
  const ranger = createLimitRanger(new View().reader, naming);
  let [looks, turns] = [0, 0];
  // Each look at the clock finds it 0.1 ms further on.
  useEventLoop({ now: () => (looks += 1) / 10, nextTurn: (go) => void ((turns += 1), setImmediate(go)) });
  try {
    await outcomeOf(ranger, podWith());
  } finally {
    useEventLoop(undefined);
  }
  expect(looks).toBeGreaterThanOrEqual(count);
  expect(turns).toBeGreaterThan(count / 100);
});

test('one that is large is read where large writes are carried out', async () => {
  const ranger = createLimitRanger({ ...new View().reader, largestOf: () => 20_000 }, naming);
  await expect(outcomeOf(ranger, podWith())).rejects.toBeInstanceOf(GrownWrite);
});
