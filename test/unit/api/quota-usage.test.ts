/** What a service uses of quotas. */
import { usageOf } from '../../../src/api/core/quota-usage.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';

const services = { group: '', resource: 'services' };

function nodePortsOf(spec: object): string | undefined {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: {}, spec };
  return usageOf(services, service, { naming: namingProfiles.orch, now: 0 })['services.nodeports'];
}

const ports = [{ port: 80 }, { port: 81, nodePort: 30_001 }];

test.each([
  ['a ClusterIP', { type: 'ClusterIP', ports }, '0'],
  ['a NodePort with a port that is not allocated yet', { type: 'NodePort', ports }, '2'],
  ['a LoadBalancer with a port that is not allocated yet', { type: 'LoadBalancer', ports }, '2'],
  [
    'a LoadBalancer that asks for no node ports',
    { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
    '1',
  ],
])('the node ports of %s', (_, spec, expected) => {
  expect(nodePortsOf(spec)).toBe(expected);
});
