/** Objects of flow control, and what answers tell of them. */
import type { ApiClient } from '../../support/client.ts';

export const api = '/apis/flowcontrol.apiserver.orch.io/v1beta1';

export interface LevelSize {
  readonly shares: number;
  /** Absent: whoever finds no seat is refused. */
  readonly queuing?: { queues: number; handSize: number; queueLengthLimit: number };
}

export function priorityLevel(name: string, { shares, queuing }: LevelSize): object {
  const limitResponse = queuing ? { type: 'Queue', queuing } : { type: 'Reject' };
  return {
    metadata: { name },
    spec: { type: 'Limited', limited: { assuredConcurrencyShares: shares, limitResponse } },
  };
}

/** Everything that these subjects do, told apart by user. */
export function flowSchema(name: string, level: string, ...subjects: object[]): object {
  const resourceRules = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ];
  const nonResourceRules = [{ verbs: ['*'], nonResourceURLs: ['*'] }];
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: 50,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects, resourceRules, nonResourceRules }],
    },
  };
}

/** The uids of the schema and the level that took a request of this client. */
export async function headersOf(client: ApiClient): Promise<[string | undefined, string | undefined]> {
  const { headers } = await client.get('/api/v1/namespaces/web/configmaps');
  const uid = (kind: string): string | undefined => headers[`x-orch-pf-${kind}-uid`]?.toString();
  return [uid('flowschema'), uid('prioritylevel')];
}
