/**
 * The words of docker-compose.yml, as they are, in processes instead of containers: certificates, three members, replicas,
 * controllers and their health checks work together; a replica is added and a member replaced as the guide says while requests go on. What is
 * changed of the words: a service has an address of this machine (127.77.0.N) in place of its name, and folders are below a
 * temporary one.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { promisify } from 'node:util';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { Child } from '../support/child-process.ts';
import { ApiClient } from '../support/client.ts';
import { entryPoint, etcdBinary, findProgram, nodeBinary, repositoryRoot } from '../support/paths.ts';
import { makeTempFolder, type TempFolder } from '../support/temp-folder.ts';
import { waitFor } from '../support/wait-for.ts';

interface ComposeService {
  readonly command?: string | readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const run = promisify(execFile);
const file = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8');
const { services } = load(file, { schema: YAML11_SCHEMA }) as { services: Record<string, ComposeService> };
const members = ['etcd-1', 'etcd-2', 'etcd-3'];
const added = 'replica-4';
const hosts = [...members, 'replica-1', 'replica-2', added, 'controllers-1', 'balancer'];

let folder: TempFolder;
const running = new Map<string, Child>();

/** The balancer is not here: who asks it asks the first replica. */
const addressOf = (name: string): string =>
  `127.77.0.${String(10 + hosts.indexOf(name === 'balancer' ? 'replica-1' : name))}`;

const definitionOf = (name: string): ComposeService => services[name === added ? 'replica-1' : name] ?? {};

/** What a service mounts: folders of the container, and those here. */
function mountsOf(name: string): [string, string][] {
  const volumes = definitionOf(name).volumes ?? [];
  return volumes.map((text): [string, string] => {
    const [volume = '', inside = ''] = text.split(':');
    return [inside, join(folder.path, volume)];
  });
}

/** A word of a service, as it is here. */
function hereOf(name: string, word: string): string {
  let text = word.replaceAll('0.0.0.0', addressOf(name));
  // The loopback address of a container is that of its service.
  text = text.replaceAll('127.0.0.1', addressOf(name));
  for (const host of hosts) text = text.replaceAll(`//${host}:`, `//${addressOf(host)}:`);
  for (const [inside, here] of mountsOf(name)) text = text.replaceAll(`${inside}/`, `${here}/`);
  for (const [inside, here] of mountsOf(name))
    if (text.endsWith(`=${inside}`)) return text.replace(inside, here);
  for (const [inside, here] of mountsOf(name)) text = text.replace(`=${inside}=`, `=${here}=`);
  return text;
}

function wordsOf(name: string): string[] {
  const { command = [] } = definitionOf(name);
  const words = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  return words.map((word) => hereOf(name, word));
}

/** `docker compose run --rm --no-deps pki`, with the name of the new replica where it is added. */
async function pki(...more: readonly string[]): Promise<void> {
  const [command = '', ...words] = definitionOf('pki').command ?? [];
  const here = words.map((word) => (word.startsWith('--host=') ? word : hereOf('pki', word)));
  const names = [...hosts.filter((name) => name !== added && name !== 'balancer'), ...more];
  const addresses = names.map((name) => `--host=${addressOf(name)}`);
  await run(nodeBinary(), [
    entryPoint(),
    command,
    ...here,
    ...addresses,
    ...more.map((name) => `--host=${name}`),
  ]);
}

type Variables = Readonly<Record<string, string>>;

/** A text of docker-compose.yml with the values of its variables, or their defaults. */
function expanded(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{(\w+):-(\w+)\}/g,
    (_all, key: string, other: string) => variables[key] ?? other,
  );
}

/** @param variables those of the shell that starts it */
async function start(name: string, variables: Variables = {}): Promise<void> {
  const isMember = name.startsWith('etcd');
  const environment = Object.entries(definitionOf(name).environment ?? {});
  const env = {
    ...process.env,
    ...Object.fromEntries(environment.map(([key, value]) => [key, hereOf(name, value)])),
  };
  const words = wordsOf(name).map((word) => expanded(word, variables));
  const [program, args] = isMember ? [etcdBinary(), words] : [nodeBinary(), [entryPoint(), ...words]];
  running.set(name, await Child.start({ name, program, args, env }));
}

/** What the image of etcd sets for `etcdctl`. @param pki the folder here */
function environmentOfEtcdctl(pki: string): NodeJS.ProcessEnv {
  const dockerfile = readFileSync(join(repositoryRoot, 'deploy', 'etcd', 'Dockerfile'), 'utf8');
  const settings = [...dockerfile.matchAll(/(ETCDCTL_\w+)=(\S+)/g)].map(([, key = '', value = '']) => [
    key,
    value.replace('/pki', pki),
  ]);
  return { ...process.env, ...(Object.fromEntries(settings) as Record<string, string>) };
}

/** `etcdctl` in the container of a member, as the guide calls it. */
async function etcdctl(member: string, ...words: readonly string[]): Promise<string> {
  const [, pki = ''] = mountsOf(member).find(([inside]) => inside === '/pki') ?? [];
  const endpoints = `--endpoints=https://${addressOf(member)}:2379`;
  const env = environmentOfEtcdctl(pki);
  return (await run(findProgram('etcdctl') ?? '', [endpoints, ...words], { env })).stdout;
}

/** The check of the service in docker-compose.yml, carried out as it stands there. */
async function isHealthy(name: string): Promise<boolean> {
  const [, program = '', ...args] = definitionOf(name).healthcheck?.test ?? [];
  const [, here = ''] = mountsOf(name).find(([inside]) => inside === '/pki') ?? [];
  const words = args.map((word) =>
    hereOf(
      name,
      word.replaceAll(`'/pki/`, `'${here}/`).replaceAll(/port: process/g, `host: '${addressOf(name)}', $&`),
    ),
  );
  const path = { node: nodeBinary(), etcdctl: findProgram('etcdctl') }[program] ?? program;
  return run(path, words, { env: environmentOfEtcdctl(here) }).then(
    () => true,
    () => false,
  );
}

const untilHealthy = (name: string): Promise<true> =>
  waitFor(`${name} to be healthy`, () => isHealthy(name), {
    timeout: 90_000,
    interval: 250,
    details: () => running.get(name)?.output().slice(-3_000) ?? '',
  });

const made = (name: string): string => readFileSync(join(folder.path, 'pki', name), 'utf8');

function newClient(name: string): ApiClient {
  const url = `https://${addressOf(name)}:6443`;
  return new ApiClient({ url, ca: made('ca.crt'), cert: made('admin.crt'), key: made('admin.key') });
}

function certificateOf(name: string): Promise<PeerCertificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: addressOf(name), port: 6443, ca: made('ca.crt') }, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

beforeAll(async () => {
  folder = await makeTempFolder('deployment');
  for (const name of ['pki', ...hosts.slice(0, -1)])
    for (const [, here] of mountsOf(name)) mkdirSync(here, { recursive: true, mode: 0o700 });
  await pki();
  // The address of the balancer is that of a replica here.
  for (const [, here] of mountsOf('controllers-1')) {
    const kubeconfig = join(here, 'controller-manager.kubeconfig');
    writeFileSync(kubeconfig, hereOf('controllers-1', readFileSync(kubeconfig, 'utf8')));
  }
  for (const name of members) await start(name);
  for (const name of ['replica-1', 'replica-2', 'controllers-1']) await start(name);
}, 60_000);

afterAll(async () => {
  const stopped = async (names: readonly string[]): Promise<void> => {
    const children = names.flatMap((name) => running.get(name) ?? []);
    await Promise.all(children.map((child) => child.stop(30_000)));
  };
  await stopped(hosts.filter((name) => !members.includes(name)));
  await stopped(members);
  await folder.remove();
}, 60_000);

test('all of it runs by its words, and its health checks say so', async () => {
  for (const name of [...members, 'replica-1', 'replica-2', 'controllers-1']) await untilHealthy(name);
  const client = newClient('replica-2');
  // Controllers, who have a certificate and the key of tokens of their own, do their work through a replica.
  const accounts = '/api/v1/namespaces/default/serviceaccounts/default';
  await waitFor('the account of a namespace', async () => (await client.get(accounts)).status === 200, {
    timeout: 30_000,
  });
  // Their watches of every kind that is served are no use of a deprecated API.
  for (const name of ['replica-1', 'replica-2']) {
    const asking = newClient(name);
    const { text } = await asking.get('/metrics');
    expect(text).toContain('# TYPE apiserver_requested_deprecated_apis gauge');
    expect(text.match(/^apiserver_requested_deprecated_apis\{.*$/gm) ?? []).toEqual([]);
    asking.close();
  }
  client.close();
}, 180_000);

/** Asks two replicas until it is stopped. */
function askOn(): { stop: () => Promise<{ answers: number; failures: readonly string[] }> } {
  let [answers, isOver] = [0, false];
  const failures: string[] = [];
  const work = ['replica-1', 'replica-2'].map(newClient).map(async (client) => {
    while (!isOver) {
      const answer = await client.get('/api/v1/namespaces/default').catch((error: unknown) => String(error));
      if (typeof answer === 'string' || answer.status !== 200) failures.push(JSON.stringify(answer));
      answers += 1;
    }
    client.close();
  });
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(work);
      return { answers, failures };
    },
  };
}

test('a replica is added as the guide says, and no request fails', async () => {
  const before = await certificateOf('replica-1');
  expect(before.subjectaltname).not.toContain(added);
  const load = askOn();
  await pki(added);
  await start(added);
  await untilHealthy(added);
  // Those that run take up the certificate with the new name by themselves.
  for (const name of ['replica-1', 'replica-2'])
    await waitFor(
      `the new certificate at ${name}`,
      async () => (await certificateOf(name)).subjectaltname?.includes(added),
      { timeout: 90_000 },
    );
  const { failures, answers } = await load.stop();
  const late = newClient(added);
  expect((await late.get('/api/v1/namespaces/default')).status).toBe(200);
  late.close();
  expect({ failures, isEnough: answers > 100 }).toEqual({ failures: [], isEnough: true });
}, 240_000);

test('a member whose data is lost is replaced as the guide says, and no request fails', async () => {
  const lost = 'etcd-3';
  const load = askOn();
  await running.get(lost)?.stop(30_000);
  const [, data = ''] = mountsOf(lost).find(([inside]) => inside === '/data') ?? [];
  rmSync(data, { recursive: true });
  mkdirSync(data, { mode: 0o700 });
  const line = (await etcdctl('etcd-1', 'member', 'list')).split('\n').find((text) => text.includes(lost));
  await etcdctl('etcd-1', 'member', 'remove', line?.split(',')[0] ?? '');
  await etcdctl('etcd-1', 'member', 'add', lost, `--peer-urls=https://${addressOf(lost)}:2380`);
  await start(lost, { ETCD_CLUSTER_STATE: 'existing' });
  await untilHealthy(lost);
  // From then on it starts as all do: the flag is for a member without data.
  await running.get(lost)?.stop(30_000);
  await start(lost);
  await untilHealthy(lost);
  const { failures, answers } = await load.stop();
  expect({ failures, isEnough: answers > 100 }).toEqual({ failures: [], isEnough: true });
  expect((await etcdctl('etcd-1', 'member', 'list')).trim().split('\n')).toHaveLength(3);
}, 240_000);
