import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { createClientCertificateAuthenticator, userOf } from '../../../src/authn/client-certificate.ts';
import type { Authenticator } from '../../../src/authn/types.ts';
import { systemClock, type PassiveClock } from '../../../src/base/clock.ts';
import { requestWith } from '../../support/authn-requests.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const hourMs = 3_600_000;

async function certificateOf(subject: x509.JsonNameParams): Promise<X509Certificate> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: new x509.Name(subject).toString() === '' ? '' : new x509.Name(subject),
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - hourMs),
    notAfter: new Date(Date.now() + hourMs),
  });
  return new X509Certificate(Buffer.from(made.rawData));
}

const authenticatorFor = (
  authorities: readonly X509Certificate[],
  clock: PassiveClock = systemClock,
): Authenticator => createClientCertificateAuthenticator({ authorities: () => authorities, clock });

const subjects: { name: string; subject: x509.JsonNameParams; user: string; groups: string[] }[] = [
  { name: 'a name alone', subject: [{ CN: ['ann'] }], user: 'ann', groups: [] },
  {
    name: 'several organizations, in order and once each',
    subject: [{ O: ['devs'] }, { CN: ['ann'] }, { O: ['ops'] }, { O: ['devs'] }],
    user: 'ann',
    groups: ['devs', 'ops'],
  },
  {
    name: 'a name of several values',
    subject: [
      { O: ['devs'], OU: ['x'] },
      { CN: ['ann'], O: ['ops'] },
    ],
    user: 'ann',
    groups: ['devs', 'ops'],
  },
  {
    name: 'characters that text forms escape',
    subject: [{ CN: ["a, b+c='d'/<>;#"] }, { O: ['system:x, O=y'] }],
    user: "a, b+c='d'/<>;#",
    groups: ['system:x, O=y'],
  },
  {
    name: 'a line end that looks like another attribute',
    subject: [{ CN: ['eve\nO=system:masters'] }],
    user: 'eve\nO=system:masters',
    groups: [],
  },
  {
    name: 'letters beyond ASCII',
    subject: [{ CN: ['Žofie'] }, { O: ['große'] }],
    user: 'Žofie',
    groups: ['große'],
  },
  {
    name: 'the last of several common names',
    subject: [{ CN: ['a'] }, { CN: ['b'] }],
    user: 'b',
    groups: [],
  },
];

test.each(subjects)('a subject with $name', async ({ subject, user, groups }) => {
  expect(userOf(await certificateOf(subject))).toEqual({ name: user, uid: '', groups, extra: {} });
});

test('no certificate is no credential', async () => {
  expect(await authenticatorFor([]).authenticate(requestWith({}))).toBeUndefined();
});

test.each([
  { name: 'an unverified chain', authorized: false, now: 0, reason: 'not issued by the client CA' },
  { name: 'a certificate of tomorrow', authorized: true, now: -2 * hourMs, reason: 'not valid yet' },
  { name: 'an expired certificate', authorized: true, now: 2 * hourMs, reason: 'expired' },
])('$name is rejected', async ({ authorized, now, reason }) => {
  const clock = { now: () => Date.now() + now, monotonic: () => 0 };
  const certificates = [await certificateOf([{ CN: ['ann'] }])];
  const result = await authenticatorFor(certificates, clock).authenticate(
    requestWith({ peer: { authorized, certificates } }),
  );
  expect(result).toMatchObject({ outcome: 'rejected', reason: `client certificate: ${reason}` });
});

test('a subject without a common name is rejected', async () => {
  const certificates = [await certificateOf([{ O: ['devs'] }])];
  const result = await authenticatorFor(certificates).authenticate(
    requestWith({ peer: { authorized: true, certificates } }),
  );
  expect(result).toMatchObject({ outcome: 'rejected' });
});

test('a verified certificate gives its user, the same object for every request of a connection', async () => {
  const certificates = [await certificateOf([{ CN: ['ann'] }])];
  const request = requestWith({ peer: { authorized: true, certificates } });
  const authenticator = authenticatorFor(certificates);
  const first = await authenticator.authenticate(request);
  expect(first).toMatchObject({ outcome: 'authenticated', authenticator: 'x509', user: { name: 'ann' } });
  expect((await authenticator.authenticate(request)) as object).toHaveProperty(
    'user',
    (first as { user: object }).user,
  );
});

test('each accepted request says how long its certificate is still valid', async () => {
  const certificates = [await certificateOf([{ CN: ['ann'] }])];
  const heard: number[] = [];
  const ask = (offset: number): unknown =>
    createClientCertificateAuthenticator({
      authorities: () => certificates,
      clock: { now: () => Date.now() + offset, monotonic: () => 0 },
      onAccepted: (secondsLeft) => heard.push(secondsLeft),
    }).authenticate(requestWith({ peer: { authorized: true, certificates } }));
  ask(0);
  ask(2 * hourMs);
  const left = ((certificates[0]?.validToDate.getTime() ?? 0) - Date.now()) / 1000;
  expect(heard).toEqual([expect.closeTo(left, -1)]);
});

describe('a UID in the subject', () => {
  x509.cryptoProvider.set(webcrypto);
  const attribute = '1.3.6.1.4.1.57683.2';
  const uidOf = async (readsUid: boolean, ...uids: string[]): Promise<unknown> => {
    const certificates = [
      await certificateOf([{ CN: ['ann'] }, ...uids.map((uid) => ({ [attribute]: [uid] }))]),
    ];
    const result = createClientCertificateAuthenticator({
      authorities: () => certificates,
      clock: systemClock,
      readsUid,
    }).authenticate(requestWith({ peer: { authorized: true, certificates } }));
    const known = await result;
    return known?.outcome === 'authenticated' ? known.user.uid : known?.outcome;
  };

  test.each([
    [true, ['b7-ü'], 'b7-ü'],
    [true, [], ''],
    [true, ['a', 'b'], 'rejected'],
    [false, ['b7'], ''],
    [false, ['a', 'b'], ''],
  ])('read: %s, %j: %j', async (reads, uids, expected) => {
    expect(await uidOf(reads, ...uids)).toBe(expected);
  });
});

test('all of the subject is read at once: each connection of a crowd has a certificate of its own', async () => {
  const leaf = await certificateOf([{ CN: ['ann'] }, { O: ['devs'] }]);
  const made = jest.spyOn(leaf, 'toLegacyObject');
  const authenticator = createClientCertificateAuthenticator({
    ...{ authorities: () => [leaf], clock: systemClock, readsUid: true },
  });
  const peer = { certificates: [leaf], authorized: true };
  for (let request = 0; request < 3; request += 1)
    expect(await authenticator.authenticate({ ...requestWith({}), peer })).toMatchObject({
      user: { name: 'ann', groups: ['devs'] },
    });
  expect(made).toHaveBeenCalledTimes(1);
});
