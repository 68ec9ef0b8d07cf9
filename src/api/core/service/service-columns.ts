/** Printer columns of services. */
import { ageColumn, column, joined, labelsText, nameColumn, wideColumn } from '../../columns/columns.ts';
import type { Stored } from '../../define.ts';
import type { ColumnDefinition } from '../../types.ts';
import type { Service } from '../v1.types.ts';

type StoredService = Stored<Service>;

function externalIp({ spec, status }: StoredService): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type ?? '') {
    case 'ClusterIP':
    case 'NodePort':
      return joined(external);
    case 'LoadBalancer': {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(
        (entry) => entry.ip || (entry.hostname ?? ''),
      );
      const all = [...[...new Set(ingress.filter((entry) => entry !== ''))].sort(), ...external];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return spec?.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function ports({ spec }: StoredService): string {
  return joined(
    spec?.ports?.map(({ port, nodePort, protocol }) => {
      const node = nodePort ? `:${String(nodePort)}` : '';
      return `${String(port ?? 0)}${node}/${protocol ?? ''}`;
    }),
  );
}

export const serviceColumns: readonly ColumnDefinition[] = [
  nameColumn,
  column<StoredService>('Type', ({ spec }) => spec?.type, { description: 'How the service is reached.' }),
  column<StoredService>('Cluster-IP', ({ spec }) => spec?.clusterIPs?.[0] || '<none>', {
    description: 'Address inside the cluster.',
  }),
  column<StoredService>('External-IP', externalIp, { description: 'Addresses for the world outside.' }),
  column<StoredService>('Port(s)', ports, { description: 'Ports that are served.' }),
  ageColumn,
  wideColumn<StoredService>(
    'Selector',
    ({ spec }) => labelsText(spec?.selector),
    'Labels of the pods behind it.',
  ),
];
