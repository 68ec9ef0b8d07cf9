/** OwnerReferencesPermissionEnforcement: who may change owners, and who may block the deletion of them. */
import type { AccessChecker } from '../../../src/admission/access-checker.ts';
import { createOwnerReferencesPermissionEnforcement } from '../../../src/admission/owner-references-permission-enforcement.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { attributesOf, naming, outcomeOf, type Write } from '../../support/admission.ts';

const asked: string[] = [];
beforeEach(() => {
  asked.length = 0;
});

/** Allows what the user's name lists. */
const access: AccessChecker = {
  check: (user, { verb, group, resource, subresource = '', namespace = '', name }) => {
    const text = `${verb} ${group}/${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;
    asked.push(text);
    return Promise.resolve({ isAllowed: user.name.split(';').includes(text), reason: 'why' });
  },
};
const { catalogue } = realCatalogue(naming);
const plugin = createOwnerReferencesPermissionEnforcement(access, catalogue);

const owner = (uid: string, more: object = {}): object => ({
  ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `rs-${uid}`, uid },
  ...more,
});
const blocking = { blockOwnerDeletion: true };
const owned = (...ownerReferences: object[]): object => ({ metadata: { ownerReferences } });
const write = (before: object | undefined, next: object, may: string): Write => ({
  ...{ resource: 'pods', operation: before ? 'UPDATE' : 'CREATE', object: next },
  ...{ user: { name: may } },
  ...(before && { oldObject: before }),
});

const mayDelete = 'delete /pods web/it';
const mayFinalize = 'update apps/replicasets/finalizers web/rs-a';
const anything = 'update */*/finalizers /*';
const cannotDelete = "403 cannot set an ownerRef on a resource you can't delete: why, <nil>";
const cannotFinalize =
  "403 cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: why, <nil>";

test.each<readonly [string, Write, string]>([
  ['a creation with an owner', write(undefined, owned(owner('a')), ''), ''],
  ['a creation that blocks', write(undefined, owned(owner('a', blocking)), ''), cannotFinalize],
  ['a creation that may block', write(undefined, owned(owner('a', blocking)), mayFinalize), ''],
  ['one who may finalize anything', write(undefined, owned(owner('a', blocking)), anything), ''],
  ['no change of owners', write(owned(owner('a')), owned(owner('a')), ''), ''],
  ['an owner more', write(owned(), owned(owner('a')), ''), cannotDelete],
  ['an owner more by one who may delete', write(owned(), owned(owner('a')), mayDelete), ''],
  ['an owner less', write(owned(owner('a')), owned(), ''), cannotDelete],
  ['blocks newly', write(owned(owner('a')), owned(owner('a', blocking)), mayDelete), cannotFinalize],
  [
    'blocks as before',
    write(owned(owner('a', blocking)), owned(owner('a', blocking), owner('b')), mayDelete),
    '',
  ],
  [
    'blocks one of two',
    write(undefined, owned(owner('a', blocking), owner('b', blocking)), mayFinalize),
    cannotFinalize,
  ],
  [
    'a cluster-wide owner',
    write(
      undefined,
      owned(owner('a', { ...blocking, apiVersion: 'v1', kind: 'Node' })),
      'update /nodes/finalizers /rs-a',
    ),
    '',
  ],
  [
    'an owner of no known kind',
    write(undefined, owned(owner('a', { ...blocking, kind: 'Thing' })), ''),
    '403 cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion apps/v1 Kind Thing: ' +
      'no matches for kind "Thing" in version "apps/v1"',
  ],
  ['a status of a pod', { ...write(owned(), owned(owner('a')), ''), resource: 'pods/status' }, ''],
  ['a deletion', { ...write(owned(owner('a')), owned(), ''), operation: 'DELETE' }, ''],
])('%s', async (_what, sent, outcome) => {
  expect(await outcomeOf(plugin, attributesOf(sent))).toBe(outcome);
});

test('nothing is asked where owners do not change', async () => {
  await outcomeOf(plugin, attributesOf(write(owned(owner('a')), owned(owner('a')), '')));
  expect(asked).toEqual([]);
});
