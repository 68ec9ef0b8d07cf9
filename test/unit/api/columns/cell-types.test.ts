/** Cells of Tables that are JSON numbers and booleans: of all kinds, those of release 1.21, whatever type their column has. */
import { builtInGroups } from '../../../../src/api/index.ts';
import type { ResourceDefinition } from '../../../../src/api/types.ts';
import { expandNames } from '../../../../src/meta/naming.ts';
import { Kind, naming } from '../../../support/kind.ts';
import { sampleOf } from '../../../support/samples.ts';

/** `Kind`: columns with a number or boolean for the smallest object. The others are texts. */
const expected: Readonly<Record<string, Readonly<Record<string, 'number' | 'boolean'>>>> = {
  CSIDriver: {
    AttachRequired: 'boolean',
    PodInfoOnMount: 'boolean',
    StorageCapacity: 'boolean',
    RequiresRepublish: 'boolean',
  },
  CSINode: { Drivers: 'number' },
  ConfigMap: { Data: 'number' },
  ControllerRevision: { Revision: 'number' },
  CronJob: { Active: 'number' },
  DaemonSet: {
    ...{ Desired: 'number', Current: 'number', Ready: 'number', 'Up-to-date': 'number', Available: 'number' },
  },
  Deployment: { 'Up-to-date': 'number', Available: 'number' },
  Event: { Count: 'number' },
  FlowSchema: { MatchingPrecedence: 'number' },
  HorizontalPodAutoscaler: { MaxPods: 'number', Replicas: 'number' },
  MutatingWebhookConfiguration: { Webhooks: 'number' },
  Pod: { Restarts: 'number' },
  PodDisruptionBudget: { 'Allowed Disruptions': 'number' },
  PodSecurityPolicy: { ReadOnlyRootFs: 'boolean' },
  PriorityClass: { Value: 'number', 'Global-Default': 'boolean' },
  PriorityLevelConfiguration: { AssuredConcurrencyShares: 'number' },
  ReplicaSet: { Desired: 'number', Current: 'number', Ready: 'number' },
  ReplicationController: { Desired: 'number', Current: 'number', Ready: 'number' },
  Secret: { Data: 'number' },
  ServiceAccount: { Secrets: 'number' },
  StorageClass: { AllowVolumeExpansion: 'boolean' },
  ValidatingWebhookConfiguration: { Webhooks: 'number' },
  VolumeAttachment: { Attached: 'boolean' },
};

const kinds = builtInGroups.flatMap((group) =>
  group.resources
    .filter(({ storedIn, columns }) => storedIn === undefined && columns.length > 0)
    .map((definition) => [definition.kind, group, definition] as const),
);

async function typesOf(folder: string, definition: ResourceDefinition, group: string): Promise<unknown> {
  const sample = await sampleOf(`${group}/${definition.plural}`);
  if (!sample) return {};
  const kind = new Kind(`${definition.plural}.${folder}`);
  const object = kind.created(sample);
  object.metadata.creationTimestamp = '2021-06-01T11:54:57Z';
  const columns = kind.columns();
  const typed = kind.cells(object).map((cell, at) => [columns[at]?.name, typeof cell]);
  return Object.fromEntries(typed.filter(([, type]) => type !== 'string'));
}

test.each(kinds)('%s', async (name, group, definition) => {
  const fullGroup = group.folder === 'core' ? 'core' : expandNames(group.group, naming);
  expect(await typesOf(group.folder, definition, fullGroup)).toEqual(expected[name] ?? {});
});

test('a priority level with queues', () => {
  const limitResponse = { type: 'Queue', queuing: { queues: 8, handSize: 3, queueLengthLimit: 50 } };
  const spec = { type: 'Limited', limited: { assuredConcurrencyShares: 5, limitResponse } };
  const kind = new Kind('prioritylevelconfigurations.flowcontrol');
  expect(kind.cells(kind.created({ metadata: { name: 'a' }, spec })).slice(2, 6)).toEqual([5, 8, 3, 50]);
});
