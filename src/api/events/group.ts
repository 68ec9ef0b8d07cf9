/** Events with the words of today; the same objects as those of the core group. */
import type { GroupDefinition } from '../types.ts';
import { events } from './events.ts';

export const eventsGroup: GroupDefinition = {
  group: 'events.{api}',
  folder: 'events',
  groupPriorityMinimum: 17750,
  versions: [
    { version: 'v1', versionPriority: 15, enabledByDefault: true, served: true },
    { version: 'v1beta1', versionPriority: 5, enabledByDefault: true, served: true },
  ],
  resources: [events],
};
