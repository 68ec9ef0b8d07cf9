/** Options as callers without types may give them. */
import {
  startControlPlane,
  type ControlPlaneOptions,
  type ControlPlaneUser,
} from '../../../src/testing/index.ts';
import { checkOptions } from '../../../src/testing/check-options.ts';
import { Users } from '../../../src/testing/users.ts';

const given = (options: object): ControlPlaneOptions => options;

test.each([
  [{ clok: 'virtual' }, /there is no option clok; options are engine, .*clock/],
  [{ ['__proto__']: 1, toString: 1 }, /there is no option toString/],
  [{ clock: 'fake' }, 'the option clock cannot be used: give system or virtual'],
  [{ engine: 'redis' }, /engine .*memory or etcd/],
  [{ logs: 'loud' }, /logs .*attached or printed or quiet/],
  [{ release: 1.3 }, "the option release cannot be used: give a text such as '1.30'"],
  [{ crds: 'folder' }, /crds .*a list of files and folders/],
  [{ crds: [{ kind: 'CustomResourceDefinition' }] }, /as objects go into `objects`/],
  [{ objects: [() => 1] }, /objects .*a list of objects/],
  [{ users: ['jane'] }, "the option users cannot be used: give a list of users such as { name: 'jane' }"],
  [{ users: [{ name: 'jane' }, 'eve'] }, /not "eve" as number 2 of it/],
  [{ flags: { 'audit-log-path': ['x'] } }, /flags .*texts, numbers and booleans/],
  [{ featureGates: { DryRun: 'yes' } }, /featureGates .*booleans/],
  [{ seed: 1.5 }, /seed .*whole number/],
])('%j is refused', (options, message) => {
  expect(() => {
    checkOptions(given(options));
  }).toThrow(message);
});

test('all faults are named at once, before anything starts', async () => {
  const both = given({ clok: 1, engine: 'redis' });
  await expect(startControlPlane(both)).rejects.toThrow(/no option clok.*; the option engine/);
});

test('what may be given is accepted', () => {
  checkOptions({});
  checkOptions({
    engine: 'memory',
    users: [{ name: 'jane' }, { name: 'eve', groups: ['developers'] }],
    crds: ['a'],
    objects: ['b', { kind: 'c' }],
    port: 0,
  });
  checkOptions({
    flags: { 'event-ttl': '1m', 'anonymous-auth': false },
    admission: { enable: ['PodSecurity'] },
  });
});

test('a user is not the administrator, and has a name', () => {
  expect(() => new Users().add({ name: 'admin' })).toThrow('admin is the administrator');
  expect(() => new Users().add({ name: '' })).toThrow('a user needs a name');
});

test.each(['developers', [1], [undefined], {}, null])(
  'groups of a user are a list of names: %j',
  (groups) => {
    const user = { name: 'jane', groups } as unknown as ControlPlaneUser;
    expect(() => new Users().add(user)).toThrow('groups of user jane: give a list of names');
    expect(() => checkOptions({ users: [user] })).toThrow('the option users cannot be used');
  },
);
