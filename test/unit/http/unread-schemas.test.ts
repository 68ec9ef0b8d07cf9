/** The schema of a custom resource has to be parsed, in one step: what needs no more than its metadata does not ask for it. */
import { systemEnvironment } from '../../../src/base/environment.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { Representations } from '../../../src/http/representation/negotiation.ts';
import { createWireTypes } from '../../../src/http/wire-types.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { Metrics } from '../../../src/observe/metrics.ts';
import { createServerMetrics } from '../../../src/observe/server-metrics.ts';
import type { ServedResource, TypeDescription } from '../../../src/registry/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const configMaps = catalogue.resource('', 'v1', 'configmaps');
if (!configMaps) throw new Error('no config maps');

const custom = Object.create(configMaps, {
  schema: {
    get: () => {
      throw new Error('the schema was read');
    },
  },
  metadata: { value: schemas.get('meta/v1.ObjectMeta') },
  description: { value: {} as TypeDescription },
}) as ServedResource;
const types = createWireTypes(() => ({ ...catalogue, kind: () => custom }), schemas);

test('a body in Protobuf that names its kind finds no type', () => {
  expect(types.find('things.example/v1', 'Thing')).toBeUndefined();
});

test.each([
  'application/json',
  'application/json;as=Table;g=meta.orch.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1',
])('a bookmark as %s', (accept) => {
  const query = { text: '', get: () => '', has: () => false };
  const header = (name: string): string => (name === 'accept' ? accept : '');
  const context = { query, header, phase: { types }, req: { headers: {} } } as unknown as RequestContext;
  const metrics = createServerMetrics(new Metrics());
  const bookmark = new Representations({ ...systemEnvironment, metrics })
    .of(context, custom, 'list')
    .bookmark(7, false);
  const { object } = JSON.parse(bookmark.toString()) as { object: { metadata: object } };
  expect(object.metadata).toMatchObject({ resourceVersion: '7' });
});
