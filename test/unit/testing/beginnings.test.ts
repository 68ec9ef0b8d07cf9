/** What one control plane began with is given to the next one as objects of their own. */
import { join } from 'node:path';
import fc from 'fast-check';

import { isSignedBy, readUnverified, sign } from '../../../src/authn/jwt.ts';
import { readSigningKey } from '../../../src/authn/service-account/service-account-keys.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { newTokenKey } from '../../../src/pki/token-key.ts';
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

function processOf(name: string, tokenKey: string): { readonly ca: string; readonly tokenKey: string } {
  return { ca: `-----BEGIN ${name}-----\nxyz=\n-----END-----\n`, tokenKey };
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
        const next = (fromFile ? Beginnings.of(file) : beginnings).next({}, environment, processOf('ca', ''));
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

describe('what every namespace has', () => {
  const [account, secret] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  function keysOf({ ca, tokenKey }: ReturnType<typeof processOf>) {
    const claims = { sub: 'system:serviceaccount:default:default', uid: account };
    const data = { 'ca.crt': base64(ca), token: base64(sign(claims, readSigningKey(tokenKey))) };
    const type = 'kubernetes.io/service-account-token';
    const objects = {
      'serviceaccounts/default/default': { metadata: { uid: account } },
      'secrets/default/default-token-x': { metadata: { uid: secret, annotations: { account } }, data, type },
      'secrets/default/other': { metadata: { uid: secret }, data: { token: 'x' }, type: 'Opaque' },
      'configmaps/default/kube-root-ca.crt': { metadata: {}, data: { 'ca.crt': ca } },
      'configmaps/default/settings': { metadata: {}, data: { level: ca } },
    };
    return Object.entries(objects).map(([name, object]) => ({
      key: Buffer.from(`/registry/core/${name}`),
      value: Buffer.from(JSON.stringify(object)),
    }));
  }

  test('has the authority of another process, and tokens that its key signed for the new UID', async () => {
    const [before, after] = [processOf('A', await newTokenKey()), processOf('B', await newTokenKey())];
    const beginnings = Beginnings.of(join(folder.path, 'missing.json'));
    beginnings.keep({}, '/registry', keysOf(before), before);
    const next = new Map(
      beginnings
        .next({}, environment, after)
        .map(({ key, value }) => [key.toString(), JSON.parse(value.toString()) as StoredObject]),
    );
    expect([...next.keys()].map((key) => key.slice('/registry/core/'.length))).toEqual([
      'serviceaccounts/default/default',
      'secrets/default/default-token-x',
      'configmaps/default/kube-root-ca.crt',
    ]);
    const [given, withToken, withCa] = [...next.values()];
    const uid = given?.metadata.uid;
    expect(uid).not.toBe(account);
    expect(withToken?.metadata.annotations).toEqual({ account: uid });
    expect(withToken?.data?.['ca.crt']).toBe(base64(after.ca));
    expect(withCa?.data).toEqual({ 'ca.crt': after.ca });
    const token = Buffer.from(withToken?.data?.['token'] ?? '', 'base64').toString();
    const { publicKey, algorithm, id } = readSigningKey(after.tokenKey);
    expect(isSignedBy(token, publicKey, algorithm)).toBe(true);
    expect(readUnverified(token)).toEqual({
      algorithm,
      keyId: id,
      claims: { sub: 'system:serviceaccount:default:default', uid },
    });
  });

  test('is not kept where flags give other keys or another authority', async () => {
    const beginnings = Beginnings.of(join(folder.path, 'missing.json'));
    const own = processOf('A', await newTokenKey());
    beginnings.keep({}, '/registry', keysOf(own));
    expect(beginnings.next({}, environment, own)).toEqual([]);
  });
});

interface StoredObject {
  readonly metadata: { readonly uid?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}
