/** A stop beside something that hangs: it ends in moments, the log says what it waited for, and nothing that was acknowledged is lost. */
import { createServer, type Server } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeze } from '../../support/child-process.ts';
import { processesWith } from '../../support/processes.ts';
import { Service } from '../../support/service.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let temporary: TempFolder;
let folder: string;
let service: Service;

beforeEach(async () => {
  temporary = await makeTempFolder('slow-stop');
  folder = join(temporary.path, '.orch');
});
afterEach(async () => {
  await service.child.stop();
  await waitFor('every process to be gone', () => processesWith(folder).length === 0);
  await temporary.remove();
});

const path = '/api/v1/namespaces/default/configmaps';
const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } };

/** Serves, and has acknowledged a write. */
async function started(words: readonly string[] = []): Promise<void> {
  service = await Service.start(folder, words);
  expect((await service.ask({ method: 'POST', path, body })).status).toBe(201);
}

async function stopped(): Promise<string> {
  service.child.signal('SIGTERM');
  const { code } = await within('the service to stop', 60_000, service.child.exited);
  expect(code).toBe(0);
  return service.child.output();
}

async function expectKept(): Promise<void> {
  service = await Service.start(folder);
  expect((await service.ask({ path: `${path}/kept` })).status).toBe(200);
}

test('its own etcd is frozen', async () => {
  await started();
  const own = processesWith(`--data-dir=${folder}/etcd`).filter(
    ({ command }) => !command.startsWith('/bin/sh'),
  );
  expect(own.length).toBe(1);
  for (const { pid } of own) await freeze(pid);
  expect(await stopped()).toContain('"seconds":5,"msg":"etcd does not stop, and is killed"');
  await expectKept();
}, 120_000);

test('a worker is frozen', async () => {
  await started();
  for (const pid of service.workerPids()) await freeze(pid);
  expect(await stopped()).toContain('"msg":"a worker that stops gives no sign of life, and is killed"');
  await expectKept();
}, 120_000);

test('an audit webhook takes connections and never answers', async () => {
  const silent = await listening();
  try {
    const config = join(temporary.path, 'webhook');
    const policy = join(temporary.path, 'policy');
    writeFileSync(config, kubeconfig(silent));
    writeFileSync(policy, 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    await started([`--audit-policy-file=${policy}`, `--audit-webhook-config-file=${config}`]);
    const output = await stopped();
    expect(output).toContain('"msg":"the stop waits for audit sinks to take the last events"');
    expect(output).toContain('"backend":"webhook"');
  } finally {
    silent.close();
  }
}, 120_000);

/** Takes connections and is silent. */
async function listening(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function kubeconfig(server: Server): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'only' },
    clusters: [{ name: 'only', cluster: { server: `https://127.0.0.1:${String(port)}/` } }],
    users: [{ name: 'only', user: {} }],
    contexts: [{ name: 'only', context: { cluster: 'only', user: 'only' } }],
  });
}
