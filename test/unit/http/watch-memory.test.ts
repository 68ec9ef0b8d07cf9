/** What an open watch takes of the heap of the process that serves it; the client is a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const path =
  '/api/v1/namespaces/x/pods?watch=1&resourceVersion=1000&timeoutSeconds=3600&allowWatchBookmarks=true';

/** Opens as many watches as each line of its input says. */
const client = `
const [port, protocol] = process.argv.slice(1);
const headers = { accept: 'application/json', 'user-agent': 'kubelet/v1.30.0 (linux/amd64) kubernetes/abcdef0' };
const { connect } = require('node:http2');
const { request } = require('node:https');
const to = { host: '127.0.0.1', port, rejectUnauthorized: false };
const perConnection = 50;
process.stdin.on('data', (text) => {
  const count = Number(text);
  if (protocol === 'h1')
    for (let i = 0; i < count; i++) request({ ...to, path: ${JSON.stringify(path)}, headers, agent: false }).end();
  else
    for (let i = 0; i < count; i += perConnection) {
      const session = connect('https://127.0.0.1:' + port, { rejectUnauthorized: false });
      for (let j = 0; j < perConnection; j++) session.request({ ':path': ${JSON.stringify(path)}, ...headers });
    }
});`;

/**
 * Bytes for each of `count` watches: between as many and twice as many, or twice and three times, so that what is made once
 * does not count, such as code that the engine compiles meanwhile.
 */
async function bytesOfWatch(room: HttpRoom, protocol: 'h1' | 'h2', count: number): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const child = spawn(process.execPath, ['-e', client, String(room.server.port), protocol], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const heapWith = async (open: number): Promise<number> => {
    child.stdin.write(`${String(count)}\n`);
    await waitFor(`${String(open)} watches`, () => room.verbs.watches.length === open, { timeout: 60_000 });
    // What the test notes of requests does not count.
    room.asked.length = 0;
    room.verbs.calls.length = 0;
    // What waits for a turn of its own has gone then.
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  try {
    const once = await heapWith(count);
    const twice = await heapWith(2 * count);
    return Math.min(twice - once, (await heapWith(3 * count)) - twice) / count;
  } finally {
    child.kill();
    await once(child, 'exit');
    room.verbs.watches.length = 0;
  }
}

describe('memory of an open watch', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('watch-memory');
    room = await openRoom(folder.path);
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test.each([
    { protocol: 'h2', count: 1_000, bound: 6_500 },
    { protocol: 'h1', count: 200, bound: 12_500 },
  ] as const)('over $protocol is below $bound bytes of the heap', async ({ protocol, count, bound }) => {
    const bytes = await bytesOfWatch(room, protocol, count);
    expect(bytes).toBeLessThan(bound);
  });
});
