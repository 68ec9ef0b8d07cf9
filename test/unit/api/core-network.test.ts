import type { JsonObject } from '../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../support/kind.ts';

const meta: JsonObject = { name: 'a', namespace: 'default' };

describe('Service', () => {
  const kind = new Kind('services');
  const minimal: JsonObject = { metadata: meta, spec: { ports: [{ port: 80 }], selector: { app: 'web' } } };
  const external: JsonObject = {
    metadata: meta,
    spec: { type: 'ExternalName', externalName: 'example.com' },
  };
  testErrors(kind, minimal, [
    ['metadata.name', '1a', 'metadata.name Invalid'],
    ['spec.ports', [], 'spec.ports Required'],
    ['spec.ports', [{ port: 0 }], 'spec.ports[0].port Invalid', 'spec.ports[0].targetPort Invalid'],
    ['spec.ports', [{ port: 1, targetPort: 'not_a_port' }], 'spec.ports[0].targetPort Invalid'],
    [
      'spec.ports',
      [{ port: 1 }, { port: 1 }],
      'spec.ports[0].name Required',
      'spec.ports[1] Duplicate',
      'spec.ports[1].name Required',
    ],
    [
      'spec.ports',
      [
        { name: 'a', port: 1 },
        { name: 'a', port: 2 },
      ],
      'spec.ports[1].name Duplicate',
    ],
    ['spec.ports', [{ port: 1, nodePort: 30000 }], 'spec.ports[0].nodePort Forbidden'],
    ['spec.ports', [{ port: 1, protocol: 'ICMP' }], 'spec.ports[0].protocol NotSupported'],
    ['spec.type', 'Best', 'spec.type NotSupported'],
    ['spec.selector', { 'a b': '' }, 'spec.selector Invalid'],
    ['spec.externalIPs', ['127.0.0.1', 'x'], 'spec.externalIPs[0] Invalid', 'spec.externalIPs[1] Invalid'],
    ['spec.sessionAffinity', 'Maybe', 'spec.sessionAffinity NotSupported'],
    ['spec.loadBalancerSourceRanges', ['10.0.0.0/8'], 'spec.loadBalancerSourceRanges Forbidden'],
    ['spec.externalTrafficPolicy', 'Local', 'spec.externalTrafficPolicy Invalid'],
    ['spec.healthCheckNodePort', 30000, 'spec.healthCheckNodePort Invalid'],
    ['spec.clusterIP', '10.0.0.1'],
    ['spec.clusterIP', 'x', 'spec.clusterIPs[0] Invalid'],
    ['spec.clusterIPs', ['10.0.0.1'], 'spec.clusterIPs Forbidden'],
  ]);

  test('kinds of services have rules of their own', () => {
    const spec = (value: JsonObject): string[] => brief(kind.createErrors({ metadata: meta, spec: value }));
    const ports = [{ port: 80 }];
    expect(brief(kind.createErrors(external))).toEqual([]);
    expect(spec({ type: 'ExternalName' })).toEqual(['spec.externalName Required']);
    expect(spec({ type: 'ExternalName', externalName: 'a', clusterIP: '10.0.0.1' })).toEqual([
      'spec.clusterIP Forbidden',
      'spec.clusterIPs Forbidden',
    ]);
    expect(spec({ clusterIP: 'None' })).toEqual([]);
    expect(spec({ type: 'NodePort', clusterIP: 'None', ports })).toEqual(['spec.clusterIPs[0] Invalid']);
    expect(spec({ type: 'LoadBalancer', ports: [{ port: 10250 }] })).toEqual(['spec.ports[0] Invalid']);
    expect(spec({ type: 'LoadBalancer', ports, loadBalancerSourceRanges: ['x'] })).toEqual([
      'spec.loadBalancerSourceRanges[0] Invalid',
    ]);
    expect(spec({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'], ports })).toEqual([
      'spec.clusterIPs[0] Invalid',
    ]);
    expect(spec({ clusterIP: '10.0.0.1', ipFamilies: ['IPv6'], ports })).toEqual([
      'spec.clusterIPs[0] Invalid',
    ]);
    expect(spec({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', '10.0.0.2'], ports })).toEqual([
      'spec.clusterIPs Invalid',
    ]);
    expect(spec({ ipFamilies: ['IPv4', 'IPv4'], ports })).toEqual(['spec.ipFamilies[1] Duplicate']);
    expect(
      spec({
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } },
        ports,
      }),
    ).toEqual(['spec.sessionAffinityConfig.clientIP.timeoutSeconds Invalid']);
  });

  test('defaults', () => {
    const spec = (value: JsonObject, context = contextWith()): unknown =>
      new Kind('services', context).created({ metadata: meta, spec: { ports: [{ port: 80 }], ...value } })[
        'spec'
      ];
    expect(spec({})).toEqual({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    });
    expect(spec({ type: 'NodePort' })).toMatchObject({ externalTrafficPolicy: 'Cluster' });
    expect(spec({ sessionAffinity: 'ClientIP' })).toMatchObject({
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
    });
    expect(spec({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'RequireDualStack' })).toMatchObject({
      ipFamilies: ['IPv6', 'IPv4'],
    });
    expect(spec({ internalTrafficPolicy: 'Local' })).not.toHaveProperty('internalTrafficPolicy');
    expect(spec({}, contextWith({ on: ['ServiceInternalTrafficPolicy'] }))).toMatchObject({
      internalTrafficPolicy: 'Cluster',
    });
    expect(spec({ clusterIP: '10.0.0.1' })).toMatchObject({ clusterIPs: ['10.0.0.1'] });
  });

  test('the address stays once given', () => {
    const before = kind.created(withValue(minimal, 'spec.clusterIP', '10.0.0.1'));
    expect(kind.updated(before, minimal)).toMatchObject({
      spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] },
    });
    expect(kind.updateErrors(before, minimal)).toEqual([]);
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.clusterIP', '10.0.0.2')))).toEqual([
      'spec.clusterIPs[0] Invalid',
    ]);
    expect(kind.updateErrors(before, external)).toEqual([]);
  });

  test('where a balancer answers is an address or a name', () => {
    const before = kind.created(minimal);
    const status = { loadBalancer: { ingress: [{ ip: 'x' }, { hostname: '1.2.3.4' }] } };
    expect(brief(kind.updateErrors(before, { ...minimal, status }, 'status'))).toEqual([
      'status.loadBalancer.ingress[0].ip Invalid',
      'status.loadBalancer.ingress[1].hostname Invalid',
    ]);
  });
});

describe('Endpoints', () => {
  const kind = new Kind('endpoints');
  const minimal: JsonObject = {
    metadata: meta,
    subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
  };
  testErrors(kind, minimal, [
    ['subsets', [{}], 'subsets[0] Required'],
    [
      'subsets.0.addresses',
      [{ ip: '127.0.0.1', hostname: 'a.b' }],
      'subsets[0].addresses[0].hostname Invalid',
      'subsets[0].addresses[0].ip Invalid',
    ],
    [
      'subsets.0.ports',
      [{ port: 1 }, { port: 0, name: 'b' }],
      'subsets[0].ports[0].name Required',
      'subsets[0].ports[1].port Invalid',
    ],
    ['subsets.0.ports', [{ port: 1, protocol: 'X' }], 'subsets[0].ports[0].protocol NotSupported'],
  ]);
});

describe('Event', () => {
  const kind = new Kind('events');
  const minimal: JsonObject = {
    metadata: { name: 'a.1', namespace: 'x' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'x' },
  };
  const timed = { ...minimal, eventTime: '2021-01-01T00:00:00.000000Z' };
  testErrors(kind, minimal, [
    ['involvedObject.namespace', 'y', 'involvedObject.namespace Invalid'],
    ['involvedObject.namespace', '', 'involvedObject.namespace Invalid'],
    ['metadata.name', 'a/b', 'metadata.name Invalid'],
  ]);

  test('an event with a time says who reports what', () => {
    expect(brief(kind.createErrors(timed))).toEqual([
      'action Required',
      'reason Required',
      'reportingController Required',
      'reportingInstance Required',
    ]);
    const said = { ...timed, action: 'a', reason: 'r', reportingComponent: 'c', reportingInstance: 'i' };
    expect(kind.createErrors(said)).toEqual([]);
  });

  test('selectors', () => {
    const event = kind.created({ ...minimal, reportingComponent: 'c' });
    const read = (key: string): string | undefined => kind.definition.selectableFields[key]?.(event);
    expect(['involvedObject.kind', 'involvedObject.uid', 'source', 'type'].map(read)).toEqual([
      'Pod',
      '',
      'c',
      '',
    ]);
  });
});

describe('ReplicationController and PodTemplate', () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const kind = new Kind('replicationcontrollers');
  const minimal: JsonObject = { metadata: meta, spec: { template } };
  testErrors(kind, minimal, [
    ['spec.replicas', -1, 'spec.replicas Invalid'],
    ['spec.template', undefined, 'spec.selector Required', 'spec.template Required'],
    ['spec.selector', { app: 'b' }, 'spec.template.metadata.labels Invalid'],
    ['spec.template.spec.restartPolicy', 'Never', 'spec.template.spec.restartPolicy NotSupported'],
    ['spec.template.spec.activeDeadlineSeconds', 1, 'spec.template.spec.activeDeadlineSeconds Forbidden'],
    ['spec.template.spec.containers.0.name', 'A', 'spec.template.spec.containers[0].name Invalid'],
  ]);

  test('labels of the template serve where others are missing', () => {
    expect(kind.created(minimal)).toMatchObject({
      metadata: { labels: { app: 'a' } },
      spec: { replicas: 1, selector: { app: 'a' } },
    });
  });

  test('no part of the status exceeds the whole', () => {
    const before = kind.created(minimal);
    const status = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
    expect(brief(kind.updateErrors(before, { ...minimal, status }, 'status'))).toEqual([
      'status.availableReplicas Invalid',
      'status.availableReplicas Invalid',
      'status.readyReplicas Invalid',
    ]);
  });

  testErrors(new Kind('podtemplates'), { metadata: meta, template }, [
    ['template.spec.containers', [], 'template.spec.containers Required'],
    ['template.metadata.labels', { 'a b': 'c' }, 'template.metadata.labels Invalid'],
  ]);
});
