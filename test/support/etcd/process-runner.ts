/** Members as processes of this machine. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Child } from '../child-process.ts';
import { etcdBinary } from '../paths.ts';
import type { LocalMember, MemberPlan, MemberRunner, MemberTls, OwnedMember } from './types.ts';

/** Runs members as child processes with their data below `folder`. */
export function processRunner(folder: string): MemberRunner {
  return {
    how: 'process',
    launch: (plan) => launch(folder, plan),
    close: () => Promise.resolve(),
  };
}

async function launch(folder: string, plan: MemberPlan): Promise<OwnedMember> {
  const home = join(folder, plan.name);
  await mkdir(home, { recursive: true });
  const tlsArgs = plan.tls === undefined ? [] : await writeTls(home, plan.tls);
  const spawn = (): Promise<Child> =>
    Child.start({
      name: plan.name,
      program: etcdBinary(),
      args: [...plan.args, ...tlsArgs, `--data-dir=${join(home, 'data')}`],
      // etcd 3.4 wants to be told that it may run on 64-bit ARM.
      env: process.arch === 'arm64' ? { ...process.env, ETCD_UNSUPPORTED_ARCH: 'arm64' } : process.env,
    });
  return memberOf(plan, { dataDir: join(home, 'data'), home, args: plan.args }, await spawn(), spawn);
}

function memberOf(
  plan: MemberPlan,
  local: LocalMember,
  first: Child,
  spawn: () => Promise<Child>,
): OwnedMember {
  let child = first;
  let logs = '';
  const thaw = (): Promise<void> => {
    child.signal('SIGCONT');
    return Promise.resolve();
  };
  const kill = async (): Promise<void> => {
    await child.kill();
  };
  return {
    name: plan.name,
    endpoint: plan.endpoint,
    local,
    pid: () => child.pid,
    stop: async () => {
      await child.stop();
    },
    kill,
    start: async () => {
      logs += child.output();
      child = await spawn();
    },
    pause: () => child.freeze(),
    resume: thaw,
    logs: () => logs + child.output(),
    remove: kill,
  };
}

async function writeTls(home: string, tls: MemberTls): Promise<string[]> {
  const write = async (name: string, pem: string): Promise<string> => {
    const path = join(home, name);
    await writeFile(path, pem, { mode: 0o600 });
    return path;
  };
  return tlsArguments(
    await write('ca.crt', tls.ca),
    await write('member.crt', tls.cert),
    await write('member.key', tls.key),
  );
}

/** TLS with client certificates for both the client and the peer side. */
export function tlsArguments(ca: string, cert: string, key: string): string[] {
  return [
    '--client-cert-auth',
    `--trusted-ca-file=${ca}`,
    `--cert-file=${cert}`,
    `--key-file=${key}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${ca}`,
    `--peer-cert-file=${cert}`,
    `--peer-key-file=${key}`,
  ];
}
