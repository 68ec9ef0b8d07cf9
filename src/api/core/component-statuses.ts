/** ComponentStatus: health of the parts of a control plane, checked at each read and never stored. */
import { column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import { nameIsPathSegment } from '../validation/name-rules.ts';
import type { ComponentCondition, ComponentStatus as ComponentStatusFields } from './v1.types.ts';

type ComponentStatus = Stored<ComponentStatusFields>;

function health({ conditions }: ComponentStatus): ComponentCondition | undefined {
  return conditions?.find(({ type }) => type === 'Healthy');
}

function healthText(component: ComponentStatus): string {
  const condition = health(component);
  if (!condition) return 'Unknown';
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy';
}

export const componentStatuses = defineResource<ComponentStatus>({
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  shortNames: ['cs'],
  namespaced: false,
  verbs: ['get', 'list'],
  // Deprecated in favour of the health endpoints, without a replacement.
  versions: [{ version: 'v1', deprecatedIn: '1.19' }],
  validateName: nameIsPathSegment,
  columns: [
    nameColumn,
    column<ComponentStatus>('Status', healthText, { description: 'Whether the part is healthy.' }),
    column<ComponentStatus>('Message', (component) => health(component)?.message, {
      description: 'What it says.',
    }),
    column<ComponentStatus>('Error', (component) => health(component)?.error, {
      description: 'What went wrong.',
    }),
  ],
  virtual: true,
});
