/** Where the controller of definitions changes them: those of megabytes beside the serving thread. */
import { cleanupFinalizer } from '../../../src/api/apiextensions/definition-conditions.ts';
import type { CustomResourceDefinitionStatus as Status } from '../../../src/api/apiextensions/v1.types.ts';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { DefinitionWrites } from '../../../src/extension/custom-resources/definition-writes.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import type { RequestScope, ServedResource } from '../../../src/registry/types.ts';
import type { Entry } from '../../../src/storage/types.ts';
import { definition } from '../../support/custom-resources.ts';

const naming = namingProfiles.orch;
const finalizer = cleanupFinalizer(naming);
const builtIn = buildCatalogue({
  naming,
  groups: builtInGroups,
  schemas: loadCatalogueSchemas(naming),
  isEnabled: () => true,
});
const definitions = builtIn.resource('apiextensions.orch.io', 'v1', 'customresourcedefinitions');
const status: Status = { storedVersions: ['v1'] };

/** A definition with a text of so many characters. */
function entryOf(characters: number): Entry {
  const made = definition('things', 'Thing', {});
  const metadata = {
    ...{ name: 'things.example.com', uid: 'one', finalizers: ['other', finalizer] },
    annotations: { text: 'x'.repeat(characters) },
  };
  const bytes = encodeStored({ ...made, metadata });
  return { collection: 'definitions', key: metadata.name, modRevision: 7, bytes, memo: undefined };
}

const large = entryOf(300_000);
const small = entryOf(1_000);
let here: string[];
let elsewhere: { readonly subresource: string; readonly operations: readonly JsonObject[] }[];
let outcome: () => Promise<unknown>;
let writes: DefinitionWrites;

beforeEach(() => {
  here = [];
  elsewhere = [];
  outcome = () => Promise.resolve();
  const { signal } = new AbortController();
  writes = new DefinitionWrites({
    definitions: definitions as ServedResource,
    scopeOf: (resource, subresource = '') => ({ resource, subresource, signal }) as unknown as RequestScope,
    verbs: {
      patch: ({ subresource }: RequestScope) => {
        here.push(subresource);
        return Promise.resolve({} as never);
      },
    },
    patchElsewhere: ({ subresource }, _name, operations) => {
      elsewhere.push({ subresource, operations });
      return outcome();
    },
  });
});

test('a large one is changed elsewhere, in the revision that was looked at', async () => {
  await writes.setStatus(large, () => status);
  await writes.release(large);
  const revision = { op: 'add', path: '/metadata/resourceVersion', value: '7' };
  expect(elsewhere).toEqual([
    { subresource: 'status', operations: [revision, { op: 'add', path: '/status', value: status }] },
    {
      subresource: '',
      operations: [revision, { op: 'add', path: '/metadata/finalizers', value: ['other'] }],
    },
  ]);
  expect(here).toEqual([]);
});

test('a small one is changed here', async () => {
  await writes.setStatus(small, () => status);
  await writes.release(small);
  expect([here, elsewhere]).toEqual([['status', ''], []]);
});

test.each([429, 413, 503, 504])('where nobody else can (%i), a large one is changed here', async (code) => {
  outcome = () => Promise.reject(new StatusError(code, 'InternalError', 'no room'));
  await writes.setStatus(large, () => status);
  expect(here).toEqual(['status']);
});

test.each([404, 409])('one that is gone or has changed (%i) is looked at again', async (code) => {
  const error = new StatusError(code, 'Conflict', 'another one');
  outcome = () => Promise.reject(error);
  await expect(writes.setStatus(large, () => status)).rejects.toBe(error);
  await expect(writes.release(large)).rejects.toBe(error);
  expect(here).toEqual([]);
});
