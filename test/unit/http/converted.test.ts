/** Objects in versions that are not stored: what a version always writes is written, though the stored one has no such field. */
import type { JsonObject } from '../../../src/base/json.ts';
import { decodeYaml } from '../../../src/codec/yaml.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { entryOf } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const naming = namingProfiles.orch;
const { catalogue, schemas } = realCatalogue(naming);

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('converted');
  room = await openRoom(folder.path, { naming, catalogue: () => catalogue, schemas });
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

const metadata = { name: 'a', namespace: 'x', creationTimestamp: '2021-01-01T00:00:00Z' };
const replicas = { currentReplicas: 1, desiredReplicas: 1 };

function autoscaler(status: JsonObject): JsonObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
  return {
    ...{ kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', metadata },
    ...{ spec: { scaleTargetRef, maxReplicas: 3 }, status: { ...replicas, ...status } },
  };
}

const resource = { apiGroup: 'example.com', kind: 'Bucket', name: 'b' };
const ingress: JsonObject = {
  ...{ kind: 'Ingress', apiVersion: 'networking.orch.io/v1', metadata },
  ...{ spec: { defaultBackend: { resource } }, status: { loadBalancer: {} } },
};

const autoscalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/x/horizontalpodautoscalers`;
const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', currentAverageUtilization: 7, currentAverageValue: '0' },
};

test.each<[string, JsonObject, JsonObject]>([
  [
    autoscalers('v2beta2'),
    autoscaler({}),
    { status: { ...replicas, currentMetrics: null, conditions: null } },
  ],
  [
    autoscalers('v2beta1'),
    autoscaler({ currentCPUUtilizationPercentage: 7 }),
    { status: { ...replicas, currentMetrics: [cpu], conditions: null } },
  ],
  [
    '/apis/networking.orch.io/v1beta1/namespaces/x/ingresses',
    ingress,
    { spec: { backend: { resource, servicePort: 0 } } },
  ],
])('%s', async (path, stored, shown) => {
  room.verbs.entries = [entryOf(stored, 'x/a', 7)];
  const one = (await room.ask(`${path}/a`)).json() as JsonObject;
  for (const part of Object.keys(shown)) expect(one[part]).toEqual(shown[part]);
  const { items } = (await room.ask(path)).json() as { items: JsonObject[] };
  const listed = { kind: one['kind'], apiVersion: one['apiVersion'], ...items[0] };
  expect(listed).toEqual(one);
  const yaml = await room.ask(`${path}/a`, { headers: { accept: 'application/yaml' } });
  expect(decodeYaml(yaml.bytes)).toEqual(one);
});
