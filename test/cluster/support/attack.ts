/**
 * The program of many clients that send the worst bodies, one after the other, for some time; each waits as long as it
 * is told before it comes again. Prints `begun` when it starts to send, and how many answers of each status there were.
 *
 *   node attack.ts URL CA-FILE TOKEN CLIENTS MILLISECONDS [PART-OF-PATHS]
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import { worstBodies, type WorstBody } from './worst-bodies.ts';

const [url = '', caFile = '', token = '', clients = '0', milliseconds = '0', part = ''] =
  process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients), ca: readFileSync(caFile, 'utf8') });
const bodies = worstBodies.filter(({ path }) => path.includes(part));
const answers: Record<string, number> = {};

interface Sent {
  readonly status: string;
  readonly retryAfter: number;
}

function send({ path, body }: WorstBody): Promise<Sent> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const sent = request(new URL(path, url), { agent, method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('close', () => {
        resolve({
          status: String(answer.statusCode),
          retryAfter: Number(answer.headers['retry-after'] ?? 0),
        });
      });
    });
    // Refused before the body was sent whole.
    sent.on('error', () => {
      resolve({ status: 'cut', retryAfter: 1 });
    });
    sent.end(body);
  });
}

console.log('begun');
const end = performance.now() + Number(milliseconds);

async function client(body: WorstBody): Promise<void> {
  while (performance.now() < end) {
    const { status, retryAfter } = await send(body);
    answers[status] = (answers[status] ?? 0) + 1;
    await delay(retryAfter * 1_000);
  }
}

await Promise.all(
  Array.from({ length: Number(clients) }, (_unused, i) => client(bodies[i % bodies.length]!)),
);
console.log(JSON.stringify(answers));
agent.destroy();
