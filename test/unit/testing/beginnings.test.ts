/** What one control plane began with is given to the next one as objects of their own. */
import { join } from 'node:path';
import fc from 'fast-check';

import { systemEnvironment } from '../../../src/base/environment.ts';
import { Beginnings } from '../../../src/testing/host/beginnings.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const uid = fc.uuid({ version: 4 });
const time = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  .map((date) => `"${date.toISOString().slice(0, 19)}Z"`);
const text = fc.string({ unit: 'binary', maxLength: 20 });
const piece = fc.oneof(
  uid.map((value) => ({ kind: 'uid' as const, value })),
  time.map((value) => ({ kind: 'time' as const, value })),
  text.map((value) => ({ kind: 'text' as const, value })),
);
type Piece = typeof piece extends fc.Arbitrary<infer T> ? T : never;

const now = Date.parse('2030-05-06T07:08:09.123Z');
const environment = { ...systemEnvironment, clock: { ...systemEnvironment.clock, now: () => now } };

/** Each piece between marks, so that none of them becomes a part of another. */
function bytesOf(pieces: readonly Piece[]): Buffer {
  return Buffer.from(pieces.map(({ value }) => `|${value}|`).join(''));
}

function keyOf(at: number): Buffer {
  return Buffer.from(`/registry/core/namespaces/n${String(at)}`);
}

let folder: Awaited<ReturnType<typeof makeTempFolder>>;

beforeAll(async () => {
  folder = await makeTempFolder('beginnings');
});
afterAll(() => folder.remove());

test('all but UIDs and times stays, a UID is another one wherever it stands, times are those of the start', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(piece), { minLength: 1, maxLength: 5 }),
      uid,
      fc.boolean(),
      (objects, shared, fromFile) => {
        const all = objects.map((pieces) => [...pieces, { kind: 'uid' as const, value: shared }]);
        const beginnings = Beginnings.of(join(folder.path, 'missing.json'));
        beginnings.keep(
          {},
          '/registry',
          all.map((pieces, at) => ({ key: keyOf(at), value: bytesOf(pieces) })),
        );
        const file = join(folder.path, 'kept.json');
        beginnings.write(file);
        const next = (fromFile ? Beginnings.of(file) : beginnings).next({}, environment);
        const others = new Map<string, string>();
        expect(next.map(({ key }) => key)).toEqual(all.map((_, at) => keyOf(at)));
        for (const [at, pieces] of all.entries()) {
          const value = next[at]?.value.toString() ?? '';
          let from = 0;
          for (const { kind, value: before } of pieces) {
            const after = value.slice(from + 1, from + 1 + before.length);
            if (kind === 'text') expect(after).toBe(before);
            if (kind === 'time') expect(after).toBe('"2030-05-06T07:08:09Z"');
            if (kind === 'uid') {
              expect(after).not.toBe(before);
              expect(others.get(before) ?? after).toBe(after);
              others.set(before, after);
            }
            from += before.length + 2;
          }
          expect(value.length).toBe(from);
        }
        expect(new Set(others.values()).size).toBe(others.size);
      },
    ),
  );
});
