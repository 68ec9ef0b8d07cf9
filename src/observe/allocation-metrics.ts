/** Metrics of addresses and node ports of services, with their Kubernetes names. */
import type { Metrics } from './metrics.ts';

/** Registers the metrics. */
export function allocationMetrics(metrics: Metrics) {
  const cidr = { labels: ['cidr'], aggregator: 'max' } as const;
  return {
    allocatedIps: metrics.gauge({
      ...{ name: 'kube_apiserver_clusterip_allocator_allocated_ips', ...cidr },
      help: 'Allocated cluster IPs by range.',
    }),
    availableIps: metrics.gauge({
      ...{ name: 'kube_apiserver_clusterip_allocator_available_ips', ...cidr },
      help: 'Available cluster IPs by range.',
    }),
    allocatedPorts: metrics.gauge({
      ...{ name: 'kube_apiserver_nodeport_allocator_allocated_ports', aggregator: 'max' },
      help: 'Allocated node ports.',
    }),
    availablePorts: metrics.gauge({
      ...{ name: 'kube_apiserver_nodeport_allocator_available_ports', aggregator: 'max' },
      help: 'Available node ports.',
    }),
  };
}
