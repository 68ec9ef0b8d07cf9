/** Every kind in every version that it ever had: what lies in etcd in it is read in the stored version. */
import fc from 'fast-check';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { decodeStored, encodeStored } from '../../../src/codec/stored.ts';
import { expandNames, namingProfiles } from '../../../src/meta/naming.ts';
import { createRecode } from '../../../src/registry/conversion/stored-versions.ts';
import { checkStructure } from '../../../src/schema/structure.ts';
import { arbitraryObject } from '../../support/arbitrary-object.ts';

const naming = namingProfiles.orch;
const schemas = loadCatalogueSchemas(naming);
const recode = createRecode({
  ...{ naming, groups: builtInGroups, schemas },
  ...{ isFeatureEnabled: () => false, now: () => new Date(0) },
});

const cases = builtInGroups.flatMap(({ group, folder, resources }) =>
  resources
    .filter(({ virtual }) => virtual !== true)
    .flatMap((definition) =>
      definition.versions.map(({ version }) => {
        const home = definition.storedIn ?? { group, folder };
        const homeGroup = expandNames(home.group, naming);
        const own = expandNames(group, naming);
        return {
          apiVersion: own === '' ? version : `${own}/${version}`,
          kind: definition.kind,
          collection: `${homeGroup === '' ? 'core' : homeGroup}/${definition.plural}`,
          storedAs: `${homeGroup === '' ? '' : `${homeGroup}/`}${definition.storageVersion}`,
          schema: schemas.get(`${folder}/${version}.${definition.kind}`),
          storedSchema: schemas.get(`${home.folder}/${definition.storageVersion}.${definition.kind}`),
        };
      }),
    ),
);

test.each(cases)('$apiVersion $kind', ({ apiVersion, kind, collection, storedAs, schema, storedSchema }) => {
  fc.assert(
    fc.property(arbitraryObject(schema, 4), (object) => {
      const value = encodeStored({ ...object, kind, apiVersion });
      const recoded = recode(collection, value);
      if (apiVersion === storedAs) {
        expect(recoded).toBeUndefined();
        return;
      }
      const read = decodeStored(recoded ?? value);
      expect(read).toMatchObject({ kind, apiVersion: storedAs });
      expect(checkStructure(storedSchema, read).errors).toEqual([]);
      expect(recode(collection, recoded ?? value)).toBeUndefined();
    }),
    { numRuns: 20 },
  );
});

test('members in another order are put in ours; what is no object of the collection is told', () => {
  const value = Buffer.from(
    '{"apiVersion":"v1","kind":"Pod","spec":{},"metadata":{"name":"a","labels":{"b":"c"}}}',
  );
  expect(recode('core/pods', value)?.toString()).toBe(
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"b":"c"}},"spec":{}}',
  );
  for (const text of [
    '',
    '7',
    '[]',
    '{}',
    '{"kind":"Pod","apiVersion":"v2"}',
    '{"kind":"Node","apiVersion":"v1"}',
  ])
    expect(() => recode('core/pods', Buffer.from(text))).toThrow();
  expect(recode('example.com/things', Buffer.from('anything'))).toBeUndefined();
});
