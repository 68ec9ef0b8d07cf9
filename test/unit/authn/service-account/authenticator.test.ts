import { readFileSync } from 'node:fs';
import jsonwebtoken from 'jsonwebtoken';
import { FileError } from '../../../../src/base/file-error.ts';
import { sign } from '../../../../src/authn/jwt.ts';
import {
  readSigningKey,
  readVerificationKeys,
} from '../../../../src/authn/service-account/service-account-keys.ts';
import { issuer, newPem, World } from '../../../support/service-account-tokens.ts';

const robot = 'system:serviceaccount:ns:robot';

describe.each(['rsa', 'ec'] as const)('tokens signed by an %s key', (type) => {
  const world = new World({ signWith: newPem(type) });

  test('the legacy form stands for its account', async () => {
    const result = await world.ask(world.legacy());
    expect(result).toMatchObject({
      outcome: 'authenticated',
      user: {
        name: robot,
        uid: 'uid of ServiceAccount ns/robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns'],
        extra: {},
      },
      audiences: ['api'],
    });
  });

  test('the bound form contains its pod', async () => {
    const result = await world.ask(world.bound('Pod'));
    expect(result).toMatchObject({
      user: {
        name: robot,
        extra: {
          'authentication.orch.io/pod-name': ['thing'],
          'authentication.orch.io/pod-uid': ['uid of Pod ns/thing'],
        },
      },
    });
  });
});

test('a token is not checked against etcd while the view has what it lives with', async () => {
  const world = new World();
  for (const token of [world.legacy(), world.bound(), world.bound('Secret')])
    expect(await world.outcome(token)).toBe(robot);
  expect(world.objects.reads).toBe(0);
});

test('what the view has not seen yet is read from etcd', async () => {
  const world = new World();
  const token = world.bound('Pod');
  world.objects.seen.clear();
  expect(await world.outcome(token)).toBe(robot);
  expect(world.objects.reads).toBe(2);
});

test('a legacy token dies with its account, its Secret and its place in the Secret', async () => {
  const world = new World();
  const token = world.legacy();
  expect(await world.outcome(token)).toBe(robot);
  world.objects.put('Secret ns/robot-token', { token: 'another' });
  expect(await world.outcome(token)).toMatch(/Secret ns\/robot-token holds another token/);
  world.objects.put('Secret ns/robot-token', { token, deletedAt: world.now });
  expect(await world.outcome(token)).toMatch(/was deleted/);
  world.objects.remove('Secret ns/robot-token');
  expect(await world.outcome(token)).toMatch(/does not exist/);
  world.objects.put('Secret ns/robot-token', { token });
  expect(await world.outcome(token)).toBe(robot);
  world.objects.put('ServiceAccount ns/robot', { deletedAt: world.now });
  expect(await world.outcome(token)).toMatch(/ServiceAccount ns\/robot was deleted/);
  world.objects.put('ServiceAccount ns/robot', { uid: 'new' });
  expect(await world.outcome(token)).toMatch(/another one of the same name/);
});

test('without look-up a legacy token outlives everything, a bound one does not', async () => {
  const world = new World({ lookup: false });
  const [legacy, bound] = [world.legacy(), world.bound()];
  world.objects.remove('ServiceAccount ns/robot');
  world.objects.remove('Secret ns/robot-token');
  expect(await world.outcome(legacy)).toBe(robot);
  expect(await world.outcome(bound)).toMatch(/does not exist/);
});

test.each(['Pod', 'Secret'] as const)('a token bound to a %s dies with it', async (kind) => {
  const world = new World();
  const token = world.bound(kind);
  world.objects.put(`${kind} ns/thing`, { deletedAt: world.now });
  expect(await world.outcome(token)).toBe(robot);
  world.now += 61_000;
  expect(await world.outcome(token)).toMatch(/was deleted/);
  world.objects.put(`${kind} ns/thing`, { uid: 'another' });
  expect(await world.outcome(token)).toMatch(/another one of the same name/);
  world.objects.remove(`${kind} ns/thing`);
  expect(await world.outcome(token)).toMatch(/does not exist/);
});

test('a bound token expires, also when it was accepted before', async () => {
  const world = new World();
  const token = world.bound();
  world.now += 599_000;
  expect(await world.outcome(token)).toBe(robot);
  world.now += 1_000;
  expect(await world.outcome(token)).toMatch(/expired/);
});

test('a bound token may be of a replica whose clock is up to a minute ahead', async () => {
  const world = new World();
  const token = world.bound();
  world.now -= 60_000;
  expect(await world.outcome(token)).toBe(robot);
  world.now -= 1_000;
  expect(await world.outcome(token)).toMatch(/not valid yet/);
});

test('a bound token is good for its audiences alone', async () => {
  const world = new World();
  const token = world.bound(undefined, ['vault', 'api']);
  expect(await world.outcome(token)).toBe(robot);
  expect(await world.ask(token, ['vault', 'x'])).toMatchObject({ audiences: ['vault'] });
  expect(await world.outcome(world.bound(undefined, ['vault']))).toMatch(/another audience/);
  expect(await world.outcome(token, ['x'])).toMatch(/another audience/);
  expect(await world.outcome(world.legacy(), ['x'])).toMatch(/another audience/);
});

describe('forgeries', () => {
  const world = new World();
  const good = world.bound();
  const claims = jsonwebtoken.decode(good) as Record<string, unknown>;
  const signed = (payload: object, key = world.key.privateKey): string =>
    jsonwebtoken.sign(JSON.stringify(payload), key, { algorithm: 'ES256' });
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const publicPem = world.key.publicKey.export({ type: 'spki', format: 'pem' });
  const [head = '', body = '', signature = ''] = good.split('.');

  test.each([
    ['the same claims signed by the right key', signed(claims), /^system/],
    ['another key', signed(claims, readSigningKey(newPem('ec')).privateKey), /no key has signed/],
    ['a signature cut short', good.slice(0, -2), /no key has signed/],
    ['no algorithm', `${part({ alg: 'none' })}.${body}.AAAA`, /no key has signed/],
    [
      'the public key as shared secret',
      `${part({ alg: 'HS256' })}.${body}.${Buffer.from(publicPem).toString('base64url')}`,
      /no key has signed/,
    ],
    ['a changed claim', `${head}.${part({ ...claims, sub: 'x' })}.${signature}`, /no key has signed/],
    ['another subject', signed({ ...claims, sub: 'system:serviceaccount:ns:admin' }), /claims/],
    ['no subject', signed({ ...claims, sub: undefined }), /claims/],
    ['no times', signed({ ...claims, exp: undefined, nbf: undefined }), /^system/],
  ])('%s', async (_what, token, outcome) => {
    expect(await world.outcome(token)).toMatch(outcome);
  });

  test.each([
    ['no token', ''],
    ['no JWT', 'ey.not'],
    ['another form of the same signature', good.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B'))],
    ['two parts', good.slice(0, good.lastIndexOf('.'))],
    ['another issuer', signed({ ...claims, iss: 'https://elsewhere.test' })],
    ['no issuer', signed({ ...claims, iss: undefined })],
    ['no object', `${part([])}.${body}.${signature}`],
  ])('%s is not its matter', async (_what, token) => {
    expect(await world.outcome(token)).toBeUndefined();
  });

  test('an end that is no number', async () => {
    expect(await world.outcome(signed({ ...claims, exp: 'never' }))).toMatch(/expired/);
  });

  test('nothing but an issuer', async () => {
    expect(await world.outcome(sign({ iss: issuer }, world.key))).toMatch(/claims/);
  });
});

describe('key files', () => {
  const [rsa, ec] = [newPem('rsa'), newPem('ec')];
  const errors = (read: () => unknown): readonly string[] => {
    try {
      read();
    } catch (error) {
      if (error instanceof FileError) return error.errors;
      throw error;
    }
    return [];
  };

  test('hold several keys, private or public', async () => {
    const publicPem = readSigningKey(ec).publicKey.export({ type: 'spki', format: 'pem' });
    const keys = readVerificationKeys(`# keys\n${rsa}${publicPem}`);
    expect(keys.map((key) => key.algorithm)).toEqual(['RS256', 'ES256']);
    const world = new World({ keys: [rsa, publicPem], signWith: ec });
    expect(await world.outcome(world.bound())).toBe(robot);
  });

  test('that sign are read once while the text is the same', () => {
    const key = readSigningKey(ec);
    expect(readSigningKey(ec)).toBe(key);
    expect(readSigningKey(rsa).algorithm).toBe('RS256');
    expect(readSigningKey(ec)).toEqual(key);
  });

  test('report every error with its line', () => {
    const broken = ec.replace(/\n.{20}/, '\nxxxxxxxxxxxxxxxxxxxx');
    expect(errors(() => readVerificationKeys('nothing'))).toEqual(['line 1: there is no key in PEM form']);
    expect(errors(() => readVerificationKeys(`${ec}\n${broken}${broken}`))).toEqual([
      'line 7: the block is no key that can be used without a passphrase',
      'line 12: the block is no key that can be used without a passphrase',
    ]);
    expect(errors(() => readSigningKey(readFileSync(import.meta.filename, 'utf8')))).toHaveLength(1);
  });
});

describe('extras of release 1.32', () => {
  const gates = [
    ...['ServiceAccountTokenJTI', 'ServiceAccountTokenPodNodeInfo'],
    'ServiceAccountTokenNodeBindingValidation',
  ];
  const node = { name: 'n1', uid: 'uid of Node n1' };

  async function extraOf(world: World, token: string): Promise<unknown> {
    const result = await world.ask(token);
    return result?.outcome === 'authenticated' ? result.user.extra : result?.reason;
  }

  test('a token says its id, its pod and the node of that', async () => {
    const world = new World({ gates });
    world.objects.put('Pod ns/thing');
    const bound = { kind: 'Pod' as const, name: 'thing', uid: 'uid of Pod ns/thing' };
    const shown = {
      'authentication.orch.io/pod-name': ['thing'],
      'authentication.orch.io/pod-uid': ['uid of Pod ns/thing'],
      'authentication.orch.io/credential-id': ['JTI=id-1'],
      'authentication.orch.io/node-name': ['n1'],
    };
    expect(await extraOf(world, world.tokenOf({ bound, node }))).toEqual({
      ...shown,
      'authentication.orch.io/node-uid': ['uid of Node n1'],
    });
    expect(await extraOf(world, world.tokenOf({ bound, node: { name: 'n1', uid: '' } }))).toEqual(shown);
  });

  test('the node of a pod need not exist, a node that a token is bound to must', async () => {
    const world = new World({ gates });
    const token = world.tokenOf({ bound: { kind: 'Node', ...node } });
    expect(await extraOf(world, token)).toMatch(/Node n1 does not exist/);
    world.objects.put('Node n1');
    expect(await extraOf(world, token)).toEqual({
      'authentication.orch.io/credential-id': ['JTI=id-1'],
      'authentication.orch.io/node-name': ['n1'],
      'authentication.orch.io/node-uid': ['uid of Node n1'],
    });
    world.objects.put('Node n1', { deletedAt: world.now - 61_000 });
    expect(await extraOf(world, token)).toMatch(/Node n1 was deleted/);
    world.objects.put('Node n1', { uid: 'another' });
    expect(await extraOf(world, token)).toMatch(/another one of the same name/);
  });

  test('without the gates a token bound to a node does not count, and ids and nodes are not shown', async () => {
    const signWith = newPem('ec');
    const issuing = new World({ gates, signWith });
    const world = new World({ signWith });
    world.objects.put('Node n1');
    world.objects.put('Pod ns/thing');
    expect(await extraOf(world, issuing.tokenOf({ bound: { kind: 'Node', ...node } }))).toMatch(
      /bound to a Node/,
    );
    const bound = { kind: 'Pod' as const, name: 'thing', uid: 'uid of Pod ns/thing' };
    expect(await extraOf(world, issuing.tokenOf({ bound, node }))).toEqual({
      'authentication.orch.io/pod-name': ['thing'],
      'authentication.orch.io/pod-uid': ['uid of Pod ns/thing'],
    });
  });
});

describe('uses of tokens of Secrets', () => {
  const gates = ['LegacyServiceAccountTokenTracking', 'LegacyServiceAccountTokenCleanUp'];
  const key = 'authentication.orch.io/legacy-token';

  async function useOf(world: World, labels: Readonly<Record<string, string>> = {}) {
    const token = world.legacy();
    world.objects.put('Secret ns/robot-token', { token, labels });
    const { outcome, notes } = (await world.ask(token)) ?? {};
    return { outcome, ...notes, uses: world.uses };
  }

  test('one of a Secret that a user made', async () => {
    expect(await useOf(new World({ gates }))).toEqual({
      outcome: 'authenticated',
      annotations: { [key]: robot, [`${key}-manual-secret`]: 'robot-token' },
      warnings: [],
      uses: ['manual', 'robot-token 2026-01-01'],
    });
  });

  test('one of a Secret that its account names', async () => {
    const world = new World({ gates });
    world.objects.put('ServiceAccount ns/robot', { secrets: new Set(['robot-token']) });
    expect(await useOf(world)).toEqual({
      outcome: 'authenticated',
      annotations: { [key]: robot, [`${key}-autogenerated-secret`]: 'robot-token' },
      warnings: [
        'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
      ],
      uses: ['automatic', 'robot-token 2026-01-01'],
    });
  });

  test('one that counts no more', async () => {
    expect(await useOf(new World({ gates }), { 'orch.io/legacy-token-invalid-since': '2025-12-01' })).toEqual(
      {
        outcome: 'rejected',
        annotations: { [key]: robot, [`${key}-invalidated`]: 'robot-token/ns' },
        warnings: [],
        uses: ['invalid', 'robot-token 2026-01-01'],
      },
    );
  });

  test('before they are told apart', async () => {
    expect(await useOf(new World())).toEqual({
      ...{ outcome: 'authenticated', annotations: { [key]: robot }, warnings: [], uses: ['legacy'] },
    });
  });
});

describe('tokens of pods whose life is extended', () => {
  const pod = { kind: 'Pod' as const, name: 'thing', uid: 'uid of Pod ns/thing' };

  function issue(world: World, bound: typeof pod | undefined, audiences: string[] = [], lifeSeconds = 3607) {
    world.objects.put('Pod ns/thing');
    const issued = world.tokens.boundToken({ subject: { ...world.subject, bound }, audiences, lifeSeconds });
    const claims = jsonwebtoken.decode(issued.token) as { iat: number; exp: number };
    expect(issued.expires.getTime()).toBe(world.now + lifeSeconds * 1000);
    return { ...issued, claims, life: claims.exp - claims.iat };
  }

  test('after the hour that was asked, uses are counted and noted for the rest of a year', async () => {
    const world = new World({ extendsLife: true });
    const { token, claims, life } = issue(world, pod);
    expect(life).toBe(365 * 24 * 3600);
    expect(claims).toMatchObject({ 'orch.io': { warnafter: claims.iat + 3607 } });
    world.now += 3_607_000;
    expect(await world.ask(token)).toMatchObject({ outcome: 'authenticated', notes: undefined });
    world.now += 5000;
    expect(await world.ask(token)).toMatchObject({
      outcome: 'authenticated',
      notes: {
        warnings: [],
        annotations: {
          'authentication.orch.io/stale-token': `subject: ${robot}, seconds after warning threshold: 5`,
        },
      },
    });
    expect(world.uses).toEqual(['valid', 'stale']);
    world.now += life * 1000;
    expect(await world.outcome(token)).toMatch(/expired/);
  });

  test('others live for what they ask', () => {
    const world = new World({ extendsLife: true });
    expect(issue(world, undefined).life).toBe(3607);
    expect(issue(world, pod, ['api', 'vault']).life).toBe(3607);
    expect(issue(world, pod, [], 3608).life).toBe(3608);
    expect(issue(new World(), pod).life).toBe(3607);
  });
});
