/** Loaded into a worker thread: clients that reset their connections at once behind the first request, `count` of them, some at a time. */
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { workerData } from 'node:worker_threads';

/** `protocol` and `first`: what the clients speak, and the bytes that they send; HTTP/1.1 and a request where they are absent. */
const { port, ca, count, parallel, protocol = 'http/1.1', first } = workerData;
const request = first ?? 'GET /version HTTP/1.1\r\nHost: x\r\n\r\n';

const reset = () =>
  new Promise((resolve) => {
    const lower = connectTcp({ host: '127.0.0.1', port }).on('error', () => undefined);
    const upper = connect({ socket: lower, host: '127.0.0.1', ca, ALPNProtocols: [protocol] }).on(
      'error',
      () => undefined,
    );
    upper.once('secureConnect', () => {
      upper.write(request);
      setImmediate(() => lower.resetAndDestroy());
    });
    lower.once('close', resolve);
  });

const resetMany = async () => {
  for (let i = 0; i < count / parallel; i += 1) await reset();
};
await Promise.all(Array.from({ length: parallel }, resetMany));
