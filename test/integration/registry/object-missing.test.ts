/**
 * Whether an object is there is known by looking for it alone: admission that answers NotFound or AlreadyExists, in
 * whichever words, starts no creation, no second attempt, and does not pass for a deletion.
 */
import { createAdmissionChain } from '../../../src/admission/admission-chain.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { ObjectNotFound } from '../../../src/meta/object-errors.ts';
import { alreadyExists, notFound, StatusError } from '../../../src/meta/status.ts';
import type { AdmissionAttributes, RequestScope, ResourceVerbs } from '../../../src/registry/types.ts';
import {
  everything,
  plainDelete,
  scope,
  startRegistry,
  statusOf,
  verbsOver,
  type TestRegistry,
} from '../../support/registry.ts';

let registry: TestRegistry;
let verbs: ResourceVerbs;
/** What admission answers; undefined: it allows. */
let answer: ((attributes: AdmissionAttributes) => Error | undefined) | undefined;
/** Operations that were admitted or refused. */
let asked: string[];
const namespace = 'missing';
const leases = (): RequestScope => scope('leases', { group: 'coordination.orch.io', namespace });

beforeAll(async () => {
  registry = await startRegistry();
  await registry.verbs.create(scope('namespaces'), '', { metadata: { name: namespace } });
  const judge = (attributes: AdmissionAttributes): void => {
    asked.push(attributes.operation);
    const error = answer?.(attributes);
    if (error) throw error;
  };
  const admission = createAdmissionChain([{ name: 'judge', admit: judge }]);
  verbs = verbsOver(registry.storage, () => true, { admission });
});
beforeEach(() => {
  asked = [];
  answer = undefined;
});
afterAll(() => registry.close());

const lease = (name: string, holderIdentity = 'me'): JsonObject => ({
  ...{ apiVersion: 'coordination.orch.io/v1', kind: 'Lease', metadata: { name } },
  spec: { holderIdentity },
});

/** A lease as a client sends it back. */
async function stored(name: string): Promise<JsonObject> {
  const { entry } = await verbs.create(leases(), '', lease(name));
  return { ...lease(name, 'you'), metadata: { name, resourceVersion: String(entry.modRevision) } };
}

const apply = (name: string): Promise<unknown> =>
  verbs.apply(leases(), name, lease(name, 'you'), { force: true });

const answers: [string, (attributes: AdmissionAttributes) => Error][] = [
  ['the object, in the same words', ({ scope: of, name }) => notFound(of.resource.gvr, name)],
  ['another object', () => notFound({ group: '', resource: 'configmaps' }, 'settings')],
  [
    'another object, by type',
    () =>
      new ObjectNotFound({ resource: { group: '', resource: 'namespaces' }, namespace: '', name: 'other' }),
  ],
  ['something', () => new StatusError(404, 'NotFound', 'no')],
];

describe.each(answers)('admission that misses %s', (_what, error) => {
  test('refuses a replacement and an apply of what is there', async () => {
    const name = 'there';
    const body = await stored(name);
    asked = [];
    answer = error;
    expect((await statusOf(verbs.replace(leases(), name, body))).code).toBe(404);
    expect((await statusOf(apply(name))).code).toBe(404);
    expect(asked).toEqual(['UPDATE', 'UPDATE']);
    answer = undefined;
    await verbs.delete(leases(), name, plainDelete);
  });

  test('refuses a replacement and an apply of what is not there once', async () => {
    answer = error;
    expect((await statusOf(verbs.replace(leases(), 'absent', lease('absent')))).code).toBe(404);
    expect((await statusOf(apply('absent'))).code).toBe(404);
    expect(asked).toEqual(['CREATE', 'CREATE']);
    expect((await verbs.list(leases(), everything)).entries).toHaveLength(0);
  });

  test('refuses a deletion of a collection', async () => {
    await stored('collected');
    answer = error;
    expect((await statusOf(verbs.deleteCollection(leases(), everything, plainDelete))).code).toBe(404);
    answer = undefined;
    expect((await verbs.list(leases(), everything)).entries).toHaveLength(1);
    await verbs.delete(leases(), 'collected', plainDelete);
  });
});

test('an AlreadyExists of admission is not retried by an apply', async () => {
  answer = ({ scope: of, name }) => alreadyExists(of.resource.gvr, name);
  expect((await statusOf(apply('absent'))).reason).toBe('AlreadyExists');
  expect(asked).toEqual(['CREATE']);
});

test.each<[string, (metadata: object) => void]>([
  ['another name', (metadata) => Object.assign(metadata, { name: 'renamed' })],
  ['a prefix', (metadata) => Object.assign(metadata, { name: '', generateName: 'renamed-' })],
])('admission that gives %s to what a request names creates nothing', async (_what, rename) => {
  answer = ({ object }) => {
    if (object) rename(object.metadata);
    return undefined;
  };
  expect((await statusOf(verbs.replace(leases(), 'absent', lease('absent')))).code).toBe(400);
  expect((await statusOf(apply('absent'))).code).toBe(400);
  expect(asked).toEqual(['CREATE', 'CREATE']);
  expect((await verbs.list(leases(), everything)).entries).toHaveLength(0);
});

test('without objections both create what is not there', async () => {
  await verbs.replace(leases(), 'first', lease('first'));
  await apply('second');
  expect(asked).toEqual(['CREATE', 'CREATE']);
  expect((await verbs.list(leases(), everything)).entries).toHaveLength(2);
});
