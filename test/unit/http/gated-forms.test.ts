/** What feature gates give and take of requests and documents, with the defaults of each release. */
import { once } from 'node:events';
import type { JsonObject } from '../../../src/base/json.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const { catalogue, schemas, naming } = {
  ...realCatalogue(namingProfiles.kubernetes),
  naming: namingProfiles.kubernetes,
};
const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const pods = '/api/v1/namespaces/x/pods';
const json = { 'content-type': 'application/json' };
const body = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'new' } });

let folder: Awaited<ReturnType<typeof makeTempFolder>>;

beforeAll(async () => {
  folder = await makeTempFolder('gated-forms');
});
afterAll(() => folder.remove());

/** Asks a server of a release with gates set. */
async function under<T>(
  minor: number,
  settings: Readonly<Record<string, boolean>>,
  ask: (room: HttpRoom) => Promise<T>,
): Promise<T> {
  const release = { major: 1, minor };
  const gates = createFeatureGates(settings, featuresOf(release));
  const isFeatureEnabled = (gate: string): boolean => gates.isEnabled(gate);
  const room = await openRoom(folder.path, {
    catalogue: () => catalogue,
    naming,
    schemas,
    release,
    isFeatureEnabled,
  });
  room.verbs.entries = [podEntry('a', 7)];
  try {
    return await ask(room);
  } finally {
    await room.close();
  }
}

test.each([
  [21, {}, [200, 200]],
  [26, {}, [406, 406]],
  [26, { AggregatedDiscoveryEndpoint: true }, [200, 200]],
  [29, { AggregatedDiscoveryEndpoint: false }, [406, 406]],
  [32, {}, [200, 200]],
  [33, {}, [200, 406]],
  [33, { AggregatedDiscoveryRemoveBetaType: false }, [200, 200]],
  [36, {}, [200, 406]],
])('aggregated discovery in 1.%d with %j: v2 and v2beta1 are %j', async (minor, settings, codes) => {
  const found = await under(minor, settings, async (room) => {
    const answers = [];
    for (const version of ['v2', 'v2beta1'])
      answers.push((await room.ask('/apis', { headers: { accept: aggregated(version) } })).code);
    return answers;
  });
  expect(found).toEqual(codes);
});

test('without aggregated discovery clients get the next form that they accept', async () => {
  const accept = `${aggregated('v2')},${aggregated('v2beta1')},application/json`;
  const [off, newest] = [
    await under(28, { AggregatedDiscoveryEndpoint: false }, (room) =>
      room.ask('/apis', { headers: { accept } }),
    ),
    await under(33, {}, (room) =>
      room.ask('/apis', { headers: { accept: `${aggregated('v2beta1')},application/json` } }),
    ),
  ];
  expect([off.json()['kind'], newest.json()['kind']]).toEqual(['APIGroupList', 'APIGroupList']);
});

test.each([
  [22, {}, 200],
  [23, {}, 404],
  [23, { OpenAPIV3: true }, 200],
  [24, {}, 200],
  [26, { OpenAPIV3: false }, 404],
  [36, {}, 200],
])('/openapi/v3 in 1.%d with %j: %d', async (minor, settings, code) => {
  const found = await under(minor, settings, async (room) => {
    const paths = (await room.ask('/')).json()['paths'] as string[];
    return [(await room.ask('/openapi/v3')).code, paths.includes('/openapi/v3')];
  });
  expect(found).toEqual([code, code === 200]);
});

test.each([
  [23, {}, false],
  [23, { OpenAPIEnums: true, OpenAPIV3: true }, true],
  [24, {}, true],
  [36, { OpenAPIEnums: false }, false],
])(
  'values of fields in OpenAPI of 1.%d with %j: %s',
  async (minor, settings: Readonly<Record<string, boolean>>, expected) => {
    const text = await under(
      minor,
      { ...(minor < 27 && { OpenAPIV3: true }), ...settings },
      async (room) => (await room.ask('/openapi/v3/api/v1')).text,
    );
    expect([text.includes('ipFamilyPolicy'), text.includes('"enum"')]).toEqual([true, expected]);
  },
);

test.each([
  [22, {}, 201],
  [22, { DryRun: false }, 400],
  [25, { DryRun: false }, 400],
  [36, {}, 201],
])('dry runs in 1.%d with %j: %d', async (minor, settings, code) => {
  const [codes, calls] = await under(minor, settings, async (room) => {
    const ask = async (method: string, path: string, type = 'application/json'): Promise<number> =>
      (
        await room.ask(`${path}?dryRun=All&fieldManager=x`, {
          method,
          body: type === '' ? '' : body,
          headers: { 'content-type': type },
        })
      ).code;
    const asked = [
      await ask('POST', pods),
      await ask('PUT', `${pods}/a`),
      await ask('PATCH', `${pods}/a`, 'application/merge-patch+json'),
      await ask('PATCH', `${pods}/a`, 'application/apply-patch+yaml'),
      await ask('DELETE', `${pods}/a`, ''),
      await ask('DELETE', pods, ''),
    ];
    return [asked, room.verbs.calls.length];
  });
  const isOff = code === 400;
  expect(codes.map((each) => (each === 400) === isOff)).toEqual(codes.map(() => true));
  expect(calls > 0).toBe(!isOff);
  expect(codes[0]).toBe(code);
});

test.each([
  [22, '', {}, undefined],
  [22, 'Strict', {}, 'Strict'],
  [23, 'Strict', {}, undefined],
  [23, 'Strict', { ServerSideFieldValidation: true }, 'Strict'],
  [25, '', {}, 'Warn'],
  [26, 'Strict', { ServerSideFieldValidation: false }, undefined],
  [36, '', {}, 'Warn'],
  [36, 'Ignore', {}, undefined],
])('fields in 1.%d that are asked to be %j, with %j: %s', async (minor, sent, settings, directive) => {
  const calls = await under(minor, settings, async (room) => {
    const query = sent === '' ? '' : `?fieldValidation=${sent}`;
    await room.ask(`${pods}${query}`, { method: 'POST', body, headers: json });
    return room.verbs.calls;
  });
  const scopes = calls.map(({ scope }) => scope as { fieldValidation?: { directive: string } });
  expect(scopes.map(({ fieldValidation }) => fieldValidation?.directive)).toEqual([directive]);
});

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const inProtobuf = 'application/vnd.kubernetes.protobuf';
const link = `${pods}/a`;

test.each([
  [21, {}, false],
  [23, { RemoveSelfLink: false }, true],
  [36, {}, false],
])('links of objects and lists in 1.%d with %j: %s', async (minor, settings, hasLinks) => {
  await under(minor, settings, async (room) => {
    const ask = async (path: string, accept = 'application/json'): Promise<string> =>
      (await room.ask(path, { headers: { accept } })).text;
    const one = JSON.parse(await ask(link)) as { metadata: JsonObject };
    expect(one.metadata['selfLink']).toBe(hasLinks ? link : undefined);
    expect(one.metadata).toMatchObject({ name: 'a', resourceVersion: '7' });
    for (const path of [pods, '/api/v1/pods']) {
      const list = JSON.parse(await ask(path)) as { metadata: JsonObject; items: { metadata: JsonObject }[] };
      expect([list.metadata['selfLink'], list.items[0]?.metadata['selfLink']]).toEqual(
        hasLinks ? [path, link] : [undefined, undefined],
      );
    }
    const texts = [
      await ask(pods, table),
      await ask(pods, metadataOnly),
      await ask(pods, 'application/yaml'),
      await ask(pods, inProtobuf),
      await ask(link, inProtobuf),
      (await room.ask(pods, { method: 'POST', body, headers: json })).text,
    ];
    const links = [link, link, link, link, link, `${pods}/new`];
    expect(texts.map((text, i) => text.includes(links[i] ?? ''))).toEqual(texts.map(() => hasLinks));
    expect(texts.slice(0, 4).map((text) => text.split(pods).length - 1)).toEqual(
      [2, 2, 2, 2].map((count) => (hasLinks ? count : 0)),
    );
  });
});

test('events of watches have links, too', async () => {
  await under(22, { RemoveSelfLink: false }, async (room) => {
    const stream = await room.open(`${pods}?watch=1`);
    const [watch] = await waitFor('the watch', () => room.verbs.watches.length > 0 && room.verbs.watches);
    watch?.sink.onItems([{ type: 'MODIFIED', event: podEntry('b', 8) }]);
    const [line] = (await once(stream, 'data')) as [Buffer];
    stream.destroy();
    expect(JSON.parse(line.toString())).toMatchObject({
      type: 'MODIFIED',
      object: { metadata: { name: 'b', selfLink: `${pods}/b`, resourceVersion: '8' } },
    });
  });
});
