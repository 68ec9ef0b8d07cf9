/** Watches of an aggregated API that end because its server changes: a few in a turn. */
import type { RegisteredService } from '../../../src/extension/aggregated-apis/index.ts';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { RemoteRequests, type ServeRemoteParts } from '../../../src/server/aggregation/serve-remote.ts';
import { TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const count = 500;

test.each(['end', 'endAll'] as const)('%s', async (how) => {
  const counts = new TurnCounts();
  const requests = new RemoteRequests({
    apis: { access: () => ({ host: 'h', port: 1 }) },
  } as unknown as ServeRemoteParts);
  const service = { name: 'v1.a', isAvailable: true } as unknown as RegisteredService;
  const step = requests.stepFor(service);
  const closing: (() => void)[] = [];
  try {
    for (let i = 0; i < count; i += 1) {
      const context = {
        ...{
          longRunning: true,
          begun: () => undefined,
          info: {},
          user: { name: 'u', groups: [], extra: {} },
        },
        ...{ onClose: (action: () => void) => closing.push(action), cancel: () => counts.note() },
        // The request waits for its server.
        get req() {
          return { url: '/', method: 'GET' };
        },
      };
      void Promise.resolve(step(context as unknown as RequestContext)).catch(() => undefined);
    }
    expect(closing).toHaveLength(count);
    if (how === 'end') requests.end('v1.a');
    else requests.endAll();
    // One goes by itself before its turn.
    closing.at(-1)?.();
    await waitFor('the others', () => counts.all >= count - 1);
    expect(counts.all).toBe(count - 1);
    expect(counts.most).toBeLessThanOrEqual(16);
  } finally {
    counts.end();
  }
});
