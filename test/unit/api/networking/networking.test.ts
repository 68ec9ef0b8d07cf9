import { extensionsGroup } from '../../../../src/api/extensions/group.ts';
import { ingressFromStorage, ingressToStorage } from '../../../../src/api/networking/ingress-conversion.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { deepCopy } from '../../../../src/base/json.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../../support/kind.ts';

const metadata = { name: 'web', namespace: 'default' };

describe('Ingress', () => {
  const kind = new Kind('ingresses.networking');
  const service = { name: 'web', port: { number: 80 } };
  const path = { path: '/', pathType: 'Prefix', backend: { service } };
  const minimal: JsonObject = {
    metadata,
    spec: { rules: [{ host: 'example.com', http: { paths: [path] } }] },
  };
  const first = 'spec.rules.0.http.paths.0';
  const at = 'spec.rules[0].http.paths[0]';
  testErrors(kind, minimal, [
    ['spec', {}, 'spec Invalid'],
    ['spec', { defaultBackend: { service } }],
    ['spec.rules.0.host', '10.0.0.1', 'spec.rules[0].host Invalid'],
    ['spec.rules.0.host', '*.example.com'],
    ['spec.rules.0.host', '*', 'spec.rules[0].host Invalid'],
    ['spec.rules.0.http.paths', [], 'spec.rules[0].http.paths Required'],
    [`${first}.pathType`, 'Regex', `${at}.pathType NotSupported`],
    [`${first}.path`, 'x', `${at}.path Invalid`],
    [`${first}.path`, '/a//b/..', `${at}.path Invalid`, `${at}.path Invalid`],
    [`${first}.backend`, {}, `${at}.backend Required`],
    [`${first}.backend.resource`, { kind: 'A', name: 'b' }, `${at}.backend Invalid`],
    [
      `${first}.backend`,
      { resource: {} },
      `${at}.backend.resource.kind Required`,
      `${at}.backend.resource.name Required`,
    ],
    [`${first}.backend.service.name`, '', `${at}.backend.service.name Required`],
    [`${first}.backend.service.port`, {}, `${at}.backend.service.port Required`],
    [`${first}.backend.service.port`, { name: 'a', number: 1 }, `${at}.backend.service Invalid`],
    [`${first}.backend.service.port`, { number: 70000 }, `${at}.backend.service.port.number Invalid`],
    [
      'spec.tls',
      [{ hosts: ['A'], secretName: 'B' }],
      'spec.tls[0].hosts[0] Invalid',
      'spec.tls[0].secretName Invalid',
    ],
    ['spec.ingressClassName', 'A', 'spec.ingressClassName Invalid'],
  ]);

  test('class by annotation or by field, at creation', () => {
    const both = withValue(withValue(minimal, 'spec.ingressClassName', 'a'), 'metadata.annotations', {
      'orch.io/ingress.class': 'a',
    });
    expect(brief(kind.createErrors(both))).toEqual(['annotations.orch.io/ingress.class Invalid']);
    expect(kind.updateErrors(kind.created(minimal), both)).toEqual([]);
  });

  test('a path has a type, and what a balancer reports is an address', () => {
    const bare = withValue(minimal, `${first}.pathType`, undefined);
    expect(brief(kind.createErrors(bare))).toEqual([`${at}.pathType Required`]);
    const status = { loadBalancer: { ingress: [{ ip: 'x' }, { hostname: '10.0.0.1' }] } };
    expect(brief(kind.updateErrors(kind.created(minimal), { ...minimal, status }, 'status'))).toEqual([
      'status.loadBalancer.ingress[0].ip Invalid',
      'status.loadBalancer.ingress[1].hostname Invalid',
    ]);
  });

  test('cells', () => {
    const rules = ['a', 'b', 'c', 'd'].map((host) => ({ host, http: { paths: [path] } }));
    expect(kind.cells(kind.created(withValue(minimal, 'spec.rules', rules))).slice(1, 5)).toEqual([
      '<none>',
      'a,b,c + 1 more...',
      '',
      '80',
    ]);
    const hosts = (...names: string[]): unknown => {
      const some = names.map((host) => ({ ...(host !== '' && { host }), http: { paths: [path] } }));
      return kind.cells(kind.created(withValue(minimal, 'spec.rules', some)))[2];
    };
    expect([
      hosts('a', '', 'b', 'c'),
      hosts('a', 'b', 'c', ''),
      hosts('c', 'c', 'c', 'c'),
      hosts(''),
    ]).toEqual(['a,b,c', 'a,b,c + 1 more...', 'c,c,c + 1 more...', '*']);
  });

  test('beta versions name a service and a port; the other group serves the same objects', () => {
    const beta: JsonObject = {
      metadata,
      spec: {
        backend: { serviceName: 'a', servicePort: 80 },
        rules: [{ http: { paths: [{ backend: { serviceName: 'b', servicePort: 'http' } }] } }],
      },
    };
    const stored = ingressToStorage(deepCopy(beta));
    expect(stored['spec']).toEqual({
      defaultBackend: { service: { name: 'a', port: { number: 80 } } },
      rules: [{ http: { paths: [{ backend: { service: { name: 'b', port: { name: 'http' } } } }] } }],
    });
    expect(ingressFromStorage(stored)).toEqual(beta);
    const served = extensionsGroup.resources.flatMap(({ plural, versions }) =>
      versions.filter((version) => version.served !== false).map(() => plural),
    );
    expect(served).toEqual(['ingresses']);
  });
});

describe('IngressClass', () => {
  const kind = new Kind('ingressclasses.networking');
  const minimal: JsonObject = { metadata: { name: 'a' }, spec: { controller: 'example.com/ingress' } };
  const parameters = { kind: 'Settings', name: 'x', scope: 'Namespace', namespace: 'n' };
  testErrors(kind, minimal, [
    ['spec.controller', '', 'spec.controller Required'],
    ['spec.controller', 'ingress', 'spec.controller Invalid'],
    ['spec.controller', `example.com/${'x'.repeat(250)}`, 'spec.controller Invalid'],
    [
      'spec.parameters',
      { apiGroup: 'A' },
      'spec.parameters.apiGroup Invalid',
      'spec.parameters.kind Required',
      'spec.parameters.name Required',
    ],
  ]);

  test('the controller stays, parameters of a namespace belong to their gate', () => {
    const before = kind.created(minimal);
    expect(brief(kind.updateErrors(before, withValue(minimal, 'spec.controller', 'a.b/c')))).toEqual([
      'spec.controller Invalid',
    ]);
    const scoped = withValue(minimal, 'spec.parameters', parameters);
    expect(kind.created(scoped)['spec']).toMatchObject({ parameters: { scope: null } });
    const gated = new Kind(
      'ingressclasses.networking',
      contextWith({ on: ['IngressClassNamespacedParams'] }),
    );
    expect(gated.createErrors(scoped)).toEqual([]);
    expect(brief(gated.createErrors(withValue(scoped, 'spec.parameters.namespace', undefined)))).toEqual([
      'spec.parameters.namespace Required',
    ]);
    expect(brief(gated.createErrors(withValue(scoped, 'spec.parameters.scope', 'Cluster')))).toEqual([
      'spec.parameters.namespace Forbidden',
    ]);
    expect(kind.cells(kind.created(scoped))[2]).toBe('Settings/x');
  });
});

describe('NetworkPolicy', () => {
  const kind = new Kind('networkpolicies.networking');
  const minimal: JsonObject = {
    metadata,
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
  };
  const peer = 'spec.ingress.0.from.0';
  const at = 'spec.ingress[0].from[0]';
  testErrors(kind, minimal, [
    [peer, {}, `${at} Required`],
    [`${peer}.ipBlock`, { cidr: '10.0.0.0/8' }, `${at} Forbidden`],
    [peer, { ipBlock: {} }, `${at}.ipBlock.cidr Required`],
    [
      peer,
      { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/16', 'x'] } },
      `${at}.ipBlock.except[1] Invalid`,
      `${at}.ipBlock.except[2] Invalid`,
    ],
    ['spec.ingress.0.ports.0.port', 0, 'spec.ingress[0].ports[0].port Invalid'],
    ['spec.ingress.0.ports.0.protocol', 'ICMP', 'spec.ingress[0].ports[0].protocol NotSupported'],
    ['spec.policyTypes', ['Ingress', 'Egress', 'Ingress'], 'spec.policyTypes Invalid'],
  ]);

  test('policy types follow the rules; ranges of ports belong to their gate', () => {
    expect(kind.created(minimal)['spec']).toMatchObject({ policyTypes: ['Ingress'] });
    expect(kind.created(withValue(minimal, 'spec.egress', [{}]))['spec']).toMatchObject({
      policyTypes: ['Ingress', 'Egress'],
    });
    const ranged = withValue(minimal, 'spec.ingress.0.ports', [
      { port: 80, endPort: 79 },
      { endPort: 5 },
      { port: 'a', endPort: 5 },
    ]);
    expect(kind.createErrors(ranged)).toEqual([]);
    const gated = new Kind('networkpolicies.networking', contextWith({ on: ['NetworkPolicyEndPort'] }));
    expect(brief(gated.createErrors(ranged))).toEqual([
      'spec.ingress[0].ports[0].endPort Invalid',
      'spec.ingress[0].ports[1].port Required',
      'spec.ingress[0].ports[2].endPort Invalid',
    ]);
  });
});
