/** NamespaceAutoProvision, NamespaceExists, AlwaysAdmit and AlwaysDeny. */
import { createAlwaysAdmit, createAlwaysDeny } from '../../../src/admission/always.ts';
import { createNamespaceAutoProvision } from '../../../src/admission/namespace-auto-provision.ts';
import { createNamespaceExists } from '../../../src/admission/namespace-exists.ts';
import { attributesOf, outcomeOf, readerOf, type Write } from '../../support/admission.ts';

const reader = readerOf({ 'core/namespaces/web': { metadata: { name: 'web' } } });
const created: string[] = [];

beforeEach(() => {
  created.length = 0;
});

const provision = createNamespaceAutoProvision({
  peek: (name) => reader.peek('core/namespaces', name),
  create: (name) => {
    created.push(name);
    return name === 'bad' ? Promise.reject(new Error('no such name')) : Promise.resolve();
  },
});

test.each<readonly [string, Write, readonly string[]]>([
  ['a missing namespace', { resource: 'pods', namespace: 'api' }, ['api']],
  ['a subresource in it', { resource: 'pods/binding', namespace: 'api' }, ['api']],
  ['a namespace that is there', { resource: 'pods' }, []],
  ['a dry run', { resource: 'pods', namespace: 'api', dryRun: true }, []],
  ['an update', { resource: 'pods', namespace: 'api', operation: 'UPDATE' }, []],
  ['an object of the cluster', { resource: 'nodes' }, []],
  ['a namespace itself', { resource: 'namespaces', name: 'api' }, []],
])('provided before the creation: %s', async (_what, write, names) => {
  expect(await outcomeOf(provision, attributesOf({ object: {}, ...write }))).toBe('');
  expect(created).toEqual(names);
});

test('a namespace that cannot be created refuses the object', async () => {
  expect(await outcomeOf(provision, attributesOf({ resource: 'pods', namespace: 'bad', object: {} }))).toBe(
    '403 no such name',
  );
});

const exists = createNamespaceExists(reader);

test.each<readonly [string, Write, string]>([
  ['CREATE there', { resource: 'pods' }, ''],
  ['CREATE elsewhere', { resource: 'pods', namespace: 'api' }, '404 namespaces "api" not found'],
  [
    'UPDATE elsewhere',
    { resource: 'pods', namespace: 'api', operation: 'UPDATE' },
    '404 namespaces "api" not found',
  ],
  [
    'DELETE elsewhere',
    { resource: 'pods', namespace: 'api', operation: 'DELETE' },
    '404 namespaces "api" not found',
  ],
  ['CONNECT elsewhere', { resource: 'pods/exec', namespace: 'api', operation: 'CONNECT' }, ''],
  ['an object of the cluster', { resource: 'nodes' }, ''],
])('NamespaceExists: %s', async (_what, write, outcome) => {
  expect(await outcomeOf(exists, attributesOf({ object: {}, ...write }))).toBe(outcome);
});

test('AlwaysAdmit says nothing, AlwaysDeny refuses in both phases', async () => {
  const write = attributesOf({ resource: 'pods', operation: 'DELETE' });
  expect(await outcomeOf(createAlwaysAdmit(), write)).toBe('');
  const deny = createAlwaysDeny();
  const refusal = '403 admission control is denying all modifications';
  expect(await outcomeOf(deny, write)).toBe(refusal);
  expect(await outcomeOf({ ...deny, admit: () => undefined }, write)).toBe(refusal);
});
