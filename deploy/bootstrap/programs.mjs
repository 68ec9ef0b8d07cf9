/** Programs that the service or its tests need besides Node: found on PATH or in `.orch/bin`, else brought. */
import { tryInstall, unpackProgram } from './debian.mjs';
import { findProgram } from './paths.mjs';
import { say } from './run.mjs';

const remedies = {
  etcd: 'put an etcd binary (3.4 or newer) on PATH or into .orch/bin, or start with --etcd-servers=<urls>',
  etcdctl: 'put etcdctl (of the release of etcd) on PATH or into .orch/bin',
  kubectl: 'put kubectl on PATH or into .orch/bin',
};

/** @throws Error with the remedy where no etcd can be had */
export function ensureEtcd() {
  ensure('etcd', 'etcd-server');
}

/** @throws Error with the remedy where no etcdctl can be had */
export function ensureEtcdctl() {
  ensure('etcdctl', 'etcd-client');
}

/** @throws Error with the remedy where no kubectl can be had */
export function ensureKubectl() {
  ensure('kubectl', 'kubernetes-client');
}

/** With promtool the alert rules are evaluated; without it they are only compared with the metrics. */
export function welcomePromtool() {
  tryUnpack('promtool', 'prometheus');
}

/** A Docker engine widens the cluster tests; they run without one as well. */
export function welcomeDocker() {
  tryInstall('dockerd', ['docker.io', 'iptables']);
}

function ensure(program, packageName) {
  tryUnpack(program, packageName);
  if (findProgram(program) === undefined) throw new Error(`no ${program} found: ${remedies[program]}`);
}

function tryUnpack(program, packageName) {
  if (findProgram(program) !== undefined) return;
  try {
    if (findProgram('apt-get') !== undefined) unpackProgram(program, packageName);
  } catch (error) {
    say(error.message);
  }
}
