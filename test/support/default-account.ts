/** Pods run as an account of their namespace, which a controller makes: how tests wait for it. */
import type { ApiClient } from './client.ts';
import { waitFor } from './wait-for.ts';

/** Waits until pods of a namespace may run as its account `default`. The service itself waits for it for a moment only. */
export async function untilPodsMayRun(client: ApiClient, namespace = 'default'): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await waitFor(`the account of ${namespace}`, async () => (await client.get(path)).status === 200);
}
