/** Alpha kinds of single releases, of another shape than what came after them: served with their key of `--runtime-config`, and kept apart. */
import { startControlPlane, type ApiObject, type ControlPlane } from '../../../src/testing/index.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { answerIn, asTable } from './support/answer-in.ts';

interface Former {
  readonly release: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Of the table, without the age. */
  readonly cells: readonly unknown[];
  /** A spec that is refused, and where. */
  readonly wrong: Readonly<Record<string, unknown>>;
  readonly fields: readonly string[];
}

const kinds: readonly Former[] = [
  {
    ...{ release: '1.31', group: 'coordination.k8s.io', version: 'v1alpha1' },
    ...{ kind: 'LeaseCandidate', plural: 'leasecandidates', namespaced: true },
    spec: {
      ...{ leaseName: 'a', binaryVersion: '1.31.0', emulationVersion: '1.31.0' },
      preferredStrategies: ['OldestEmulationVersion', 'Own'],
    },
    cells: ['one', 'a', '1.31.0', '1.31.0'],
    wrong: { preferredStrategies: ['OldestEmulationVersion'] },
    fields: ['spec.leaseName', 'spec.emulationVersion'],
  },
  ...(['1.30', '1.34'] as const).map((release) => ({
    ...{ release, group: 'storagemigration.k8s.io', version: 'v1alpha1' },
    ...{ kind: 'StorageVersionMigration', plural: 'storageversionmigrations', namespaced: false },
    spec: { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, continueToken: 'abc' },
    cells: ['one', 'deployments.v1.apps'],
    wrong: { resource: { group: 'apps', resource: 'deployments' } },
    fields: ['spec.resource.version'],
  })),
  ...(['1.25', '1.28'] as const).map((release) => ({
    ...{ release, group: 'networking.k8s.io', version: 'v1alpha1' },
    ...{ kind: 'ClusterCIDR', plural: 'clustercidrs', namespaced: false },
    spec: { perNodeHostBits: 8, ipv4: '10.0.0.0/16', ipv6: '' },
    cells: ['one', '8', '10.0.0.0/16', '<none>'],
    wrong: { perNodeHostBits: 17, ipv4: '10.0.0.0/16', ipv6: 'x' },
    fields: ['spec.perNodeHostBits', 'spec.ipv6'],
  })),
  ...(
    [
      ['1.26', 'v1alpha1'],
      ['1.27', 'v1alpha2'],
      ['1.30', 'v1alpha2'],
    ] as const
  ).flatMap(([release, version]): Former[] => [
    {
      ...{ release, group: 'resource.k8s.io', version },
      ...{ kind: 'ResourceClaim', plural: 'resourceclaims', namespaced: true },
      spec: {
        resourceClassName: 'fast.example.com',
        parametersRef: { kind: 'ConfigMap', name: 'a' },
        allocationMode: 'WaitForFirstConsumer',
      },
      cells: ['one', 'fast.example.com', 'WaitForFirstConsumer', 'pending'],
      wrong: { resourceClassName: 'A', parametersRef: { kind: 'ConfigMap' }, allocationMode: 'Later' },
      fields: ['spec.allocationMode', 'spec.resourceClassName', 'spec.parametersRef.name'],
    },
    {
      ...{ release, group: 'resource.k8s.io', version },
      ...{ kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates', namespaced: true },
      spec: { spec: { resourceClassName: 'fast', allocationMode: 'Immediate' } },
      cells: ['one', 'fast', 'Immediate'],
      wrong: { spec: { allocationMode: 'Immediate' } },
      fields: ['spec.spec.resourceClassName'],
    },
    {
      ...{ release, group: 'resource.k8s.io', version, namespaced: true },
      kind: version === 'v1alpha1' ? 'PodScheduling' : 'PodSchedulingContext',
      plural: version === 'v1alpha1' ? 'podschedulings' : 'podschedulingcontexts',
      spec: { selectedNode: 'a', potentialNodes: ['a', 'b'] },
      cells: ['one', 'a'],
      wrong: { selectedNode: 'A', potentialNodes: ['a', 'a'] },
      fields: ['spec.selectedNode', 'spec.potentialNodes[1]'],
    },
  ]),
  {
    ...{ release: '1.35', group: 'scheduling.k8s.io', version: 'v1alpha1' },
    ...{ kind: 'Workload', plural: 'workloads', namespaced: true },
    spec: {
      controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'a' },
      podGroups: [
        { name: 'one', policy: { gang: { minCount: 2 } } },
        { name: 'two', policy: { basic: {} } },
      ],
    },
    cells: ['one'],
    wrong: { podGroups: [{ name: 'one', policy: {} }] },
    fields: ['spec.podGroups[0].policy'],
  },
];

function pathOf({ group, version, plural, namespaced }: Former): string {
  return `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${plural}`;
}

async function start({ release, group, version, kind }: Former): Promise<ControlPlane> {
  const featureGates = kind === 'Workload' ? { GenericWorkload: true } : {};
  return startControlPlane({
    release,
    featureGates,
    flags: { 'runtime-config': `${group}/${version}=true` },
  });
}

test.each(kinds)('$kind $version of $release', async (former) => {
  const { kind, group, version, spec, cells, wrong, fields } = former;
  const plane = await start(former);
  try {
    const { admin } = plane;
    const object = { apiVersion: `${group}/${version}`, kind, metadata: { name: 'one' }, spec };
    const to = pathOf(former);
    const made = (await admin.request({ method: 'POST', path: to, body: object })) as ApiObject;
    expect(made['spec']).toMatchObject(spec);
    const table = (await answerIn(plane, to, asTable)) as { rows: { cells: unknown[] }[] };
    expect(table.rows[0]?.cells.slice(0, cells.length)).toEqual(cells);
    const refusal: unknown = await admin
      .request({ method: 'POST', path: to, body: { ...object, metadata: { name: 'two' }, spec: wrong } })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    const { status } = refusal as { status: { details: { causes: { field: string }[] } } };
    expect(status.details.causes.map(({ field }) => field)).toEqual(fields);
    const patched = (await admin.request({
      ...{ method: 'PATCH', path: `${to}/one`, body: { metadata: { labels: { a: 'b' } } } },
      contentType: 'application/merge-patch+json',
    })) as ApiObject;
    expect([patched.metadata.labels, patched['spec']]).toEqual([{ a: 'b' }, made['spec']]);
  } finally {
    await plane.stop();
  }
});

/** Kinds of the group for devices whose fields do not stand in a spec. */
const flat = [
  [
    '1.26',
    'v1alpha1',
    'ResourceClass',
    'resourceclasses',
    { driverName: 'd.example.com', parametersRef: { kind: 'A', name: 'a', namespace: 'b' } },
    { driverName: 'D', parametersRef: { kind: 'A' } },
    ['driverName', 'parametersRef.name'],
    ['d.example.com'],
  ],
  [
    '1.30',
    'v1alpha2',
    'ResourceClass',
    'resourceclasses',
    { driverName: 'd.example.com', structuredParameters: true },
    { driverName: '' },
    ['driverName'],
    ['d.example.com'],
  ],
  [
    '1.30',
    'v1alpha2',
    'ResourceSlice',
    'resourceslices',
    {
      ...{ nodeName: 'n', driverName: 'd.example.com' },
      namedResources: { instances: [{ name: 'a', attributes: [{ name: 'size', quantity: '1Gi' }] }] },
    },
    {
      driverName: 'd',
      namedResources: { instances: [{ name: 'a', attributes: [{ name: 'x' }] }, { name: 'a' }] },
    },
    ['namedResources.instances[0].attributes[0]', 'namedResources.instances[1].name'],
    ['n', 'd.example.com'],
  ],
  [
    '1.30',
    'v1alpha2',
    'ResourceClaimParameters',
    'namespaces/default/resourceclaimparameters',
    {
      generatedFrom: { apiGroup: 'example.com', kind: 'Settings', name: 'a' },
      driverRequests: [
        { driverName: 'd', vendorParameters: { a: 1 }, requests: [{ namedResources: { selector: 'true' } }] },
      ],
    },
    { driverRequests: [{ driverName: 'd', requests: [{}] }, { driverName: 'd' }] },
    ['driverRequests[0].requests[0].namedResources', 'driverRequests[1].driverName'],
    ['Settings.example.com a'],
  ],
  [
    '1.30',
    'v1alpha2',
    'ResourceClassParameters',
    'namespaces/default/resourceclassparameters',
    {
      vendorParameters: [{ driverName: 'd', parameters: { a: 1 } }],
      filters: [{ driverName: 'd', namedResources: { selector: 'true' } }],
    },
    { filters: [{ driverName: 'd', namedResources: { selector: '' } }] },
    ['filters[0].namedResources.selector'],
    [''],
  ],
] as const;

test.each(flat)('%s: %s %s', async (...[release, version, kind, ...rest]) => {
  const [place, body, wrong, fields, cells] = rest;
  const group = `resource.k8s.io/${version}`;
  const plane = await startControlPlane({ release, flags: { 'runtime-config': `${group}=true` } });
  try {
    const { admin } = plane;
    const path = `/apis/${group}/${place}`;
    const send = (name: string, content: object): Promise<unknown> =>
      admin.request({
        method: 'POST',
        path,
        body: { apiVersion: group, kind, metadata: { name }, ...content },
      });
    expect(await send('one', body)).toMatchObject(body);
    const table = (await answerIn(plane, path, asTable)) as { rows: { cells: unknown[] }[] };
    expect(table.rows[0]?.cells.slice(0, cells.length + 1)).toEqual(['one', ...cells]);
    const refusal: unknown = await send('two', wrong).catch((error: unknown) => error);
    const { status } = refusal as { status: { details: { causes: { field: string }[] } } };
    expect(status.details.causes.map(({ field }) => field)).toEqual(fields);
  } finally {
    await plane.stop();
  }
});

test('claims of 1.26 are those of 1.27, with what a driver allocated', async () => {
  const flags = { 'runtime-config': 'resource.k8s.io/v1alpha1=true' };
  const first = await startControlPlane({ release: '1.26', flags });
  const file = (await makeTempFolder('claims')).path + '/state.yaml';
  const claims = (version: string): string =>
    `/apis/resource.k8s.io/${version}/namespaces/default/resourceclaims`;
  try {
    const body = { apiVersion: 'resource.k8s.io/v1alpha1', kind: 'ResourceClaim', metadata: { name: 'one' } };
    const made = (await first.admin.request({
      ...{ method: 'POST', path: claims('v1alpha1') },
      body: { ...body, spec: { resourceClassName: 'fast' } },
    })) as ApiObject;
    const status = { driverName: 'd', allocation: { resourceHandle: 'data' } };
    const told = await first.admin.request({
      ...{ method: 'PUT', path: `${claims('v1alpha1')}/one/status`, body: { ...made, status } },
    });
    expect(told).toMatchObject({ status });
    await first.save(file);
  } finally {
    await first.stop();
  }
  const second = await startControlPlane({
    ...{ release: '1.27', flags: { 'runtime-config': 'resource.k8s.io/v1alpha2=true' } },
  });
  try {
    await second.load(file);
    expect(await second.admin.request({ method: 'GET', path: `${claims('v1alpha2')}/one` })).toMatchObject({
      status: { driverName: 'd', allocation: { resourceHandles: [{ data: 'data' }] } },
    });
  } finally {
    await second.stop();
  }
});

test.each(['1.31', '1.32', '1.33'])(
  'devices in v1alpha3 of %s, which later versions read',
  async (release) => {
    const isAlone = release === '1.31';
    const keys = isAlone ? '' : ',resource.k8s.io/v1beta1=true';
    const flags = { 'runtime-config': `resource.k8s.io/v1alpha3=true${keys}` };
    const plane = await startControlPlane({
      release,
      flags,
      featureGates: { DynamicResourceAllocation: true },
    });
    try {
      const { admin } = plane;
      const [former, beta] = ['v1alpha3', 'v1beta1'].map((version) => `/apis/resource.k8s.io/${version}`);
      const device = {
        name: 'gpu-0',
        basic: { attributes: { model: { string: 'a' } }, capacity: { memory: '10Gi' } },
      };
      const spec = {
        ...{ driver: 'gpu.example.com', nodeName: 'node-1', devices: [device] },
        pool: { name: 'node-1', generation: 1, resourceSliceCount: 1 },
      };
      const slice = {
        apiVersion: 'resource.k8s.io/v1alpha3',
        kind: 'ResourceSlice',
        metadata: { name: 'one' },
        spec,
      };
      const made = (await admin.request({
        ...{ method: 'POST', path: `${former ?? ''}/resourceslices`, body: slice },
      })) as ApiObject;
      expect(made['spec']).toEqual(spec);
      const claim = {
        ...{ apiVersion: 'resource.k8s.io/v1alpha3', kind: 'ResourceClaim', metadata: { name: 'one' } },
        spec: { devices: { requests: [{ name: 'gpu', deviceClassName: 'gpu' }] } },
      };
      const path = `${former ?? ''}/namespaces/default/resourceclaims`;
      const claimed = (await admin.request({ method: 'POST', path, body: claim })) as ApiObject;
      expect(claimed['spec']).toEqual({
        devices: {
          requests: [{ name: 'gpu', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 }],
        },
      });
      if (isAlone) return;
      const read = (await admin.request({
        method: 'GET',
        path: `${beta ?? ''}/resourceslices/one`,
      })) as ApiObject;
      const capacity = { memory: { value: '10Gi' } };
      expect(read['spec']).toEqual({
        ...spec,
        devices: [{ ...device, basic: { ...device.basic, capacity } }],
      });
    } finally {
      await plane.stop();
    }
  },
);
