/** Discovery with thousands of resources and groups is made in slices, in each of its forms. */
import { atOnce, resultInSlices } from '../../../../src/base/sliced-work.ts';
import { aggregatedDocument } from '../../../../src/http/discovery/aggregated.ts';
import {
  apiGroupListDocument,
  apiResourceListDocument,
} from '../../../../src/http/discovery/discovery-documents.ts';
import { discoveryGroups, type DiscoveryGroup } from '../../../../src/http/discovery/discovery-groups.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { newestRelease } from '../../../../src/observe/release.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { leastShareOf } from '../../../support/cpu-time.ts';
import { openRoom, type HttpRoom } from '../../../support/http/room.ts';
import { makeTempFolder } from '../../../support/temp-folder.ts';
import { turnsOf } from '../../../support/turns.ts';
import type { JsonValue } from '../../../../src/base/json.ts';
import { createWireTypes } from '../../../../src/http/wire-types.ts';
import { negotiateValueForm, type ValueForm } from '../../../../src/http/representation/value-form.ts';
import type { RequestContext } from '../../../../src/http/request-context.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);
const deployments = catalogue.resource('apps', 'v1', 'deployments');
if (!deployments) throw new Error('no deployments');
const { gvr } = deployments;
const resources = Array.from({ length: 8_000 }, (_, i) =>
  Object.assign(Object.create(deployments) as typeof deployments, {
    gvr: { ...gvr, resource: `things${String(i)}` },
  }),
);
const version = { versionPriority: 1, enabledByDefault: true, served: true, version: 'v1' };
const local = { ...version, resources };
const oneGroup: DiscoveryGroup[] = [{ group: 'apps', versions: [{ version: 'v1', local }] }];
const manyGroups = resources.map((resource, i): DiscoveryGroup => {
  return {
    group: `group${String(i)}`,
    versions: [{ version: 'v1', local: { ...version, resources: [resource] } }],
  };
});

const served = manyGroups.map(({ group, versions }) => ({
  group,
  versions: versions.flatMap((one) => one.local ?? []),
}));

const aggregated = (groups: readonly DiscoveryGroup[]) => aggregatedDocument(naming, groups, ['/apis', 'v2']);
const documents = {
  'the aggregated document of a large version': () => aggregated(oneGroup),
  'the aggregated document of many groups': () => aggregated(manyGroups),
  'the list of groups': () => apiGroupListDocument(manyGroups),
  'the list of a version': () => apiResourceListDocument('apps', local),
};

const types = createWireTypes(() => catalogue, schemas, { speaksCbor: true });

function formOf(accept: string, pretty = ''): ValueForm {
  const context = {
    header: () => accept,
    phase: { types },
    query: { text: pretty, get: () => pretty },
    req: { headers: {} },
  };
  return negotiateValueForm(context as unknown as RequestContext);
}

const forms = {
  JSON: formOf('application/json'),
  'indented JSON': formOf('application/json', 'true'),
  YAML: formOf('application/yaml'),
  CBOR: formOf('application/cbor'),
  Protobuf: formOf(`application/vnd.orch.protobuf`),
};

/** The part of so many milliseconds that its longest turn takes. */
function longestShareOf(work: () => Promise<unknown>, ms = 15): Promise<number> {
  return leastShareOf(ms, async () => (await turnsOf(work))[0] ?? 0);
}

describe.each(Object.entries(documents))('%s', (_, make) => {
  test('is made in slices', async () => {
    expect(await resultInSlices<object>(make())).toEqual(atOnce<object>(make()));
    expect(await longestShareOf(() => resultInSlices<object>(make()))).toBeLessThan(1);
  });

  test.each(Object.entries(forms))('is written in slices as %s', async (_, form) => {
    const document = atOnce<object>(make()) as JsonValue;
    const write = () => resultInSlices(form.inSteps(document));
    expect(Buffer.concat(await write()).equals(form.bytes(document))).toBe(true);
    expect(await longestShareOf(write)).toBeLessThan(1);
  });
});

test('the aggregated document reads no schema of custom resources, which would have to be parsed for it', () => {
  // None of its metadata has the time: all of them would be looked at.
  const newest = realCatalogue(naming, newestRelease).catalogue;
  let read = 0;
  const custom = Object.create(deployments, {
    schema: {
      get: () => {
        read += 1;
        return deployments.schema;
      },
    },
  }) as typeof deployments;
  const ofDefinitions = { ...version, resources: [custom] };
  const groups = [
    { group: 'things.example', versions: [{ version: 'v1', local: ofDefinitions }] },
    ...atOnce(discoveryGroups(newest, [])),
  ];
  const { items } = atOnce(aggregated(groups)) as unknown as { items: { metadata: object }[] };
  expect(items[0]?.metadata).toEqual({ name: 'things.example' });
  expect(read).toBe(0);
});

describe('what is asked for first after a change of the catalogue', () => {
  let current = { ...catalogue, groups: () => served };
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('discovery');
    room = await openRoom(folder.path, { catalogue: () => current });
    await room.ask('/livez');
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test.each(['/', '/api', '/apis/group7', '/apis/group7/v1'])('%s is answered in slices', async (path) => {
    const longest = await longestShareOf(async () => {
      current = { ...current };
      await room.ask(path);
    }, 20);
    expect(longest).toBeLessThan(1);
  });

  test('the list of paths has each of thousands once, in order', async () => {
    const { paths } = (await room.ask('/')).json() as { paths: string[] };
    expect(paths).toEqual([...new Set(paths)].sort());
    expect(paths).toEqual(expect.arrayContaining(['/api', '/apis', '/apis/group7999', '/apis/group7999/v1']));
  });
});
