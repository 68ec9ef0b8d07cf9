/** What a call without an answer says of the other connections to its member. */
import { systemEnvironment } from '../../../../src/base/environment.ts';
import { EtcdClient } from '../../../../src/storage/etcd/client.ts';
import type { EtcdLine } from '../../../../src/storage/etcd/etcd-line.ts';
import { defaultTimes } from '../../../../src/storage/options.ts';
import { noMetrics, recordingLogger } from '../../../support/storage.ts';

const header = { cluster_id: 1, member_id: 1, revision: 1, raft_term: 1 };
/** Codes of gRPC. */
const [deadlineExceeded, unavailable] = [4, 14];

let checks: number;
let code: number;

class Line implements EtcdLine {
  readonly isUp = true;

  call<Response>(method: { readonly path: string }): Promise<Response> {
    if (method.path.includes('Status'))
      return Promise.resolve({ header, leader: 1, isLearner: false } as Response);
    return Promise.reject(Object.assign(new Error('no answer'), { code }));
  }

  stream(): ReturnType<EtcdLine['stream']> {
    return { cancel: () => undefined, pause: () => undefined, resume: () => undefined };
  }

  check(): void {
    checks += 1;
  }

  useToken(): void {
    throw new Error('there is no user');
  }

  close(): void {
    // Nothing is open.
  }
}

test.each([
  ['late', deadlineExceeded, true],
  ['refused', unavailable, false],
])(
  'a call that is %s decides whether streams of the member are asked for a sign of life',
  async (_what, given, isAsked) => {
    [checks, code] = [0, given];
    const client = new EtcdClient({
      options: {
        endpoints: ['http://member:2379'],
        logger: recordingLogger(),
        metrics: noMetrics,
        connectLine: () => Promise.resolve(new Line()),
      },
      times: defaultTimes,
      ...systemEnvironment,
    });
    await client.watch({ create_request: { key: Buffer.from('a') } } as never, {} as never);
    const late = client.range({ key: Buffer.from('a') }, { timeoutMs: 1 });
    await expect(late).rejects.toThrow('no answer');
    expect(checks > 0).toBe(isAsked);
    client.close();
  },
);
