/** What members tell of themselves, where etcd has users. */
import { systemEnvironment } from '../../../../src/base/environment.ts';
import { EtcdClient } from '../../../../src/storage/etcd/client.ts';
import type { EtcdLine } from '../../../../src/storage/etcd/etcd-line.ts';
import { GrpcError } from '../../../../src/storage/etcd/grpc-status.ts';
import { defaultTimes } from '../../../../src/storage/options.ts';
import { noMetrics, recordingLogger } from '../../../support/storage.ts';

test('a member that refuses an expired token is asked with another one next time', async () => {
  let logins = 0;
  let valid = '';
  const connectLine = (): Promise<EtcdLine> => {
    let token = '';
    const answer = (path: string): unknown => {
      if (path.endsWith('/Authenticate')) return { token: (valid = `token-${String((logins += 1))}`) };
      if (token !== valid) throw new GrpcError(16, 'etcdserver: invalid auth token');
      return { dbSize: { toNumber: () => 7 }, leader: 1, version: '3.6.16' };
    };
    return Promise.resolve({
      isUp: true,
      useToken: (given) => {
        token = given;
      },
      call: <S>({ path }: { readonly path: string }) =>
        new Promise<S>((resolve) => {
          resolve(answer(path) as S);
        }),
      stream: () => {
        throw new Error('no stream is asked for');
      },
      close: () => undefined,
    });
  };
  const login = { username: 'replica', password: 'secret' };
  const endpoints = ['http://127.0.0.1:1'];
  const options = { endpoints, connectLine, ...login, logger: recordingLogger(), metrics: noMetrics };
  const client = new EtcdClient({ options, times: defaultTimes, ...systemEnvironment });
  const status = ['http://127.0.0.1:1', { dbSize: 7, version: '3.6.16' }];
  expect([...(await client.memberStatuses())]).toEqual([status]);
  valid = 'none, as all have expired';
  expect([...(await client.memberStatuses())]).toEqual([]);
  expect([...(await client.memberStatuses())]).toEqual([status]);
  expect(logins).toBe(2);
  client.close();
});
