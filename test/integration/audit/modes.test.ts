/** The audit log where requests wait for it, and where several workers write it. */
import { chmodSync, readFileSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../support/client.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startServices, type Services } from '../../support/authorized-server.ts';

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly apiVersion: string;
}

let folder: TempFolder;
beforeAll(async () => {
  folder = await makeTempFolder('audit-modes');
  writeFileSync(join(folder.path, 'policy'), policy);
});
afterAll(() => folder.remove());

const policy = `apiVersion: audit.orch.io/v1
kind: Policy
rules:
- {level: None, users: ["system:orch-controller-manager", "system:apiserver", "admin"]}
- {level: RequestResponse}
`;

function start(log: string, ...args: string[]): Promise<Services> {
  return startServices(1, [
    `--audit-policy-file=${join(folder.path, 'policy')}`,
    `--audit-log-path=${log}`,
    ...args,
  ]);
}

/** Every line, each of which is an event, but for one that is being written. */
function eventsOf(log: string): Event[] {
  const text = readFileSync(log, 'utf8');
  return text
    .slice(0, Math.max(0, text.lastIndexOf('\n')))
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
}

const configMaps = '/api/v1/namespaces/web/configmaps';

test('two workers write one file: no line is torn, none is lost at a clean end', async () => {
  const log = join(folder.path, 'two', 'audit.log');
  await using services = await start(log, '--workers=2');
  const clients = Array.from({ length: 8 }, () => services.replicas[0]!.client({ token: 'root-token' }));
  const data = { pad: 'x'.repeat(200_000) };
  // One after the other each; a machine that is slow rejects some all the same, and they are sent again.
  const asked = clients.map(async (client, c) => {
    const answers: Answer[] = [];
    for (let i = 0; i < 10; i += 1) {
      const metadata = { name: `m-${String(c)}-${String(i)}` };
      const created = async (): Promise<boolean> => {
        const answer = await client.request('POST', configMaps, { metadata, data });
        answers.push(answer);
        return answer.status === 201;
      };
      await waitFor(`the creation of ${metadata.name}`, created, { timeout: 60_000 });
    }
    return answers;
  });
  const answers = (await Promise.all(asked)).flat();
  expect(answers.filter(({ status }) => ![201, 429].includes(status))).toEqual([]);
  for (const client of clients) client.close();
  // Which worker gets a connection is up to the kernel: on a busy machine all eight may be one worker's.
  await waitFor('a share of both workers', async () => {
    const client = services.replicas[0]!.client({ token: 'root-token' });
    answers.push(await client.get(configMaps));
    client.close();
    const { text } = await services.admin.get('/metrics');
    const shares = [...text.matchAll(/^apiserver_worker_request_total\{worker="\d+"\} (\d+)$/gm)];
    return shares.length === 2 && shares.every(([, count]) => Number(count) > 0);
  });
  expect(await services.replicas[0]!.stop()).toBe(0);
  expect(readFileSync(log, 'utf8').endsWith('\n')).toBe(true);
  const told = eventsOf(log).map(({ auditID, stage }) => `${auditID} ${stage}`);
  expect(new Set(told).size).toBe(told.length);
  const wanted = answers.flatMap(({ headers }) =>
    ['RequestReceived', 'ResponseComplete'].map((stage) => `${String(headers['audit-id'])} ${stage}`),
  );
  expect(wanted.filter((id) => !told.includes(id))).toEqual([]);
}, 120_000);

describe.each(['blocking', 'blocking-strict'])('%s', (mode) => {
  let services: Services;
  let dir: string;
  let log: string;

  beforeAll(async () => {
    dir = join(folder.path, mode);
    log = join(dir, 'audit.log');
    services = await start(log, `--audit-log-mode=${mode}`, '--audit-log-version=audit.orch.io/v1beta1');
  }, 60_000);
  afterAll(() => services[Symbol.asyncDispose]());

  test('what was received is in the file before the answer is', async () => {
    for (let i = 0; i < 20; i++) {
      const { headers } = await services.as('ann').get('/version');
      const own = eventsOf(log).filter(({ auditID }) => auditID === headers['audit-id']);
      expect(own[0]).toMatchObject({ stage: 'RequestReceived', apiVersion: 'audit.orch.io/v1beta1' });
    }
  });

  test('a file that cannot be written: strict refuses, the other counts what is lost', async () => {
    // A folder in the place of the file: it cannot be opened for writing, whoever the process runs as.
    rmSync(log);
    mkdirSync(log);
    chmodSync(log, 0o700);
    const strict = mode === 'blocking-strict';
    const answer = await services.as('ann').request('POST', configMaps, {});
    expect(answer.status).toBe(strict ? 500 : 403);
    expect((await services.as('ann').get('/version')).status).toBe(strict ? 500 : 200);
    const { text } = await services.admin.get('/metrics');
    expect(text).toMatch(/^apiserver_audit_error_total\{plugin="log"\} [1-9]/m);
    if (strict) expect(text).toMatch(/^apiserver_audit_requests_rejected_total 2$/m);
    rmSync(log, { recursive: true });
    await waitFor('the file', async () => (await services.as('ann').get('/version')).status === 200);
    expect(eventsOf(log).length).toBeGreaterThan(0);
  });
});
